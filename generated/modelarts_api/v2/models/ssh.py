# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.ssh_task_url import SshTaskUrl


@attrs.define(kw_only=True, repr=False)
class Ssh(Model):
    """Login by SSH."""

    key_pair_names: list[str] | None | Unset = UNSET
    """Key pairs whose owners may log in."""
    task_urls: list[SshTaskUrl] | None | Unset = UNSET
    """Address of each task."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("key_pair_names", "key_pair_names"),
        ("task_urls", "task_urls"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.key_pair_names = take("key_pair_names", UNSET)
        value = take("task_urls", UNSET)
        self.task_urls = (
            [models.SshTaskUrl.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self
