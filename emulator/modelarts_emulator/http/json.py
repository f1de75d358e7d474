"""JSON as it is sent: text that was made once and is passed on as it is, where making it again would cost most."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

__all__ = ["Encoded", "Flow", "array", "compose", "encode", "flow", "members"]


COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Encoded(str):
    """JSON text that is ready to be sent."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Flow:
    """JSON text that is long, and is made while it is sent: other calls are answered between two of its pieces."""

    pieces: Iterator[str]


def encode(value: Any) -> Encoded:
    """The value as compact JSON."""
    try:
        return Encoded(orjson.dumps(value, _plain, orjson.OPT_PASSTHROUGH_SUBCLASS).decode())
    except TypeError:  # it holds a whole number of more than 64 bits
        return Encoded(COMPACT.encode(value))


def members(value: Mapping[str, Any]) -> str:
    """The members of an object without the braces around them, to be put together with others."""
    return encode(value)[1:-1]


def compose(*parts: str) -> Encoded:
    """An object of the members in all parts, each the result of `members` for an object that is not empty."""
    return Encoded(f"{{{','.join(parts)}}}")


def array(items: Iterable[Encoded]) -> Encoded:
    """An array of values that are JSON text already."""
    return Encoded(f"[{','.join(items)}]")


def flow(name: str, texts: Iterable[str], others: Mapping[str, Any]) -> Flow:
    """An object that begins with a member whose value is the texts, one behind the other, and has others."""

    def pieces() -> Iterator[str]:
        yield f'{{{encode(name)}:"'
        yield from (encode(text)[1:-1] for text in texts)
        yield f'",{members(others)}}}'

    return Flow(pieces())


def _plain(value: Any) -> Any:
    """The dict that a mapping of another class stands for, which may want to know that it is read."""
    return dict(value.items())
