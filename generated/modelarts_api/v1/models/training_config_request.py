# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TrainingConfigRequest(Model):
    """What a job runs, on what, with which data. The code is a built-in algorithm (`model_id`), an own one (`app_url`,
    `boot_file_url`, `engine_id`), or an own image (`user_image_url`, `user_command`).
    """

    worker_server_num: int
    """Nodes of the job. The most that a size allows is `max_num` of its specification."""
    app_url: str | Unset = UNSET
    """Folder of the code in object storage, such as `/bucket/code/`."""
    boot_file_url: str | Unset = UNSET
    """File in that folder that starts the training, such as `/bucket/code/train.py`."""
    engine_id: int | Unset = UNSET
    """Engine that runs the boot file, from the list of engines.
    The service's default: 1.
    """
    model_id: int | Unset = UNSET
    """Built-in algorithm to run instead of own code."""
    user_image_url: str | Unset = UNSET
    """Own container image to run instead of an engine, such as `registry/group/image:tag`. It goes with
    `user_command`.
    """
    user_command: str | Unset = UNSET
    """Command line that runs in the custom image. The platform's wrapper sets up the environment first, so the command
    begins with `bash -x /home/work/run_train.sh`, for example `bash -x /home/work/run_train.sh python
    /home/work/user-job-dir/app/train.py`.
    """
    parameter: Sequence[_models.ParameterRequest] | Unset = UNSET
    """Hyperparameters with their values, passed to the boot file as arguments."""
    data_url: str | Unset = UNSET
    """Folder of the training data in object storage. The data is said once: here, in `data_source`, or by a dataset
    with its version.
    The service's default: ''.
    """
    dataset_id: str | Unset = UNSET
    """Id of a dataset to train on; it goes with `dataset_version_id`."""
    dataset_version_id: str | Unset = UNSET
    """Version of the dataset to train on."""
    data_source: Sequence[_models.DataSourceRequest] | Unset = UNSET
    """Sources of the training data, where there are several."""
    spec_id: int | Unset = UNSET
    """Size of the machines of the shared pool, from the list of resource specifications. The machines are said once:
    here, in `flavor` by name, or by `pool_id`.
    """
    flavor: _models.FlavorRequest | Unset = UNSET
    """Size of the machines by name."""
    pool_id: str | Unset = UNSET
    """Dedicated pool to run in."""
    train_url: str | Unset = UNSET
    """Folder in object storage for the results. Among running, queuing and initialising jobs, only one may use it.
    The service's default: ''.
    """
    log_url: str | Unset = UNSET
    """Folder in object storage for the logs.
    The service's default: ''.
    """
    create_version: bool | Unset = UNSET
    """Whether the job gets its first version at once and starts. False makes a job without a version.
    The service's default: True.
    """
    volumes: Sequence[_models.VolumeRequest] | Unset = UNSET
    """Directories from elsewhere; for dedicated pools."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.worker_server_num = take("worker_server_num", UNSET)
        self.app_url = take("app_url", UNSET)
        self.boot_file_url = take("boot_file_url", UNSET)
        self.engine_id = take("engine_id", UNSET)
        self.model_id = take("model_id", UNSET)
        self.user_image_url = take("user_image_url", UNSET)
        self.user_command = take("user_command", UNSET)
        value = take("parameter", UNSET)
        self.parameter = (
            [_models.ParameterRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.data_url = take("data_url", UNSET)
        self.dataset_id = take("dataset_id", UNSET)
        self.dataset_version_id = take("dataset_version_id", UNSET)
        value = take("data_source", UNSET)
        self.data_source = (
            [_models.DataSourceRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.spec_id = take("spec_id", UNSET)
        value = take("flavor", UNSET)
        self.flavor = _models.FlavorRequest.from_dict(value) if isinstance(value, dict) else value
        self.pool_id = take("pool_id", UNSET)
        self.train_url = take("train_url", UNSET)
        self.log_url = take("log_url", UNSET)
        self.create_version = take("create_version", UNSET)
        value = take("volumes", UNSET)
        self.volumes = (
            [_models.VolumeRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> TrainingConfigRequestDict: ...


class TrainingConfigRequestDict(TypedDict, total=False):
    """`TrainingConfigRequest` as a dict."""

    worker_server_num: Required[int]
    app_url: str
    boot_file_url: str
    engine_id: int
    model_id: int
    user_image_url: str
    user_command: str
    parameter: Sequence[_models.ParameterRequestDict]
    data_url: str
    dataset_id: str
    dataset_version_id: str
    data_source: Sequence[_models.DataSourceRequestDict]
    spec_id: int
    flavor: _models.FlavorRequestDict
    pool_id: str
    train_url: str
    log_url: str
    create_version: bool
    volumes: Sequence[_models.VolumeRequestDict]
