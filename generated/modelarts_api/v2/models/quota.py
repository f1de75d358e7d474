# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class Quota(ResponseModel):
    """A limit, and what has been used of it."""

    resource: str | None = None
    """What is limited: jobs (`job-num`), visualization jobs (`visual-job-num`), whether records of old jobs are
    removed (`job-retention-enabled`), or an alarm about the quota (`job-num-quota-notify`).
    Known values: job-num, visual-job-num, job-retention-enabled, job-num-quota-notify.
    """
    quota: int | None = None
    """The limit. It is 0 or 1 for `job-retention-enabled`, 0 for `job-num-quota-notify`, and at least 1 for the
    others.
    """
    used: int | None = None
    """What has been used so far."""
    extra_info: str | None = None
    """For `job-num-quota-notify`, the URN of the topic of the notification service."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.resource = take("resource", None)
        self.quota = take("quota", None)
        self.used = take("used", None)
        self.extra_info = take("extra_info", None)
        self.additional_properties = rest
        self._received = src_dict
        return self
