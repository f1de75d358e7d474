"""Version 1 of ModelArts, which the emulator does not serve yet."""

from __future__ import annotations

from modelarts_emulator.http.family import ApiFamily
from modelarts_emulator.v1.errors import V1Errors

__all__ = ["FAMILY"]

FAMILY = ApiFamily("v1", {}, V1Errors(), lacking="version 1 of the API")
