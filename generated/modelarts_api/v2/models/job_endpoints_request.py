# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.ssh_request import SshRequest


@attrs.define(kw_only=True, repr=False)
class JobEndpointsRequest(Model):
    """Ways into the running container that are wanted."""

    ssh: SshRequest | Unset = UNSET
    """Login by SSH."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (("ssh", "ssh"),)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("ssh", UNSET)
        self.ssh = models.SshRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self
