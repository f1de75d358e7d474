# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel
from modelarts_runtime.times import Instant, Span
from modelarts_runtime.views import StatusNumberView

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TrainingJobVersion(StatusNumberView, ResponseModel):
    """A version of a training job: its settings, its status and its results. As an entry of a list it has neither
    `is_success` nor the fields of the job, `job_id`, `job_name` and `job_desc`.
    """

    version_id: int = attrs.field(default=None)
    """Id of the version, a number."""
    version_name: str = attrs.field(default=None)
    """Name of the version: V and four digits."""
    pre_version_id: int | None = attrs.field(default=None)
    """Id of the version that this one succeeds; null for the first."""
    status: int | None = attrs.field(default=None)
    """Status of the version. Active: 1 initialising, 2 building the image, 4 being submitted, 7 queued, 8 running, 9
    being cancelled, 15 being scaled, 18 review initialising, 19 under review, 20 review passed. Final: 10
    completed, 11 failed, 12 and 13 cancelled, 14 lost. Final, before it could run: 3 image not built, 5 not
    submitted, 16 model not submitted, 17 service not deployed, 21 review failed, 22 volume not mounted. Others: 0
    unknown, 6 could not be deleted.
    Known values: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22.
    """
    create_time: int = attrs.field(default=None)
    """When the version was created, in milliseconds since 1970."""
    start_time: int | None = attrs.field(default=None)
    """When it began to run, in milliseconds since 1970."""
    duration: int = attrs.field(default=None)
    """Running time in milliseconds. One example of a completed version has far less than its times give."""
    worker_server_num: int = attrs.field(default=None)
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
    core: str | int | None = attrs.field(default=None)
    """Processor cores of a node."""
    cpu: str | int | None = attrs.field(default=None)
    """Memory of a node in GB."""
    gpu_num: int | None = attrs.field(default=None)
    """Number of GPUs in each node."""
    gpu_type: str | None = attrs.field(default=None)
    """Kind of the GPUs; empty without any."""
    pool_name: str | None = attrs.field(default=None)
    """Name of the dedicated resource pool; empty in the public pool."""
    nas_type: str | None = attrs.field(default=None)
    """Kind of a mounted file system, such as `nfs`."""
    nas_share_addr: str | None = attrs.field(default=None)
    """Address of the mounted file system."""
    nas_mount_path: str | None = attrs.field(default=None)
    """Directory that the file system is mounted at."""
    model_metric_list: str | _models.ModelMetrics | None = attrs.field(default=None)
    """How good the model is: JSON as text, `{}` without any."""
    system_metric_list: _models.SystemMetrics | str | None = attrs.field(default=None)
    """How the nodes were used."""
    is_success: bool | None = None
    """Whether the call succeeded. False marks an error response, whatever its HTTP status."""
    job_id: int | None = None
    """Id of the job, a number."""
    job_name: str | None = None
    """Name of the job, as it was given at its creation."""
    job_desc: str | None = None
    """Description of the job for readers."""
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
    """Command line that runs in the custom image, with the wrapper `bash -x /home/work/run_train.sh` in front."""
    spec_id: int | None = None
    """Id of the resource specification."""
    spec_code: str | None = None
    """Name of the size of the machines."""
    pool_id: str | None = None
    """Pool that the nodes belong to."""
    volumes: list[_models.Volume] = attrs.field(factory=list)
    """Directories of shares or hosts that are mounted into the container."""
    gpu: bool | None = None
    """Whether the nodes have GPUs; null in the use case."""
    resource_id: str | None = None
    """Id under which the resources are charged."""
    flavor_code: str | None = None
    """Name of the size of the machines, as `spec_code`."""
    max_num: int | None = None
    """Most nodes of this size in one job."""
    pool_type: str | None = None
    """Kind of the resource pool; `SYSTEM_DEFINED` is the public pool.
    Known values: SYSTEM_DEFINED.
    """
    storage: str | None = None
    """Disk of a node; empty in the only example."""
    no_resource: bool | None = None
    """Whether the machines are sold out."""
    pod_version: str | None = None
    """Version of the framework in the image, such as `1.8.0-cp36`."""
    job_type: int | None = None
    """Kind of the job; 1 in the only example."""
    task_summary: Any = None
    """Tasks of the version; an empty object in the only example."""
    model_outputs: list[Any] = attrs.field(factory=list)
    """Models that the version made; empty in the only example."""
    inputs: Any = None
    """Input channels: data that is copied into the container."""
    outputs: Any = None
    """Output channels: folders whose files are uploaded."""
    error_result: Any = None
    """Description of the error that ended the version."""
    user_frame_image: Any = None
    """Image of an own framework."""
    is_zombie: Any = None
    """Not documented; null in the examples."""
    algorithm_id: Any = None
    """Stored algorithm that was run."""
    autosearch_config: Any = None
    """Settings of a hyperparameter search."""
    retrain_model_id: Any = None
    """Model that the training continues."""
    npu_info: Any = None
    """Not documented; null in the examples. By its name it describes the NPUs of the nodes."""
    error_code: str | None = None
    """Error code; absent from a successful response."""
    error_message: str | None = None
    """Reason of the error in English; absent from a successful response."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    created_at = Instant[datetime]("create_time", "ms")
    """`create_time` as a time with its zone."""
    started_at = Instant[datetime | None]("start_time", "ms")
    """`start_time` as a time with its zone."""
    running_time = Span[timedelta]("duration", "ms")
    """`duration` as a duration."""

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.version_id = take("version_id", None)
        self.version_name = take("version_name", None)
        self.pre_version_id = take("pre_version_id", None)
        self.status = take("status", None)
        self.create_time = take("create_time", None)
        self.start_time = take("start_time", None)
        self.duration = take("duration", None)
        self.worker_server_num = take("worker_server_num", None)
        self.dataset_name = take("dataset_name", None)
        self.dataset_version_name = take("dataset_version_name", None)
        self.engine_type = take("engine_type", None)
        self.engine_name = take("engine_name", None)
        self.engine_version = take("engine_version", None)
        self.core = take("core", None)
        self.cpu = take("cpu", None)
        self.gpu_num = take("gpu_num", None)
        self.gpu_type = take("gpu_type", None)
        self.pool_name = take("pool_name", None)
        self.nas_type = take("nas_type", None)
        self.nas_share_addr = take("nas_share_addr", None)
        self.nas_mount_path = take("nas_mount_path", None)
        value = take("model_metric_list", None)
        self.model_metric_list = _models.ModelMetrics.from_dict(value) if isinstance(value, dict) else value
        value = take("system_metric_list", None)
        self.system_metric_list = _models.SystemMetrics.from_dict(value) if isinstance(value, dict) else value
        self.is_success = take("is_success", None)
        self.job_id = take("job_id", None)
        self.job_name = take("job_name", None)
        self.job_desc = take("job_desc", None)
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
        self.pool_id = take("pool_id", None)
        value = take("volumes", None)
        self.volumes = (
            [_models.Volume.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.gpu = take("gpu", None)
        self.resource_id = take("resource_id", None)
        self.flavor_code = take("flavor_code", None)
        self.max_num = take("max_num", None)
        self.pool_type = take("pool_type", None)
        self.storage = take("storage", None)
        self.no_resource = take("no_resource", None)
        self.pod_version = take("pod_version", None)
        self.job_type = take("job_type", None)
        self.task_summary = take("task_summary", None)
        value = take("model_outputs", None)
        self.model_outputs = [] if value is None else value
        self.inputs = take("inputs", None)
        self.outputs = take("outputs", None)
        self.error_result = take("error_result", None)
        self.user_frame_image = take("user_frame_image", None)
        self.is_zombie = take("is_zombie", None)
        self.algorithm_id = take("algorithm_id", None)
        self.autosearch_config = take("autosearch_config", None)
        self.retrain_model_id = take("retrain_model_id", None)
        self.npu_info = take("npu_info", None)
        self.error_code = take("error_code", None)
        self.error_message = take("error_message", None)
        self.additional_properties = rest
        self._received = src_dict
        return self
