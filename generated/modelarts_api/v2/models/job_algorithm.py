# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class JobAlgorithm(ResponseModel):
    """What a job runs, completed from the stored algorithm."""

    id: str | None = None
    """The stored algorithm; absent where the job brought its own code."""
    name: str | None = None
    """Name of the stored algorithm."""
    subscription_id: str | None = None
    """Subscription of an algorithm from the gallery."""
    item_version_id: str | None = None
    """Version of the subscribed algorithm."""
    code_dir: str | None = None
    """Folder with the code in object storage."""
    boot_file: str | None = None
    """Python file that starts the training."""
    autosearch_config_path: str | None = None
    """YAML file in object storage that configures an automatic search."""
    autosearch_framework_path: str | None = None
    """Folder in object storage with the framework of an automatic search."""
    command: str | None = None
    """Command line of a custom image."""
    parameters: list[_models.Parameter] = attrs.field(factory=list)
    """Hyperparameters with the values of this job."""
    parameters_customization: bool | None = None
    """Whether jobs may add hyperparameters to the algorithm's."""
    policies: _models.JobPolicies | None = None
    """Search for hyperparameters; an empty object where there is none."""
    inputs: list[_models.Input] = attrs.field(factory=list)
    """Input channels: data that is copied into the container."""
    outputs: list[_models.Output] = attrs.field(factory=list)
    """Output channels: folders whose files are uploaded."""
    engine: _models.JobEngine | None = None
    """Preset AI framework (`engine_id`) or custom image (`image_url`) that runs the code."""
    local_code_dir: str | None = None
    """Folder in the container that receives the code instead of the default one. It has to lie below `/home`, and has
    no effect in engines compatible with v1 or when `code_dir` starts with `file://`.
    """
    working_dir: str | None = None
    """Folder in the container that the platform changes to before the start. No effect in engines compatible with v1."""
    environments: _models.Environments | list[_models.Environments] | None = None
    """Environment variables of the job."""
    summary: _models.Summary | None = None
    """Summary logs that visualization tools read."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", None)
        self.name = take("name", None)
        self.subscription_id = take("subscription_id", None)
        self.item_version_id = take("item_version_id", None)
        self.code_dir = take("code_dir", None)
        self.boot_file = take("boot_file", None)
        self.autosearch_config_path = take("autosearch_config_path", None)
        self.autosearch_framework_path = take("autosearch_framework_path", None)
        self.command = take("command", None)
        value = take("parameters", None)
        self.parameters = (
            [_models.Parameter.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.parameters_customization = take("parameters_customization", None)
        value = take("policies", None)
        self.policies = _models.JobPolicies.from_dict(value) if isinstance(value, dict) else value
        value = take("inputs", None)
        self.inputs = (
            [_models.Input.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        value = take("outputs", None)
        self.outputs = (
            [_models.Output.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        value = take("engine", None)
        self.engine = _models.JobEngine.from_dict(value) if isinstance(value, dict) else value
        self.local_code_dir = take("local_code_dir", None)
        self.working_dir = take("working_dir", None)
        self.environments = take("environments", None)
        value = take("summary", None)
        self.summary = _models.Summary.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self
