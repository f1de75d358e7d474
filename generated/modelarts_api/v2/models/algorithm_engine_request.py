# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class AlgorithmEngineRequest(Model):
    """The engine, named by `engine_id`, by `engine_name` and `engine_version`, or by `image_url`."""

    engine_id: str | Unset = UNSET
    """A preset engine by its id."""
    engine_name: str | Unset = UNSET
    """Framework of a preset engine; left out where `engine_id` is given."""
    engine_version: str | Unset = UNSET
    """Version of the preset engine; left out where `engine_id` is given."""
    image_url: str | Unset = UNSET
    """SWR path of a custom image, as `organisation/name:tag`."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.engine_id = take("engine_id", UNSET)
        self.engine_name = take("engine_name", UNSET)
        self.engine_version = take("engine_version", UNSET)
        self.image_url = take("image_url", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> AlgorithmEngineRequestDict: ...


class AlgorithmEngineRequestDict(TypedDict, total=False):
    """`AlgorithmEngineRequest` as a dict."""

    engine_id: str
    engine_name: str
    engine_version: str
    image_url: str
