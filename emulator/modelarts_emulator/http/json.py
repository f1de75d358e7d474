"""JSON as it is sent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

__all__ = ["Encoded", "Flow", "encode", "flow"]


COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Encoded(str):
    """JSON text that is ready to be sent."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Flow:
    """JSON text that is long, and is made while it is sent: other calls are served between two of its pieces."""

    pieces: Iterator[str]


def encode(value: Any) -> Encoded:
    """The value as compact JSON."""
    try:
        return Encoded(orjson.dumps(value).decode())
    except TypeError:  # it holds a whole number of more than 64 bits
        return Encoded(COMPACT.encode(value))


def flow(name: str, texts: Iterable[str], others: Mapping[str, Any]) -> Flow:
    """An object that begins with a member whose value is the texts, one behind the other, and has others."""

    def pieces() -> Iterator[str]:
        yield f'{{{encode(name)}:"'
        yield from (encode(text)[1:-1] for text in texts)
        yield f'",{encode(others)[1:-1]}}}'

    return Flow(pieces())
