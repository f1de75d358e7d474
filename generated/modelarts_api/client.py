# Generated from overlays/modelarts_runtime/client.py by scripts/generate.py; do not edit.
"""The connection that operations use."""

from modelarts_runtime.client import Call, Client

__all__ = ["Call", "Client"]
