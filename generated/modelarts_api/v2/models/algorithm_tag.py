# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import TypeAlias

AlgorithmTag: TypeAlias = dict[str, str | None]
"""Labels of an algorithm by name."""
