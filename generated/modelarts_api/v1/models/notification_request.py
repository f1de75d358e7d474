# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class NotificationRequest(Model):
    """Notifications about the events of a job."""

    topic_urn: str | Unset = UNSET
    """Topic of the message service; empty for none."""
    events: list[str] | Unset = UNSET
    """Events that cause a message; the values are not documented."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.topic_urn = take("topic_urn", UNSET)
        self.events = take("events", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> NotificationRequestDict: ...


class NotificationRequestDict(TypedDict, total=False):
    """`NotificationRequest` as a dict."""

    topic_urn: str
    events: list[str]
