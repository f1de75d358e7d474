# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class QuotaRequest(Model):
    """A limit to set."""

    resource: _models.QuotaRequestResource
    """What is limited: jobs (`job-num`), visualization jobs (`visual-job-num`), whether records of old jobs are
    removed (`job-retention-enabled`), or an alarm about the quota (`job-num-quota-notify`).
    """
    quota: int
    """The limit. It is 0 or 1 for `job-retention-enabled`, 0 for `job-num-quota-notify`, and at least 1 for the
    others.
    """
    used: int | Unset = UNSET
    """What has been used so far."""
    extra_info: str | Unset = UNSET
    """For `job-num-quota-notify`, the URN of the topic of the notification service."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.resource = take("resource", UNSET)
        self.quota = take("quota", UNSET)
        self.used = take("used", UNSET)
        self.extra_info = take("extra_info", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> QuotaRequestDict: ...


class QuotaRequestDict(TypedDict, total=False):
    """`QuotaRequest` as a dict."""

    resource: Required[_models.QuotaRequestResource]
    quota: Required[int]
    used: int
    extra_info: str
