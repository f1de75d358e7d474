# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import TypeAlias

JobAnnotationChangeRequest: TypeAlias = dict[str, str]
"""Advanced functions, switched by texts: `jupyter-lab/enable` is the documented one.
Known keys: jupyter-lab/enable.
"""
