"""Metrics in a log: the users' regular expressions applied to its lines."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

__all__ = ["match"]

CHUNK = 1 << 20
MAX_LINE = 8192
MAX_VALUE = 256


def match(path: str, offset: int, regexes: list[str], is_complete: bool) -> dict[str, Any]:
    """The metrics in the next megabyte of whole lines: `offset` behind it, and one row per line with a match.

    A row has one value per regular expression, None where it does not match; the last match in the line counts, of it
    the first group if there is one. The last line counts without its end only if the log `is_complete`.
    """
    try:
        with Path(path).open("rb") as stream:
            stream.seek(offset)
            data = stream.read(CHUNK)
            is_all = len(data) < CHUNK or not stream.read(1)
    except FileNotFoundError:
        return {"offset": offset, "rows": [], "is_all": True}
    end = data.rfind(b"\n") + 1
    if (is_complete and is_all) or (not end and len(data) == CHUNK):
        end = len(data)
    patterns = [re.compile(regex) for regex in regexes]
    rows = [_row(line, patterns) for line in data[:end].splitlines()]
    return {"offset": offset + end, "rows": [row for row in rows if any(row)], "is_all": is_all}


def _row(line: bytes, patterns: list[re.Pattern[str]]) -> list[str | None]:
    text = line[:MAX_LINE].decode("utf-8", "replace")
    return [_last(pattern, text) for pattern in patterns]


def _last(pattern: re.Pattern[str], text: str) -> str | None:
    values = [found.group(1 if pattern.groups else 0) for found in pattern.finditer(text)]
    return (values[-1] or "")[:MAX_VALUE] or None if values else None
