"""Tokens: what IAM issues and every other operation asks for.

A token is a signed statement, not a row: it stays valid over a restart because its key is kept with the state.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from modelarts_emulator.http.errors import Problem, ServiceError

__all__ = ["Grant", "Tokens"]

LIFETIME = 24 * 60 * 60
KEPT = 256  # tokens


@dataclass(frozen=True, slots=True)
class Grant:
    """What a valid token says: whose it is, for which project (None: the whole account), until when (Unix seconds)."""

    user_id: str
    project_id: str | None
    expires_at: float


class Tokens:
    """Issues and reads tokens; `lifetime` is in seconds (the service documents 24 hours)."""

    def __init__(self, key: bytes, clock: Callable[[], float], lifetime: float = LIFETIME) -> None:
        self._key = key
        self._clock = clock
        self._lifetime = lifetime
        # A client sends one token with thousands of requests.
        self._verified = lru_cache(KEPT)(self._verify)

    def issue(self, user_id: str, project_id: str | None) -> tuple[str, Grant]:
        """A new token and what it grants."""
        grant = Grant(user_id, project_id, self._clock() + self._lifetime)
        claims = json.dumps([grant.user_id, grant.project_id, grant.expires_at]).encode()
        return f"{_text(claims)}.{_text(self._mac(claims))}", grant

    def read(self, token: str) -> Grant:
        """What the token grants; raises ServiceError: NO_TOKEN, TOKEN_EXPIRED, or TOKEN_INVALID for any other text."""
        if not token:
            raise ServiceError(Problem.NO_TOKEN, "The request has no token.")
        grant = self._verified(token)
        if grant.expires_at <= self._clock():
            raise ServiceError(Problem.TOKEN_EXPIRED, "The token has expired.")
        return grant

    def _verify(self, token: str) -> Grant:
        claims, _, _ = token.partition(".")
        try:
            content = _bytes(claims)
            # The text is compared: several texts stand for the same bytes, and only one of them was issued.
            genuine = hmac.compare_digest(f"{_text(content)}.{_text(self._mac(content))}".encode(), token.encode())
        except ValueError:
            genuine = False
        if not genuine:
            raise ServiceError(Problem.TOKEN_INVALID, "The token cannot be parsed: this IAM did not issue it.")
        return Grant(*json.loads(content))

    def _mac(self, content: bytes) -> bytes:
        return hmac.digest(self._key, content, hashlib.sha256)


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
