# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import TypeAlias

FlavorAttributes: TypeAlias = dict[str, str | None]
"""More properties of a flavor by name. No example shows one."""
