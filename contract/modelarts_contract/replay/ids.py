"""What stands for the ids of a recording at the service that it is played on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from modelarts_contract.documents import Operation
from modelarts_contract.redaction import IDS

__all__ = ["Ids", "collection"]

DIGITS = re.compile(r"\d{1,19}")


class Ids:
    """What stands for recorded ids: UUIDs and hexadecimal ids everywhere, numbers by the collection that they count."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._numbers: dict[tuple[str, str, str], str] = {}

    def has(self, recorded: str) -> bool:
        return recorded.lower() in self._texts

    def knows(self, counted: str, name: str, value: str) -> bool:
        """Whether the value of a path parameter is not an id, or an id that was learned."""
        if IDS.fullmatch(value):
            return self.has(value)
        return not (name.endswith("_id") and DIGITS.fullmatch(value)) or (counted, name, value) in self._numbers

    def path(self, operation: Operation, values: Mapping[str, str]) -> dict[str, str]:
        counted = collection(operation)
        return {name: self._numbers.get((counted, name, value), self.text(value)) for name, value in values.items()}

    def text(self, recorded: str) -> str:
        return IDS.sub(lambda found: self._texts.get(found[0].lower(), found[0]), recorded)

    def value(self, recorded: Any) -> Any:
        if isinstance(recorded, dict):
            return {name: self.value(child) for name, child in recorded.items()}
        if isinstance(recorded, list):
            return [self.value(child) for child in recorded]
        return self.text(recorded) if isinstance(recorded, str) else recorded

    def learn(self, counted: str, recorded: Any, emulated: Any, name: str = "") -> None:
        """Take the ids at the same places of two responses; the first that stands for an id stays."""
        if isinstance(recorded, dict) and isinstance(emulated, dict):
            for key in recorded.keys() & emulated.keys():
                self.learn(counted, recorded[key], emulated[key], key)
        elif isinstance(recorded, list) and isinstance(emulated, list) and len(recorded) == len(emulated) == 1:
            self.learn(counted, recorded[0], emulated[0], name)
        elif isinstance(recorded, str) and isinstance(emulated, str) and IDS.fullmatch(recorded):
            self._texts.setdefault(recorded.lower(), emulated)
        elif name.endswith("_id") and type(recorded) is type(emulated) is int:
            self._numbers.setdefault((counted, name, str(recorded)), str(emulated))


def collection(operation: Operation) -> str:
    """The collection that the numbers of an operation's ids count, such as `v1/training-jobs`."""
    segments = operation.path.split("/")
    return "/".join(segment for segment in segments[1:4] if not segment.startswith("{"))
