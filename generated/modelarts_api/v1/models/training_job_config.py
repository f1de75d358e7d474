# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel
from modelarts_runtime.times import Instant

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TrainingJobConfig(ResponseModel):
    """A configuration with its settings."""

    is_success: bool = attrs.field(default=None)
    """Whether the call succeeded. False marks an error response, whatever its HTTP status."""
    config_name: str = attrs.field(default=None)
    """Name of the configuration; it identifies the configuration in the project."""
    create_time: int = attrs.field(default=None)
    """When the configuration was created, in milliseconds since 1970."""
    worker_server_num: int | None = attrs.field(default=None)
    """Number of nodes that the job uses."""
    dataset_name: str | None = attrs.field(default=None)
    """Name of the dataset that the job trains on."""
    dataset_version_name: str | None = attrs.field(default=None)
    """Name of the version of the dataset."""
    engine_type: int | None = attrs.field(default=None)
    """Family of the engine (AI framework). 1 TensorFlow, 2 MXNet, 3 Ray, 4 Caffe, 5 Spark MLlib, 9 XGBoost and
    scikit-learn, 10 PyTorch, 12 Horovod, 13 Ascend-Powered-Engine.
    Known values: 1, 2, 3, 4, 5, 9, 10, 12, 13.
    """
    engine_name: str | None = attrs.field(default=None)
    """Name of the engine, such as `TensorFlow`."""
    engine_version: str | None = attrs.field(default=None)
    """Version of the engine, such as `TF-1.8.0-python3.6`."""
    core: str | None = attrs.field(default=None)
    """Processor cores of a node."""
    cpu: str | None = attrs.field(default=None)
    """Memory of a node in GB."""
    gpu_num: int | None = attrs.field(default=None)
    """Number of GPUs in each node."""
    pool_name: str | None = attrs.field(default=None)
    """Name of the dedicated resource pool; empty in the public pool."""
    nas_type: str | None = attrs.field(default=None)
    """Kind of a mounted file system, such as `nfs`."""
    nas_share_addr: str | None = attrs.field(default=None)
    """Address of the mounted file system."""
    nas_mount_path: str | None = attrs.field(default=None)
    """Directory that the file system is mounted at."""
    config_desc: str | None = None
    """Description of the configuration for readers."""
    app_url: str | None = None
    """Folder of the code in object storage."""
    boot_file_url: str | None = None
    """File that starts the training."""
    model_id: int | None = None
    """Built-in algorithm that runs instead of own code."""
    parameter: list[_models.Parameter] = attrs.field(factory=list)
    """Hyperparameters with their values, passed to the boot file as arguments."""
    data_url: str | None = None
    """Folder of the training data in object storage."""
    dataset_id: str | None = None
    """Id of the dataset that the job trains on."""
    dataset_version_id: str | None = None
    """Id of the version of the dataset."""
    data_source: list[_models.DataSource] = attrs.field(factory=list)
    """Sources of the training data."""
    train_url: str | None = None
    """Folder of the results in object storage."""
    log_url: str | None = None
    """Folder of the logs in object storage."""
    engine_id: int | None = None
    """Id of the engine, as the list of engines has it."""
    user_image_url: str | None = None
    """SWR path of the custom container image that runs instead of an engine."""
    user_command: str | None = None
    """Command line of the own image."""
    spec_id: int | None = None
    """Id of the resource specification."""
    spec_code: str | None = None
    """Name of the size of the machines."""
    gpu_type: str | None = None
    """Kind of the GPUs; empty without any."""
    pool_id: str | None = None
    """Pool that the nodes belong to."""
    volumes: list[_models.Volume] = attrs.field(factory=list)
    """Directories of shares or hosts that are mounted into the container."""
    error_code: str | None = None
    """Error code; absent from a successful response."""
    error_message: str | None = None
    """Reason of the error in English; absent from a successful response."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    created_at = Instant[datetime]("create_time", "ms")
    """`create_time` as a time with its zone."""

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.is_success = take("is_success", None)
        self.config_name = take("config_name", None)
        self.create_time = take("create_time", None)
        self.worker_server_num = take("worker_server_num", None)
        self.dataset_name = take("dataset_name", None)
        self.dataset_version_name = take("dataset_version_name", None)
        self.engine_type = take("engine_type", None)
        self.engine_name = take("engine_name", None)
        self.engine_version = take("engine_version", None)
        self.core = take("core", None)
        self.cpu = take("cpu", None)
        self.gpu_num = take("gpu_num", None)
        self.pool_name = take("pool_name", None)
        self.nas_type = take("nas_type", None)
        self.nas_share_addr = take("nas_share_addr", None)
        self.nas_mount_path = take("nas_mount_path", None)
        self.config_desc = take("config_desc", None)
        self.app_url = take("app_url", None)
        self.boot_file_url = take("boot_file_url", None)
        self.model_id = take("model_id", None)
        value = take("parameter", None)
        self.parameter = (
            [_models.Parameter.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.data_url = take("data_url", None)
        self.dataset_id = take("dataset_id", None)
        self.dataset_version_id = take("dataset_version_id", None)
        value = take("data_source", None)
        self.data_source = (
            [_models.DataSource.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.train_url = take("train_url", None)
        self.log_url = take("log_url", None)
        self.engine_id = take("engine_id", None)
        self.user_image_url = take("user_image_url", None)
        self.user_command = take("user_command", None)
        self.spec_id = take("spec_id", None)
        self.spec_code = take("spec_code", None)
        self.gpu_type = take("gpu_type", None)
        self.pool_id = take("pool_id", None)
        value = take("volumes", None)
        self.volumes = (
            [_models.Volume.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.error_code = take("error_code", None)
        self.error_message = take("error_message", None)
        self.additional_properties = rest
        self._received = src_dict
        return self
