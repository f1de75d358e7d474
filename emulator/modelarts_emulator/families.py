"""The API families: one line per document."""

from __future__ import annotations

from modelarts_emulator.http.family import ApiFamily
from modelarts_emulator.iam import handlers as iam
from modelarts_emulator.v1 import handlers as v1
from modelarts_emulator.v2 import handlers as v2

__all__ = ["FAMILIES", "SERVED"]

FAMILIES: tuple[ApiFamily, ...] = (iam.FAMILY, v1.FAMILY, v2.FAMILY)

SERVED = tuple(family.name for family in FAMILIES if not family.not_emulated)
"""The documents of which the emulator offers all operations."""
