# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.engine_image import EngineImage
    from ..models.tag import Tag


@attrs.define(kw_only=True, repr=False)
class AlgorithmEngine(Model):
    """The engine that jobs of an algorithm run in."""

    engine_id: str | None | Unset = UNSET
    """Id of a preset engine."""
    engine_name: str | None | Unset = UNSET
    """Framework."""
    engine_version: str | None | Unset = UNSET
    """Version of the preset engine."""
    image_url: str | None | Unset = UNSET
    """Custom image, as `organisation/name:tag`."""
    tags: list[Tag] | None | Unset = UNSET
    """Marks of the engine."""
    v1_compatible: bool | None | Unset = UNSET
    """Whether the image lays out its folders as the first API version did."""
    run_user: str | None | Unset = UNSET
    """Numeric user id that the boot file runs under."""
    image_info: EngineImage | None | Unset = UNSET
    """The images behind the engine."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("engine_id", "engine_id"),
        ("engine_name", "engine_name"),
        ("engine_version", "engine_version"),
        ("image_url", "image_url"),
        ("tags", "tags"),
        ("v1_compatible", "v1_compatible"),
        ("run_user", "run_user"),
        ("image_info", "image_info"),
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
        value = take("tags", UNSET)
        self.tags = (
            [models.Tag.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.v1_compatible = take("v1_compatible", UNSET)
        self.run_user = take("run_user", UNSET)
        value = take("image_info", UNSET)
        self.image_info = models.EngineImage.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self
