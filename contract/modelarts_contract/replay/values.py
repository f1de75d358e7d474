"""JSON in the bodies of a recording: values, and the texts in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

__all__ = ["json_of", "named_texts", "texts"]


def json_of(body: bytes) -> Any:
    """The JSON value; None for anything else."""
    try:
        return json.loads(body)
    except ValueError:
        return None


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from texts(child)


def named_texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The texts with the name of the field that they are in, also in a list."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for key, child in value.items():
            yield from named_texts(child, key)
    elif isinstance(value, list):
        for child in value:
            yield from named_texts(child, name)
