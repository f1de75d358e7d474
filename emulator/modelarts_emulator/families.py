"""The API families: one line per document."""

from __future__ import annotations

from modelarts_emulator.http.family import ApiFamily
from modelarts_emulator.iam import family as iam
from modelarts_emulator.v1 import family as v1
from modelarts_emulator.v2 import family as v2

__all__ = ["FAMILIES"]

FAMILIES: tuple[ApiFamily, ...] = (iam.FAMILY, v1.FAMILY, v2.FAMILY)
