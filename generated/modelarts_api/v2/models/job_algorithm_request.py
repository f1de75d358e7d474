# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class JobAlgorithmRequest(Model):
    """What a job runs. Either `id` alone names it, or `subscription_id` with `item_version_id`, or `code_dir` with
    `boot_file` and an engine, or an engine's `image_url` with `command`.
    """

    id: str | Unset = UNSET
    """Id of a stored algorithm, as its creation returned it."""
    name: str | Unset = UNSET
    """To be left out; the service takes the name from the algorithm."""
    subscription_id: str | Unset = UNSET
    """Subscription of an algorithm from the gallery; needs `item_version_id`."""
    item_version_id: str | Unset = UNSET
    """Version of the subscribed algorithm; needs `subscription_id`."""
    code_dir: str | Unset = UNSET
    """Folder with the code in object storage, such as `/bucket/code/`. It goes together with `boot_file` and is left
    out where an algorithm id says what to run.
    """
    boot_file: str | Unset = UNSET
    """Python file that starts the training, given with its whole path; it has to lie below `code_dir`."""
    autosearch_config_path: str | Unset = UNSET
    """YAML file in object storage that configures an automatic search."""
    autosearch_framework_path: str | Unset = UNSET
    """Folder in object storage with the framework of an automatic search."""
    command: str | Unset = UNSET
    """Command line for a container that starts from a custom image."""
    parameters: Sequence[_models.ParameterRequest] | Unset = UNSET
    """Hyperparameters with their values, passed to the boot file as arguments."""
    policies: _models.JobPoliciesRequest | Unset = UNSET
    """Policy of the hyperparameter search."""
    inputs: Sequence[_models.InputRequest] | Unset = UNSET
    """Data that is brought to the task before it starts."""
    outputs: Sequence[_models.OutputRequest] | Unset = UNSET
    """Data that is taken from the task while it runs and when it ends."""
    engine: _models.JobEngineRequest | Unset = UNSET
    """Framework or image. To be left out where an algorithm id says what to run."""
    local_code_dir: str | Unset = UNSET
    """Folder in the container that receives the code instead of the default one. It has to lie below `/home`, and has
    no effect in engines compatible with v1 or when `code_dir` starts with `file://`.
    """
    working_dir: str | Unset = UNSET
    """Folder in the container that the platform changes to before the start. No effect in engines compatible with v1."""
    environments: _models.EnvironmentsRequest | Unset = UNSET
    """Environment variables of the container."""
    summary: _models.SummaryRequest | Unset = UNSET
    """Summary logs that visualization tools read."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", UNSET)
        self.name = take("name", UNSET)
        self.subscription_id = take("subscription_id", UNSET)
        self.item_version_id = take("item_version_id", UNSET)
        self.code_dir = take("code_dir", UNSET)
        self.boot_file = take("boot_file", UNSET)
        self.autosearch_config_path = take("autosearch_config_path", UNSET)
        self.autosearch_framework_path = take("autosearch_framework_path", UNSET)
        self.command = take("command", UNSET)
        value = take("parameters", UNSET)
        self.parameters = (
            [_models.ParameterRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("policies", UNSET)
        self.policies = _models.JobPoliciesRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("inputs", UNSET)
        self.inputs = (
            [_models.InputRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("outputs", UNSET)
        self.outputs = (
            [_models.OutputRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("engine", UNSET)
        self.engine = _models.JobEngineRequest.from_dict(value) if isinstance(value, dict) else value
        self.local_code_dir = take("local_code_dir", UNSET)
        self.working_dir = take("working_dir", UNSET)
        self.environments = take("environments", UNSET)
        value = take("summary", UNSET)
        self.summary = _models.SummaryRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> JobAlgorithmRequestDict: ...


class JobAlgorithmRequestDict(TypedDict, total=False):
    """`JobAlgorithmRequest` as a dict."""

    id: str
    name: str
    subscription_id: str
    item_version_id: str
    code_dir: str
    boot_file: str
    autosearch_config_path: str
    autosearch_framework_path: str
    command: str
    parameters: Sequence[_models.ParameterRequestDict]
    policies: _models.JobPoliciesRequestDict
    inputs: Sequence[_models.InputRequestDict]
    outputs: Sequence[_models.OutputRequestDict]
    engine: _models.JobEngineRequestDict
    local_code_dir: str
    working_dir: str
    environments: _models.EnvironmentsRequest
    summary: _models.SummaryRequestDict


class JobAlgorithmRequestInput(TypedDict, total=False):
    """`JobAlgorithmRequest` as a dict whose values are converted before they are sent."""

    id: str
    name: str
    subscription_id: str
    item_version_id: str
    code_dir: str
    boot_file: str
    autosearch_config_path: str
    autosearch_framework_path: str
    command: str
    parameters: Sequence[_models.ParameterRequestInput]
    policies: _models.JobPoliciesRequestDict
    inputs: Sequence[_models.InputRequestDict]
    outputs: Sequence[_models.OutputRequestDict]
    engine: _models.JobEngineRequestDict
    local_code_dir: str
    working_dir: str
    environments: Mapping[str, str | int | float | bool]
    summary: _models.SummaryRequestDict
