# Generated from openapi by scripts/generate.py; do not edit.
"""What is secret in requests and responses, by its name: fields with `format: password`, and `shared/secrets.yaml`."""

from typing import Final

__all__ = ["NAMES", "SUSPICIOUS"]

NAMES: Final = (
    "accesskey",
    "apikey",
    "authorization",
    "cookie",
    "credential.access",
    "passcode",
    "password",
    "secret",
    "secretkey",
    "securitytoken",
    "token",
    "token.id",
)
"""Ends of names, in lower case and without separators; `token.id` is the member `id` of an object `token`."""

SUSPICIOUS: Final = "pass|pwd|secret|token|cred|sign|auth|access[-_]?key|.key$|(^|[-_])(ak|sk|pin|otp|access)$"
"""A pattern of parts of names whose values are probably secret, where nothing says what they are."""
