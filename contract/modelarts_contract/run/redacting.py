"""Credentials do not reach a report: neither in headers, nor anywhere else where their value stands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from modelarts_contract.redaction import REDACTED

from .service import Service

__all__ = ["Redactor"]

SECRET_HEADERS = re.compile(r"authorization|cookie|token|secret|password|signature|credential|key", re.IGNORECASE)
SHORTEST = 6  # characters; a shorter secret would be found in other words


class Redactor:
    """Replaces the secrets of a service, wherever they stand in a text, and the guard's addresses by the service's."""

    def __init__(self, service: Service) -> None:
        found = {secret for secret in service.secrets() if len(secret) >= SHORTEST}
        self._replaced = dict.fromkeys(sorted(found, key=len, reverse=True), REDACTED) | service.addresses()

    def __call__(self, text: str) -> str:
        for secret, replacement in self._replaced.items():
            text = text.replace(secret, replacement)
        return text

    def message(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """A request or a response with its secret headers replaced."""
        headers = {
            name: REDACTED if SECRET_HEADERS.search(name) else self(value) for name, value in message["headers"].items()
        }
        texts = {name: self(value) for name, value in message.items() if isinstance(value, str)}
        return {**message, **texts, "headers": headers}
