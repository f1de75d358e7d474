# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class JobEngineRequest(Model):
    """The engine of a job, named by `engine_id`, by `engine_name` and `engine_version`, or by `image_url`."""

    engine_id: str | Unset = UNSET
    """A preset engine by its id."""
    engine_name: str | Unset = UNSET
    """Framework of a preset engine; with `image_url` it names the framework that the custom image is built on."""
    engine_version: str | Unset = UNSET
    """Version of the preset engine."""
    image_url: str | Unset = UNSET
    """Custom image in the image registry, as `organisation/name:tag`."""
    install_sys_packages: bool | Unset = UNSET
    """Whether the platform puts its MoXing into a custom image. It counts only when name, version and image are all
    given.
    """
    image_repo_id: str | Unset = UNSET
    """Id of an instance of the enterprise image registry, for images that are there."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.engine_id = take("engine_id", UNSET)
        self.engine_name = take("engine_name", UNSET)
        self.engine_version = take("engine_version", UNSET)
        self.image_url = take("image_url", UNSET)
        self.install_sys_packages = take("install_sys_packages", UNSET)
        self.image_repo_id = take("image_repo_id", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> JobEngineRequestDict: ...


class JobEngineRequestDict(TypedDict, total=False):
    """`JobEngineRequest` as a dict."""

    engine_id: str
    engine_name: str
    engine_version: str
    image_url: str
    install_sys_packages: bool
    image_repo_id: str
