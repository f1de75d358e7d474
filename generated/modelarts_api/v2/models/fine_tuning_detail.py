# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel
from modelarts_runtime.times import Instant

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class FineTuningDetail(ResponseModel):
    """A fine-tuning job, with its model, its datasets and its settings."""

    task_id: str | None = attrs.field(default=None)
    """Id of the fine-tuning task."""
    project_id: str | None = None
    """Id of the project."""
    task_name: str | None = None
    """Name of the job."""
    task_desc: str | None = None
    """Description of the job."""
    metadata: _models.JobMetadata | None = None
    """Id, name and other data of the job."""
    spec: _models.JobSpec | None = None
    """Machines, volumes, logs and limits of the job."""
    status: _models.JobStatus | None = None
    """Phase, tasks and times of the job."""
    model_asset_id: str | None = None
    """Id of the model that is trained."""
    model_type: str | None = None
    """Kind of the model.
    Known values: TextGeneration, ImageUnderstanding.
    """
    model_source: str | None = None
    """Where the model comes from."""
    train_type: str | None = None
    """How the model is trained.
    Known values: SFT, PRETRAIN, LORA, DPO, RFT.
    """
    checkpoint_config: str | None = None
    """Settings of the checkpoints, as a text."""
    task_parameters: str | None = None
    """Parameters of the training, as a text."""
    create_time: int | None = None
    """When the job was created, in milliseconds since 1970."""
    update_time: int | None = None
    """When settings or state last changed, in milliseconds since 1970."""
    train_process: float | None = None
    """Progress."""
    datasets_config: list[_models.FineTuningDataset] = attrs.field(factory=list)
    """Datasets of the training."""
    auto_publish_config: str | None = None
    """Settings of the automatic publication, as a text."""
    asset_code: str | None = None
    """Code of the model."""
    asset_name: str | None = None
    """Name of the model."""
    asset_desc: str | None = None
    """Description of the model."""
    asset_series: str | None = None
    """Series of the model."""
    asset_version: str | None = None
    """Version of the model."""
    asset_type: str | None = None
    """Kind of the asset."""
    asset_source: str | None = None
    """Where the asset comes from."""
    asset_group_id: str | None = None
    """Id of the group of the asset."""
    sub_asset_type: str | None = None
    """Kind of the asset in more detail."""
    category: str | None = None
    """Category of the asset."""
    api_version: str | None = None
    """Version of the API of assets."""
    root_asset_id: str | None = None
    """Id of the asset that it descends from."""
    train_cost_time: int | None = None
    """Time that the training has taken."""
    workspace_id: str | None = None
    """Workspace that the job belongs to."""
    user_id: str | None = None
    """Id of the user who created the job."""
    user_name: str | None = None
    """Who created the job."""
    pool_type: str | None = None
    """Kind of the resource pool."""
    pool_id: str | None = None
    """Id of the resource pool."""
    pool_node_count: str | None = None
    """Number of nodes, as a text."""
    flavor_id: str | None = None
    """Flavor of the nodes."""
    priority: int | None = None
    """Priority of the job."""
    training_info: str | None = None
    """Estimated duration of the training, as a text."""
    train_output_path: str | None = None
    """OBS path that the outputs go to."""
    asset_capabilities: list[str] = attrs.field(factory=list)
    """What the model can do."""
    continue_task: _models.ContinuedFrom | None = None
    """The checkpoint that the job went on from."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    created_at = Instant[datetime | None]("create_time", "ms")
    """`create_time` as a time with its zone."""
    updated_at = Instant[datetime | None]("update_time", "ms")
    """`update_time` as a time with its zone."""

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.task_id = take("task_id", None)
        self.project_id = take("project_id", None)
        self.task_name = take("task_name", None)
        self.task_desc = take("task_desc", None)
        value = take("metadata", None)
        self.metadata = _models.JobMetadata.from_dict(value) if isinstance(value, dict) else value
        value = take("spec", None)
        self.spec = _models.JobSpec.from_dict(value) if isinstance(value, dict) else value
        value = take("status", None)
        self.status = _models.JobStatus.from_dict(value) if isinstance(value, dict) else value
        self.model_asset_id = take("model_asset_id", None)
        self.model_type = take("model_type", None)
        self.model_source = take("model_source", None)
        self.train_type = take("train_type", None)
        self.checkpoint_config = take("checkpoint_config", None)
        self.task_parameters = take("task_parameters", None)
        self.create_time = take("create_time", None)
        self.update_time = take("update_time", None)
        self.train_process = take("train_process", None)
        value = take("datasets_config", None)
        self.datasets_config = (
            [_models.FineTuningDataset.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.auto_publish_config = take("auto_publish_config", None)
        self.asset_code = take("asset_code", None)
        self.asset_name = take("asset_name", None)
        self.asset_desc = take("asset_desc", None)
        self.asset_series = take("asset_series", None)
        self.asset_version = take("asset_version", None)
        self.asset_type = take("asset_type", None)
        self.asset_source = take("asset_source", None)
        self.asset_group_id = take("asset_group_id", None)
        self.sub_asset_type = take("sub_asset_type", None)
        self.category = take("category", None)
        self.api_version = take("api_version", None)
        self.root_asset_id = take("root_asset_id", None)
        self.train_cost_time = take("train_cost_time", None)
        self.workspace_id = take("workspace_id", None)
        self.user_id = take("user_id", None)
        self.user_name = take("user_name", None)
        self.pool_type = take("pool_type", None)
        self.pool_id = take("pool_id", None)
        self.pool_node_count = take("pool_node_count", None)
        self.flavor_id = take("flavor_id", None)
        self.priority = take("priority", None)
        self.training_info = take("training_info", None)
        self.train_output_path = take("train_output_path", None)
        value = take("asset_capabilities", None)
        self.asset_capabilities = [] if value is None else value
        value = take("continue_task", None)
        self.continue_task = _models.ContinuedFrom.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self
