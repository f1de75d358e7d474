# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""The training service, version 2: algorithms, training jobs, their logs and metrics."""

from __future__ import annotations

from .api import Api, AsyncApi

__all__ = ["Api", "AsyncApi"]
