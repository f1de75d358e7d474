"""What every model can do."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from modelarts_runtime.types import UNSET, plain

_OWN = frozenset({"additional_properties", "_received"})


class Model:
    """A JSON object with named fields.

    Decoding loses nothing: fields that no document names are in `additional_properties`, values of a kind that no
    document foresees are kept as they came, and `to_dict()` gives back what `from_dict()` was given.
    In a response an absent or null field is None, and an absent or null list or map is empty; what came is remembered
    for `to_dict()`.
    In a request absent (`UNSET`), null (`None`) and empty are three things.

    Models with the same fields are equal. They are hashed by identity, so that a set keeps equal ones apart.
    """

    __slots__ = ()

    additional_properties: dict[str, Any]

    _received: Mapping[str, Any] | None = None  # the object that a response was decoded from; None for requests
    _names: ClassVar[Mapping[str, str]] = {}  # on the wire, by attribute, where they differ
    _secrets: ClassVar[frozenset[str]] = frozenset()  # attributes that repr() hides, whatever their names

    def to_dict(self) -> Mapping[str, Any]:
        """The object as it goes over the wire; nothing in it is shared with the model."""
        received = self._received
        fields = {}
        for attribute, name in _fields(self):
            value = getattr(self, attribute)
            if value is UNSET:
                continue
            if received is not None and (value is None or (not value and isinstance(value, list | dict))):
                if name not in received:
                    continue
                value = None if received[name] is None else value
            fields[name] = plain(value)
        for name, value in self.additional_properties.items():
            fields[name] = plain(value)
        return fields

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model) or type(other) is not type(self):
            return NotImplemented
        return self.additional_properties == other.additional_properties and all(
            getattr(self, attribute) == getattr(other, attribute) for attribute, _ in _fields(self)
        )

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        from modelarts_documents.secrets import HIDDEN, hidden

        fields = []
        for attribute, name in _fields(self):
            value = getattr(self, attribute)
            is_empty = value is None or (not value and isinstance(value, list | dict))
            if value is not UNSET and not (is_empty and self._received is not None and name not in self._received):
                is_secret = attribute in self._secrets and isinstance(value, str)
                fields.append(f"{attribute}={(HIDDEN if is_secret else hidden(value, name))!r}")
        if self.additional_properties:
            fields.append(f"additional_properties={hidden(self.additional_properties)!r}")
        return f"{type(self).__name__}({', '.join(fields)})"


class ResponseModel(Model):
    """A JSON object of a response."""

    __slots__ = ()

    if TYPE_CHECKING:

        def to_dict(self) -> dict[str, Any]: ...


def _fields(model: Model) -> tuple[tuple[str, str], ...]:
    kind: Any = type(model)
    return attributes_of(kind)


@cache
def attributes_of(kind: Any) -> tuple[tuple[str, str], ...]:
    """The attributes of the fields of a kind of model, with their names on the wire."""
    names = (attribute.name for attribute in kind.__attrs_attrs__ if attribute.name not in _OWN)
    return tuple((name, kind._names.get(name, name)) for name in names)
