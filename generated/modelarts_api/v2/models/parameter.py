# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Parameter(ResponseModel):
    """A hyperparameter; the boot file receives it as `--name=value`."""

    name: str = attrs.field(default=None)
    """Name, unique within its list."""
    value: str | None = None
    """Value as text, whatever its type."""
    description: str | None = None
    """Description of the hyperparameter for readers."""
    constraint: _models.ParameterConstraint | None = None
    """What values the hyperparameter may take."""
    i18n_description: _models.I18NDescription | None = None
    """Explanation in a given language."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", None)
        self.value = take("value", None)
        self.description = take("description", None)
        value = take("constraint", None)
        self.constraint = _models.ParameterConstraint.from_dict(value) if isinstance(value, dict) else value
        value = take("i18n_description", None)
        self.i18n_description = _models.I18NDescription.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self
