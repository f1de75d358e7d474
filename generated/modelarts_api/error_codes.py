# Generated from overlays/modelarts_runtime/error_codes.py by scripts/generate.py; do not edit.
"""What the codes of the service mean, after its page "Error Codes": `MEANINGS[error.error_code]`."""

from modelarts_runtime.error_codes import MEANINGS

__all__ = ["MEANINGS"]
