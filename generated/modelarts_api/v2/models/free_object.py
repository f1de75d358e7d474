# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import Any, TypeAlias

FreeObject: TypeAlias = dict[str, Any]
"""An object whose members are not documented."""
