# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class SshTaskUrl(Model):
    """Address for logging in to a task."""

    task: str | None | Unset = UNSET
    """Name of the task."""
    url: str | None | Unset = UNSET
    """Address that an SSH client takes."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("task", "task"),
        ("url", "url"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.task = take("task", UNSET)
        self.url = take("url", UNSET)
        self.additional_properties = rest
        return self
