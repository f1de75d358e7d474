# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class PublishArtifactsRequest(Model):
    """Models and checkpoints to publish."""

    workspace_id: str | Unset = UNSET
    """Workspace that they are published in."""
    publish_artifacts: Sequence[_models.ArtifactToPublishRequest] | Unset = UNSET
    """The models and checkpoints."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.workspace_id = take("workspace_id", UNSET)
        value = take("publish_artifacts", UNSET)
        self.publish_artifacts = (
            [_models.ArtifactToPublishRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> PublishArtifactsRequestDict: ...


class PublishArtifactsRequestDict(TypedDict, total=False):
    """`PublishArtifactsRequest` as a dict."""

    workspace_id: str
    publish_artifacts: Sequence[_models.ArtifactToPublishRequestDict]
