# Generated from overlays/modelarts_runtime/types.py by scripts/generate.py; do not edit.
"""What models and operations share: the mark of an absent member, and a response with its status and headers."""

from modelarts_runtime.types import UNSET, OffsetUnit, Response, Unset

__all__ = ["UNSET", "OffsetUnit", "Response", "Unset"]
