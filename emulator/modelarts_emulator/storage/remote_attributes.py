"""What is kept with an object of a remote bucket beside its bytes, in the form in which its library keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modelarts_emulator.storage.protocol import DEFAULT_CONTENT_TYPE

__all__ = ["from_library", "to_library"]

_TYPE = "Content-Type"
_HEADERS = {name.lower(): name for name in ("Cache-Control", "Content-Disposition", "Content-Encoding")}
_HEADERS["content-language"] = "Content-Language"
"""The headers that the library keeps, by their names in lower case."""

_OTHER_HEADER = "emulator-header-"
"""Begins the names of metadata that are other headers."""


def to_library(
    content_type: str | None, metadata: Mapping[str, str] | None, headers: Mapping[str, str] | None
) -> dict[str, str]:
    """The library's attributes of an object: standard headers under their names, everything else as metadata."""
    kept = {_HEADERS.get(name, _OTHER_HEADER + name): value for name, value in (headers or {}).items()}
    return {**(metadata or {}), **kept, **({_TYPE: content_type} if content_type else {})}


def from_library(attributes: Mapping[Any, Any]) -> tuple[str, dict[str, str], dict[str, str]]:
    """Content type, metadata and headers of an object."""
    metadata = {str(name): str(value) for name, value in attributes.items()}
    content_type = metadata.pop(_TYPE, DEFAULT_CONTENT_TYPE)
    headers = {name: metadata.pop(kept) for name, kept in _HEADERS.items() if kept in metadata}
    others = [name for name in metadata if name.startswith(_OTHER_HEADER)]
    headers |= {name.removeprefix(_OTHER_HEADER): metadata.pop(name) for name in others}
    return content_type, metadata, headers
