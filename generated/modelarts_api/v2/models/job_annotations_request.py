# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs

from ...model import Model


@attrs.define(kw_only=True, repr=False)
class JobAnnotationsRequest(Model):
    """Advanced functions, switched by texts: `job_template` names a template (`Template RL` for tasks of different
    kinds), `fault-tolerance/job-retry-num` counts restarts after a fault (`1` to `3`), `fault-tolerance/job-
    unconditional-retry` and `fault-tolerance/hang-retry` are `true` to restart after any end or after a hang, and
    the keys that end in `/enable` are `true` to start that tool beside the job.
    """

    additional_properties: dict[str, str] = attrs.field(init=False, factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        self.additional_properties = rest
        return self
