# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import Any, TypeAlias

MetricAttributes: TypeAlias = dict[str, Any]
"""Free members that describe figures, such as `class_name` and `class_id`."""
