# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import TypeAlias

EnvironmentsRequest: TypeAlias = dict[str, str]
"""Environment variables, at most 100, which may also replace those that the platform sets. Names consist of
letters, digits and `_` and do not start with a digit; nothing may contain `$`.
"""
