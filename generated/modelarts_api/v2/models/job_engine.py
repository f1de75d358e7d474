# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.tag import Tag


@attrs.define(kw_only=True, repr=False)
class JobEngine(Model):
    """The engine that a job runs in."""

    engine_id: str | None | Unset = UNSET
    """Id of a preset engine."""
    engine_name: str | None | Unset = UNSET
    """Framework."""
    engine_version: str | None | Unset = UNSET
    """Version of the preset engine."""
    image_url: str | None | Unset = UNSET
    """Custom image, as `organisation/name:tag`."""
    install_sys_packages: bool | None | Unset = UNSET
    """Whether the platform puts its MoXing into a custom image."""
    usage: str | None | Unset = UNSET
    """What the engine is for.
    Known values: training.
    """
    support_groups: str | None | Unset = UNSET
    """Who may use the engine.
    Known values: public.
    """
    tags: list[Tag] | None | Unset = UNSET
    """Marks of the engine."""
    v1_compatible: bool | None | Unset = UNSET
    """Whether the image lays out its folders as the first API version did."""
    run_user: str | None | Unset = UNSET
    """Numeric user id that the boot file runs under."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("engine_id", "engine_id"),
        ("engine_name", "engine_name"),
        ("engine_version", "engine_version"),
        ("image_url", "image_url"),
        ("install_sys_packages", "install_sys_packages"),
        ("usage", "usage"),
        ("support_groups", "support_groups"),
        ("tags", "tags"),
        ("v1_compatible", "v1_compatible"),
        ("run_user", "run_user"),
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
        self.image_url = take("image_url", UNSET)
        self.install_sys_packages = take("install_sys_packages", UNSET)
        self.usage = take("usage", UNSET)
        self.support_groups = take("support_groups", UNSET)
        value = take("tags", UNSET)
        self.tags = (
            [models.Tag.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.v1_compatible = take("v1_compatible", UNSET)
        self.run_user = take("run_user", UNSET)
        self.additional_properties = rest
        return self
