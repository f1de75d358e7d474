# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET


@attrs.define(kw_only=True, repr=False)
class ParameterAnalysis(Model):
    """How much each hyperparameter mattered for the result of a search, as a table."""

    header: list[str]
    """Names of the columns."""
    data: list[list[None | str]]
    """One row per hyperparameter: its name, then mean and standard deviation of its importance in one text, such as
    `0.2443/0.3867`.
    """
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("header", "header"),
        ("data", "data"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.header = take("header", UNSET)
        self.data = take("data", UNSET)
        self.additional_properties = rest
        return self
