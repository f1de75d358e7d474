# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import TypeAlias

Environments: TypeAlias = dict[str, str | None]
"""Environment variables of the container, by name."""
