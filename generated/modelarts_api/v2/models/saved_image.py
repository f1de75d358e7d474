# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel
from modelarts_runtime.times import Instant


@attrs.define(kw_only=True, repr=False, eq=False)
class SavedImage(ResponseModel):
    """An image of a task, and how far it is."""

    status: str | None = attrs.field(default=None)
    """How far the image is. The job cannot be used while it is `CREATING`; an image that is `ACTIVE` can start jobs.
    Known values: INIT, CREATING, CREATE_FAILED, ACTIVE.
    """
    name: str | None = None
    """Repository in the image registry (SWR)."""
    namespace: str | None = None
    """Organisation of the image registry."""
    tag: str | None = None
    """Tag of the image."""
    description: str | None = None
    """Description of the image."""
    message: str | None = None
    """What the platform says about the image, step by step, such as `BuildImage,True,Commit
    successfully|PushImage,True,Push successfully`.
    """
    create_time: int | None = None
    """When the image was asked for, in milliseconds since 1970."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    created_at = Instant[datetime | None]("create_time", "ms")
    """`create_time` as a time with its zone."""

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.status = take("status", None)
        self.name = take("name", None)
        self.namespace = take("namespace", None)
        self.tag = take("tag", None)
        self.description = take("description", None)
        self.message = take("message", None)
        self.create_time = take("create_time", None)
        self.additional_properties = rest
        self._received = src_dict
        return self
