# Generated from openapi/iam by scripts/generate.py; do not edit.
"""The identity service: tokens and projects."""

from __future__ import annotations

from .api import Api, AsyncApi

__all__ = ["Api", "AsyncApi"]
