# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class ParameterRequest(Model):
    """A hyperparameter; the boot file receives it as `--name=value`."""

    name: str | Unset = UNSET
    """Name, unique within its list."""
    value: str | Unset = UNSET
    """Value as text, whatever its type."""
    description: str | Unset = UNSET
    """Description of the hyperparameter for readers."""
    constraint: _models.ParameterConstraintRequest | Unset = UNSET
    """What values the hyperparameter may take."""
    i18n_description: _models.I18NDescriptionRequest | Unset = UNSET
    """Explanation in a given language."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        self.value = take("value", UNSET)
        self.description = take("description", UNSET)
        value = take("constraint", UNSET)
        self.constraint = _models.ParameterConstraintRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("i18n_description", UNSET)
        self.i18n_description = _models.I18NDescriptionRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> ParameterRequestDict: ...


class ParameterRequestDict(TypedDict, total=False):
    """`ParameterRequest` as a dict."""

    name: str
    value: str
    description: str
    constraint: _models.ParameterConstraintRequestDict
    i18n_description: _models.I18NDescriptionRequestDict


class ParameterRequestInput(TypedDict, total=False):
    """`ParameterRequest` as a dict whose values are converted before they are sent."""

    name: str
    value: str | int | float | bool
    description: str
    constraint: _models.ParameterConstraintRequestDict
    i18n_description: _models.I18NDescriptionRequestDict
