# Generated from openapi/v1 by scripts/generate.py; do not edit.
"""The training service, version 1: training jobs in versions, stored settings, visualization jobs."""

from __future__ import annotations

from .api import Api, AsyncApi

__all__ = ["Api", "AsyncApi"]
