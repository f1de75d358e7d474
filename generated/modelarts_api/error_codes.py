# Generated from openapi by scripts/generate.py; do not edit.
"""What the codes of the service mean, after its page "Error Codes": `MEANINGS[error.error_code]`."""

from __future__ import annotations

from typing import Final

from modelarts_openapi.error_codes import ERROR_CODES

__all__ = ["MEANINGS"]

MEANINGS: Final = {code: fact.meaning for code, fact in ERROR_CODES.items()}
