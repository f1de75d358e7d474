# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import Any, TypeAlias

MetricAttributes: TypeAlias = dict[str, Any]
"""Data about evaluation results by name, such as `class_name` and `class_id`."""
