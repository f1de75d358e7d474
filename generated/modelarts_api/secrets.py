# Generated from openapi by scripts/generate.py; do not edit.
"""What is secret in requests and responses, by its name, and how texts are shown without it."""

from modelarts_openapi.secrets import (
    HIDDEN,
    NAMES,
    SUSPICIOUS,
    hidden,
    is_secret,
    is_suspicious,
    secrets_in,
    unquoted,
    without_parameters,
    without_secrets,
)

__all__ = [
    "HIDDEN",
    "NAMES",
    "SUSPICIOUS",
    "hidden",
    "is_secret",
    "is_suspicious",
    "secrets_in",
    "unquoted",
    "without_parameters",
    "without_secrets",
]
