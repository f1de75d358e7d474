# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import TypeAlias

JobAnnotations: TypeAlias = dict[str, str | None]
"""Advanced functions and notes of the service, as texts by name."""
