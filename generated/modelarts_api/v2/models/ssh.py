# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Ssh(ResponseModel):
    """SSH access to the tasks of a job."""

    key_pair_names: list[str] = attrs.field(factory=list)
    """Key pairs whose owners may log in."""
    task_urls: list[_models.SshTaskUrl] = attrs.field(factory=list)
    """SSH address of each task."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("key_pair_names", None)
        self.key_pair_names = [] if value is None else value
        value = take("task_urls", None)
        self.task_urls = (
            [_models.SshTaskUrl.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self
