# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET
from .. import models

if TYPE_CHECKING:
    from ..models.yaml_template import YamlTemplate


@attrs.define(kw_only=True, repr=False)
class YamlTemplateList(Model):
    """The templates for searches that a YAML file describes, all in one answer: there is no paging."""

    yaml_templates: list[YamlTemplate]
    """One entry per purpose."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (("yaml_templates", "yaml_templates"),)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("yaml_templates", UNSET)
        self.yaml_templates = (
            [models.YamlTemplate.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self
