# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class MetricValues(Model):
    """Figures between 0 and 1."""

    recall: float | None | Unset = UNSET
    """Share of the true cases that were found."""
    precision: float | None | Unset = UNSET
    """Share of the found cases that are true."""
    accuracy: float | None | Unset = UNSET
    """Share of right answers."""
    f1_score: float | None | Unset = UNSET
    """Harmonic mean of precision and recall."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("recall", "recall"),
        ("precision", "precision"),
        ("accuracy", "accuracy"),
        ("f1_score", "f1_score"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.recall = take("recall", UNSET)
        self.precision = take("precision", UNSET)
        self.accuracy = take("accuracy", UNSET)
        self.f1_score = take("f1_score", UNSET)
        self.additional_properties = rest
        return self
