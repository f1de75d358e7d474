# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class ArtifactToPublishRequest(Model):
    """A model or checkpoint to publish."""

    is_ckpt: bool | Unset = UNSET
    """Whether it is a checkpoint."""
    artifact_id: str | Unset = UNSET
    """Id of the model or checkpoint."""
    asset_name: str | Unset = UNSET
    """Name of the asset; by default made of model, kind of training and time."""
    visibility: _models.ArtifactToPublishRequestVisibility | Unset = UNSET
    """Who sees it: the workspace (`current`) or everybody (`all`)."""
    description: str | Unset = UNSET
    """Description of the asset for readers."""
    publish_asset_type: str | Unset = UNSET
    """How it is published."""
    asset_source_type: str | Unset = UNSET
    """Where it comes from."""
    asset_code: str | Unset = UNSET
    """Code of the model."""
    asset_version: str | Unset = UNSET
    """Version of the model."""
    version_description: str | Unset = UNSET
    """What is new in the version."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.is_ckpt = take("is_ckpt", UNSET)
        self.artifact_id = take("artifact_id", UNSET)
        self.asset_name = take("asset_name", UNSET)
        self.visibility = take("visibility", UNSET)
        self.description = take("description", UNSET)
        self.publish_asset_type = take("publish_asset_type", UNSET)
        self.asset_source_type = take("asset_source_type", UNSET)
        self.asset_code = take("asset_code", UNSET)
        self.asset_version = take("asset_version", UNSET)
        self.version_description = take("version_description", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> ArtifactToPublishRequestDict: ...


class ArtifactToPublishRequestDict(TypedDict, total=False):
    """`ArtifactToPublishRequest` as a dict."""

    is_ckpt: bool
    artifact_id: str
    asset_name: str
    visibility: _models.ArtifactToPublishRequestVisibility
    description: str
    publish_asset_type: str
    asset_source_type: str
    asset_code: str
    asset_version: str
    version_description: str
