# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import TypeAlias

RegionLocales: TypeAlias = dict[str, str]
"""Names of the region, by language.
Known keys: en-us, pt-br, es-us, es-es.
"""
