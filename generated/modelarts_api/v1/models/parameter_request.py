# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class ParameterRequest(Model):
    """A hyperparameter for the boot file. A custom image receives it as an environment variable."""

    label: str | Unset = UNSET
    """Name of the hyperparameter. The boot file receives it as `--label=value`."""
    value: bool | float | str | Unset = UNSET
    """Value of the hyperparameter; text is the safe choice."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.label = take("label", UNSET)
        self.value = take("value", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> ParameterRequestDict: ...


class ParameterRequestDict(TypedDict, total=False):
    """`ParameterRequest` as a dict."""

    label: str
    value: bool | float | str
