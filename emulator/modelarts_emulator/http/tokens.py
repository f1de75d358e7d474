"""Tokens: what IAM issues and other operations ask for.

A token is a signed statement, not a row: it stays valid over a restart because its key is kept with the state.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Container
from dataclasses import astuple, dataclass
from functools import lru_cache
from typing import Any

from modelarts_emulator.http.errors import Problem, ServiceError

PASSWORD: tuple[str, ...] = ("password",)
LIFETIME = 24 * 60 * 60


class SignedClaims:
    """Writes and reads claims; `purpose` keeps texts of one kind from being read as another."""

    def __init__(self, key: bytes, purpose: str = "") -> None:
        self._key = hmac.digest(key, purpose.encode(), hashlib.sha256) if purpose else key

    def write(self, claims: list[Any]) -> str:
        """Return a text of letters, digits, `-`, `_` and one dot."""
        content = json.dumps(claims).encode()
        return f"{_text(content)}.{_text(self._mac(content))}"

    def read(self, text: str) -> Any:
        """Return the claims that `write` made the text of; raises ValueError for any other text."""
        content = _bytes(text.partition(".")[0])
        # The text is compared: several texts stand for the same bytes, and only one of them was issued.
        if not hmac.compare_digest(f"{_text(content)}.{_text(self._mac(content))}".encode(), text.encode()):
            raise ValueError("the claims were not signed with this key")
        return json.loads(content)

    def _mac(self, content: bytes) -> bytes:
        return hmac.digest(self._key, content, hashlib.sha256)


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


@dataclass(frozen=True, slots=True)
class Grant:
    """What a valid token says: whose it is, for which project or account, until when (times in Unix seconds).

    Without a project and an account it can only be exchanged for another one.
    """

    user_id: str
    project_id: str | None
    expires_at: float
    domain_id: str | None = None
    issued_at: float = 0
    methods: tuple[str, ...] = PASSWORD


class Tokens:
    """Issues and reads tokens; `lifetime` is in seconds (the service documents 24 hours).

    `revoked` has the tokens that ended before their time.
    """

    def __init__(
        self, key: bytes, clock: Callable[[], float], lifetime: float = LIFETIME, revoked: Container[str] = ()
    ) -> None:
        self._claims = SignedClaims(key)
        self._read_claims = lru_cache(256)(self._claims.read)  # clients send one token with many requests
        self._clock = clock
        self._lifetime = lifetime
        self._revoked = revoked

    def issue(
        self, user_id: str, project_id: str | None, domain_id: str | None = None, source: Grant | None = None
    ) -> tuple[str, Grant]:
        """A new token and what it grants; one that is made of another token (`source`) ends when that one does."""
        now = self._clock()
        expires_at, methods = now + self._lifetime, PASSWORD
        if source is not None:
            expires_at, methods = source.expires_at, tuple(sorted({*source.methods, "token"}))
        grant = Grant(user_id, project_id, expires_at, domain_id, now, methods)
        return self._claims.write(list(astuple(grant))), grant

    def read(self, token: str) -> Grant:
        """What the token grants; raises ServiceError: NO_TOKEN, TOKEN_EXPIRED, or TOKEN_INVALID for any other text."""
        if not token:
            raise ServiceError(Problem.NO_TOKEN, "The request has no token.")
        try:
            user_id, project_id, expires_at, domain_id, issued_at, methods = self._read_claims(token)
        except ValueError:
            message = "The token cannot be parsed: this IAM did not issue it."
            raise ServiceError(Problem.TOKEN_INVALID, message) from None
        grant = Grant(user_id, project_id, expires_at, domain_id, issued_at, tuple(methods))
        if grant.expires_at <= self._clock():
            raise ServiceError(Problem.TOKEN_EXPIRED, "The token has expired.")
        if token in self._revoked:
            raise ServiceError(Problem.TOKEN_INVALID, "The token was revoked with DELETE /v3/auth/tokens.")
        return grant
