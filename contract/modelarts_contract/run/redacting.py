"""Credentials do not reach a report: neither in headers, nor anywhere else where their value stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from modelarts_contract.redaction import REDACTED

__all__ = ["Redactor"]

SECRET_HEADERS = re.compile(r"authorization|cookie|token|secret|password|signature|credential|key", re.IGNORECASE)
SHORTEST = 6  # characters; a shorter secret would be found in other words


class Redactor:
    """Replaces the secrets that it is given, wherever they stand in a text."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = sorted({secret for secret in secrets if len(secret) >= SHORTEST}, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, REDACTED)
        return text

    def message(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """A request or a response with its secret headers replaced."""
        headers = {
            name: REDACTED if SECRET_HEADERS.search(name) else self(value) for name, value in message["headers"].items()
        }
        texts = {name: self(value) for name, value in message.items() if isinstance(value, str)}
        return {**message, **texts, "headers": headers}
