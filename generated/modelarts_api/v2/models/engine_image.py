# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class EngineImage(Model):
    """Container images of an engine."""

    cpu_image_url: str | None | Unset = UNSET
    """Image for nodes without accelerator, as `organisation/name:tag`; empty where there is none."""
    gpu_image_url: str | None | Unset = UNSET
    """Image for nodes with an accelerator; empty where there is none."""
    image_version: str | None | Unset = UNSET
    """Build of the images."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("cpu_image_url", "cpu_image_url"),
        ("gpu_image_url", "gpu_image_url"),
        ("image_version", "image_version"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.cpu_image_url = take("cpu_image_url", UNSET)
        self.gpu_image_url = take("gpu_image_url", UNSET)
        self.image_version = take("image_version", UNSET)
        self.additional_properties = rest
        return self
