# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class TrainingJobConfigSummary(Model):
    """A configuration in a list."""

    config_name: str
    """Name of the configuration."""
    config_desc: str | None | Unset = UNSET
    """Explanation for people."""
    create_time: int | None | Unset = UNSET
    """When the configuration was created, in milliseconds since 1970."""
    engine_type: int | str | None | Unset = UNSET
    """Family of the engine."""
    engine_name: str | None | Unset = UNSET
    """Name of the engine."""
    engine_id: int | None | Unset = UNSET
    """Id of the engine."""
    engine_version: str | None | Unset = UNSET
    """Version of the engine."""
    user_image_url: str | None | Unset = UNSET
    """Own container image."""
    user_command: str | None | Unset = UNSET
    """Command line of the own image."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("config_name", "config_name"),
        ("config_desc", "config_desc"),
        ("create_time", "create_time"),
        ("engine_type", "engine_type"),
        ("engine_name", "engine_name"),
        ("engine_id", "engine_id"),
        ("engine_version", "engine_version"),
        ("user_image_url", "user_image_url"),
        ("user_command", "user_command"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.config_name = take("config_name", UNSET)
        self.config_desc = take("config_desc", UNSET)
        self.create_time = take("create_time", UNSET)
        self.engine_type = take("engine_type", UNSET)
        self.engine_name = take("engine_name", UNSET)
        self.engine_id = take("engine_id", UNSET)
        self.engine_version = take("engine_version", UNSET)
        self.user_image_url = take("user_image_url", UNSET)
        self.user_command = take("user_command", UNSET)
        self.additional_properties = rest
        return self
