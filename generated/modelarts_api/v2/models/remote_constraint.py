# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class RemoteConstraint(Model):
    """A kind of data that an input channel accepts."""

    data_type: str | None | Unset = UNSET
    """Where the data is kept: in object storage or as a dataset."""
    attributes: str | None | Unset = UNSET
    """Property of a dataset that is restricted.
    Known values: data_format, data_segmentation, dataset_type.
    """
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("data_type", "data_type"),
        ("attributes", "attributes"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.data_type = take("data_type", UNSET)
        self.attributes = take("attributes", UNSET)
        self.additional_properties = rest
        return self
