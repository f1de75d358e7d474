# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import Literal

IdentityRequestMethodsItem = Literal[
    "password",
    "token",
]
