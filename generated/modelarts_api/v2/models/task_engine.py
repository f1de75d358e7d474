# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class TaskEngine(Model):
    """The engine of a task in a mixed job."""

    engine_id: str | None | Unset = UNSET
    """Id of a preset engine."""
    engine_name: str | None | Unset = UNSET
    """Framework."""
    engine_version: str | None | Unset = UNSET
    """Version of the preset engine."""
    v1_compatible: bool | None | Unset = UNSET
    """Whether the image lays out its folders as the first API version did."""
    run_user: str | None | Unset = UNSET
    """Numeric user id that the boot file runs under."""
    image_url: str | None | Unset = UNSET
    """Custom image, as `organisation/name:tag`."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("engine_id", "engine_id"),
        ("engine_name", "engine_name"),
        ("engine_version", "engine_version"),
        ("v1_compatible", "v1_compatible"),
        ("run_user", "run_user"),
        ("image_url", "image_url"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.engine_id = take("engine_id", UNSET)
        self.engine_name = take("engine_name", UNSET)
        self.engine_version = take("engine_version", UNSET)
        self.v1_compatible = take("v1_compatible", UNSET)
        self.run_user = take("run_user", UNSET)
        self.image_url = take("image_url", UNSET)
        self.additional_properties = rest
        return self
