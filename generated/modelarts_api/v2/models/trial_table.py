# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET


@attrs.define(kw_only=True, repr=False)
class TrialTable(Model):
    """Trials as a table. Columns differ in number and order between answers, so look them up in `header`; the metrics
    that the search observes are columns of their own.
    """

    header: list[str]
    """Names of the columns, such as `trial_id`, `config`, `status`, `done`, `reward_attr` and `best_reward`. The name
    of the column that counts the rows is empty.
    """
    data: list[list[Any]]
    """Rows, each with one cell per column."""
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
