# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class TrialTable(ResponseModel):
    """Trials as a table. Columns differ in number and order between responses, so look them up in `header`; the
    metrics that the search observes are columns of their own.
    """

    header: list[str] = attrs.field(factory=list)
    """Names of the columns, such as `trial_id`, `config`, `status`, `done`, `reward_attr` and `best_reward`. The name
    of the column that counts the rows is empty.
    """
    data: list[list[Any]] = attrs.field(factory=list)
    """Rows, each with one cell per column."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("header", None)
        self.header = [] if value is None else value
        value = take("data", None)
        self.data = [] if value is None else value
        self.additional_properties = rest
        self._received = src_dict
        return self
