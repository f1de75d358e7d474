# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.environments import Environments
    from ..models.input_ import Input
    from ..models.job_engine import JobEngine
    from ..models.job_policies import JobPolicies
    from ..models.output import Output
    from ..models.parameter import Parameter
    from ..models.summary import Summary


@attrs.define(kw_only=True, repr=False)
class JobAlgorithm(Model):
    """What a job runs, completed from the stored algorithm."""

    id: str | None | Unset = UNSET
    """The stored algorithm; absent where the job brought its own code."""
    name: str | None | Unset = UNSET
    """Name of the stored algorithm."""
    subscription_id: str | None | Unset = UNSET
    """Subscription of an algorithm from the gallery."""
    item_version_id: str | None | Unset = UNSET
    """Version of the subscribed algorithm."""
    code_dir: str | None | Unset = UNSET
    """Folder with the code in object storage."""
    boot_file: str | None | Unset = UNSET
    """Python file that starts the training."""
    autosearch_config_path: str | None | Unset = UNSET
    """YAML file in object storage that configures an automatic search."""
    autosearch_framework_path: str | None | Unset = UNSET
    """Folder in object storage with the framework of an automatic search."""
    command: str | None | Unset = UNSET
    """Command line of a custom image."""
    parameters: list[Parameter] | None | Unset = UNSET
    """Hyperparameters with the values of this job."""
    parameters_customization: bool | None | Unset = UNSET
    """Whether jobs may add hyperparameters to the algorithm's."""
    policies: JobPolicies | None | Unset = UNSET
    """Search for hyperparameters; an empty object where there is none."""
    inputs: list[Input] | None | Unset = UNSET
    """Input channels."""
    outputs: list[Output] | None | Unset = UNSET
    """Output channels."""
    engine: JobEngine | None | Unset = UNSET
    """Framework or image."""
    local_code_dir: str | None | Unset = UNSET
    """Folder in the container that receives the code instead of the default one. It has to lie below `/home`, and has
    no effect in engines compatible with v1 or when `code_dir` starts with `file://`.
    """
    working_dir: str | None | Unset = UNSET
    """Folder in the container that the platform changes to before the start. No effect in engines compatible with v1."""
    environments: Environments | list[Environments] | None | Unset = UNSET
    """Environment variables of the job."""
    summary: Summary | None | Unset = UNSET
    """Logs for visualization tools."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("id", "id"),
        ("name", "name"),
        ("subscription_id", "subscription_id"),
        ("item_version_id", "item_version_id"),
        ("code_dir", "code_dir"),
        ("boot_file", "boot_file"),
        ("autosearch_config_path", "autosearch_config_path"),
        ("autosearch_framework_path", "autosearch_framework_path"),
        ("command", "command"),
        ("parameters", "parameters"),
        ("parameters_customization", "parameters_customization"),
        ("policies", "policies"),
        ("inputs", "inputs"),
        ("outputs", "outputs"),
        ("engine", "engine"),
        ("local_code_dir", "local_code_dir"),
        ("working_dir", "working_dir"),
        ("environments", "environments"),
        ("summary", "summary"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
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
            [models.Parameter.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.parameters_customization = take("parameters_customization", UNSET)
        value = take("policies", UNSET)
        self.policies = models.JobPolicies.from_dict(value) if isinstance(value, dict) else value
        value = take("inputs", UNSET)
        self.inputs = (
            [models.Input.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("outputs", UNSET)
        self.outputs = (
            [models.Output.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("engine", UNSET)
        self.engine = models.JobEngine.from_dict(value) if isinstance(value, dict) else value
        self.local_code_dir = take("local_code_dir", UNSET)
        self.working_dir = take("working_dir", UNSET)
        value = take("environments", UNSET)
        self.environments = (
            models.Environments.from_dict(value)
            if isinstance(value, dict)
            else [models.Environments.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("summary", UNSET)
        self.summary = models.Summary.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self
