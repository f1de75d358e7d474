# Generated from scripts/templates/shared/modelarts_api/model.py by scripts/generate.py; do not edit.
"""What every model can do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from .types import UNSET

SECRETS = frozenset({"access_key", "passcode", "password", "secret", "secret_key"})  # by their names on the wire


class Model:
    """A JSON object with named members.

    Decoding loses nothing: members that no document names are in `additional_properties`, values of a kind that no
    document foresees are kept as they came, and `to_dict()` gives back what `from_dict()` was given.
    Absent (`UNSET`), null (`None`) and empty are three things.
    """

    __slots__ = ()

    additional_properties: dict[str, Any]

    _members: ClassVar[tuple[tuple[str, str], ...]] = ()  # attribute, name on the wire
    _secrets: ClassVar[frozenset[str]] = frozenset()  # attributes that repr() hides

    def to_dict(self) -> dict[str, Any]:
        """The object as it goes over the wire; nothing in it is shared with the model."""
        members = {}
        for attribute, name in self._members:
            value = getattr(self, attribute)
            if value is not UNSET:
                members[name] = plain(value)
        for name, value in self.additional_properties.items():
            members[name] = plain(value)
        return members

    def __repr__(self) -> str:
        members = []
        for attribute, name in self._members:
            value = getattr(self, attribute)
            if value is not UNSET:
                secret = attribute in self._secrets or name in SECRETS
                members.append(f"{attribute}={masked(value, secret=secret)!r}")
        if self.additional_properties:
            members.append(f"additional_properties={masked(self.additional_properties)!r}")
        return f"{type(self).__name__}({', '.join(members)})"


def masked(value: Any, *, secret: bool = False) -> Any:
    """The value as repr() may show it."""
    if isinstance(value, Mapping):
        return {name: masked(item, secret=name in SECRETS) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [masked(item, secret=secret) for item in value]
    return "***" if secret and isinstance(value, str) else value


def plain(value: Any) -> Any:
    """The value in terms of JSON: models become objects, at any depth."""
    if isinstance(value, Model):
        return value.to_dict()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    return value
