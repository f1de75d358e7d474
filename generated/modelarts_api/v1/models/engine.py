# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class Engine(Model):
    """A framework in one version."""

    engine_id: int
    """Id of the engine: the `engine_id` of a job."""
    engine_type: int | None | Unset = UNSET
    """Family of the engine."""
    engine_name: str | None | Unset = UNSET
    """Name of the engine, such as `TensorFlow`."""
    engine_version: str | None | Unset = UNSET
    """Version of the engine with that of Python, such as `TF-1.8.0-python3.6`."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("engine_id", "engine_id"),
        ("engine_type", "engine_type"),
        ("engine_name", "engine_name"),
        ("engine_version", "engine_version"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.engine_id = take("engine_id", UNSET)
        self.engine_type = take("engine_type", UNSET)
        self.engine_name = take("engine_name", UNSET)
        self.engine_version = take("engine_version", UNSET)
        self.additional_properties = rest
        return self
