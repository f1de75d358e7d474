# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class ParameterConstraint(ResponseModel):
    """Rules that the value of a hyperparameter must satisfy."""

    type_: str | None = None
    """Data type of the value.
    Known values: String, Integer, Float, Boolean.
    """
    editable: bool | None = None
    """Whether a job may choose a value other than the algorithm's."""
    required: bool | None = None
    """Whether a value has to be given."""
    sensitive: bool | None = None
    """Meant to hide the value; the service does nothing with it yet."""
    valid_type: str | None = None
    """How `valid_range` limits the value; `None` sets no limit.
    Known values: None.
    """
    valid_range: list[str] = attrs.field(factory=list)
    """Values, or lower and upper bound, that are allowed; empty where nothing is restricted."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    _names: ClassVar[Mapping[str, str]] = {
        "type_": "type",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.type_ = take("type", None)
        self.editable = take("editable", None)
        self.required = take("required", None)
        self.sensitive = take("sensitive", None)
        self.valid_type = take("valid_type", None)
        value = take("valid_range", None)
        self.valid_range = [] if value is None else value
        self.additional_properties = rest
        self._received = src_dict
        return self
