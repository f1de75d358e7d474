"""Pages of lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modelarts_emulator.engine.database import MAX_NUMBER

__all__ = ["DEFAULT_PER_PAGE", "read_page"]

DEFAULT_PER_PAGE = 10


def read_page(query: Mapping[str, Any]) -> tuple[int, int]:
    """How many entries come before the page, and how many the page has at most; `page` counts from 1."""
    limit = query.get("per_page", DEFAULT_PER_PAGE)
    return min((query.get("page", 1) - 1) * limit, MAX_NUMBER), limit
