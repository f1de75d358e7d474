# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import Any, TypeAlias

ShareInfo: TypeAlias = dict[str, Any]
"""With whom an algorithm is shared. Its members are not documented."""
