# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.data_source import DataSource
    from ..models.parameter import Parameter
    from ..models.volume import Volume


@attrs.define(kw_only=True, repr=False)
class TrainingJobConfig(Model):
    """A configuration with its settings."""

    is_success: bool | None | Unset = UNSET
    """Whether the call was carried out. False means that the answer is a refusal, whatever its HTTP status."""
    config_name: str | None | Unset = UNSET
    """Name of the configuration."""
    config_desc: str | None | Unset = UNSET
    """Explanation for people."""
    create_time: int | None | Unset = UNSET
    """When the configuration was created, in milliseconds since 1970."""
    worker_server_num: int | None | Unset = UNSET
    """Nodes of the job."""
    app_url: str | None | Unset = UNSET
    """Folder of the code in object storage."""
    boot_file_url: str | None | Unset = UNSET
    """File that starts the training."""
    model_id: int | None | Unset = UNSET
    """Built-in algorithm that runs instead of own code."""
    parameter: list[Parameter] | None | Unset = UNSET
    """Hyperparameters."""
    data_url: str | None | Unset = UNSET
    """Folder of the training data in object storage."""
    dataset_id: str | None | Unset = UNSET
    """Id of the dataset."""
    dataset_name: str | None | Unset = UNSET
    """Name of the dataset."""
    dataset_version_id: str | None | Unset = UNSET
    """Id of the version of the dataset."""
    dataset_version_name: str | None | Unset = UNSET
    """Name of the version of the dataset."""
    data_source: list[DataSource] | None | Unset = UNSET
    """Sources of the training data."""
    train_url: str | None | Unset = UNSET
    """Folder of the results in object storage."""
    log_url: str | None | Unset = UNSET
    """Folder of the logs in object storage."""
    engine_type: int | None | Unset = UNSET
    """Family of the engine."""
    engine_name: str | None | Unset = UNSET
    """Name of the engine."""
    engine_id: int | None | Unset = UNSET
    """Id of the engine."""
    engine_version: str | None | Unset = UNSET
    """Version of the engine, such as `TF-1.8.0-python3.6`."""
    user_image_url: str | None | Unset = UNSET
    """Own container image."""
    user_command: str | None | Unset = UNSET
    """Command line of the own image."""
    spec_id: int | None | Unset = UNSET
    """Id of the resource specification."""
    spec_code: str | None | Unset = UNSET
    """Name of the size of the machines."""
    core: str | None | Unset = UNSET
    """Processor cores of a node."""
    cpu: str | None | Unset = UNSET
    """Memory of a node in GB."""
    gpu_num: int | None | Unset = UNSET
    """GPUs of a node."""
    gpu_type: str | None | Unset = UNSET
    """Kind of the GPUs; empty without any."""
    pool_id: str | None | Unset = UNSET
    """Pool that the nodes belong to."""
    pool_name: str | None | Unset = UNSET
    """Name of the pool."""
    volumes: list[Volume] | None | Unset = UNSET
    """Directories from elsewhere."""
    nas_type: str | None | Unset = UNSET
    """Kind of a mounted file system, such as `nfs`."""
    nas_share_addr: str | None | Unset = UNSET
    """Address of the mounted file system."""
    nas_mount_path: str | None | Unset = UNSET
    """Directory that the file system is mounted at."""
    error_code: str | None | Unset = UNSET
    """Code of the refusal; left out of a success."""
    error_message: str | None | Unset = UNSET
    """Reason of the refusal, in English; left out of a success."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("is_success", "is_success"),
        ("config_name", "config_name"),
        ("config_desc", "config_desc"),
        ("create_time", "create_time"),
        ("worker_server_num", "worker_server_num"),
        ("app_url", "app_url"),
        ("boot_file_url", "boot_file_url"),
        ("model_id", "model_id"),
        ("parameter", "parameter"),
        ("data_url", "data_url"),
        ("dataset_id", "dataset_id"),
        ("dataset_name", "dataset_name"),
        ("dataset_version_id", "dataset_version_id"),
        ("dataset_version_name", "dataset_version_name"),
        ("data_source", "data_source"),
        ("train_url", "train_url"),
        ("log_url", "log_url"),
        ("engine_type", "engine_type"),
        ("engine_name", "engine_name"),
        ("engine_id", "engine_id"),
        ("engine_version", "engine_version"),
        ("user_image_url", "user_image_url"),
        ("user_command", "user_command"),
        ("spec_id", "spec_id"),
        ("spec_code", "spec_code"),
        ("core", "core"),
        ("cpu", "cpu"),
        ("gpu_num", "gpu_num"),
        ("gpu_type", "gpu_type"),
        ("pool_id", "pool_id"),
        ("pool_name", "pool_name"),
        ("volumes", "volumes"),
        ("nas_type", "nas_type"),
        ("nas_share_addr", "nas_share_addr"),
        ("nas_mount_path", "nas_mount_path"),
        ("error_code", "error_code"),
        ("error_message", "error_message"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.is_success = take("is_success", UNSET)
        self.config_name = take("config_name", UNSET)
        self.config_desc = take("config_desc", UNSET)
        self.create_time = take("create_time", UNSET)
        self.worker_server_num = take("worker_server_num", UNSET)
        self.app_url = take("app_url", UNSET)
        self.boot_file_url = take("boot_file_url", UNSET)
        self.model_id = take("model_id", UNSET)
        value = take("parameter", UNSET)
        self.parameter = (
            [models.Parameter.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.data_url = take("data_url", UNSET)
        self.dataset_id = take("dataset_id", UNSET)
        self.dataset_name = take("dataset_name", UNSET)
        self.dataset_version_id = take("dataset_version_id", UNSET)
        self.dataset_version_name = take("dataset_version_name", UNSET)
        value = take("data_source", UNSET)
        self.data_source = (
            [models.DataSource.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.train_url = take("train_url", UNSET)
        self.log_url = take("log_url", UNSET)
        self.engine_type = take("engine_type", UNSET)
        self.engine_name = take("engine_name", UNSET)
        self.engine_id = take("engine_id", UNSET)
        self.engine_version = take("engine_version", UNSET)
        self.user_image_url = take("user_image_url", UNSET)
        self.user_command = take("user_command", UNSET)
        self.spec_id = take("spec_id", UNSET)
        self.spec_code = take("spec_code", UNSET)
        self.core = take("core", UNSET)
        self.cpu = take("cpu", UNSET)
        self.gpu_num = take("gpu_num", UNSET)
        self.gpu_type = take("gpu_type", UNSET)
        self.pool_id = take("pool_id", UNSET)
        self.pool_name = take("pool_name", UNSET)
        value = take("volumes", UNSET)
        self.volumes = (
            [models.Volume.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.nas_type = take("nas_type", UNSET)
        self.nas_share_addr = take("nas_share_addr", UNSET)
        self.nas_mount_path = take("nas_mount_path", UNSET)
        self.error_code = take("error_code", UNSET)
        self.error_message = take("error_message", UNSET)
        self.additional_properties = rest
        return self
