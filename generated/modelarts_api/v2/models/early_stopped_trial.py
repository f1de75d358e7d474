# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET


@attrs.define(kw_only=True, repr=False)
class EarlyStoppedTrial(Model):
    """The trial that is being stopped."""

    earlystop_trial: str
    """Id of the trial."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (("earlystop_trial", "earlystop_trial"),)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.earlystop_trial = take("earlystop_trial", UNSET)
        self.additional_properties = rest
        return self
