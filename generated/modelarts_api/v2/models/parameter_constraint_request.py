# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class ParameterConstraintRequest(Model):
    """Rules that the value of a hyperparameter must satisfy."""

    type_: str | Unset = UNSET
    """Data type of the value.
    Known values: String, Integer, Float, Boolean.
    """
    editable: bool | Unset = UNSET
    """Whether a job may choose a value other than the algorithm's."""
    required: bool | Unset = UNSET
    """Whether a value has to be given."""
    sensitive: bool | Unset = UNSET
    """Meant to hide the value; the service does nothing with it yet."""
    valid_type: str | Unset = UNSET
    """How `valid_range` limits the value; `None` sets no limit.
    Known values: None.
    """
    valid_range: list[str] | Unset = UNSET
    """Values, or lower and upper bound, that are allowed; empty where nothing is restricted."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    _names: ClassVar[Mapping[str, str]] = {
        "type_": "type",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.type_ = take("type", UNSET)
        self.editable = take("editable", UNSET)
        self.required = take("required", UNSET)
        self.sensitive = take("sensitive", UNSET)
        self.valid_type = take("valid_type", UNSET)
        self.valid_range = take("valid_range", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> ParameterConstraintRequestDict: ...


class ParameterConstraintRequestDict(TypedDict, total=False):
    """`ParameterConstraintRequest` as a dict."""

    type: str
    editable: bool
    required: bool
    sensitive: bool
    valid_type: str
    valid_range: list[str]
