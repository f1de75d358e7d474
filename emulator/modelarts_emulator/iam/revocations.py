"""Revoked tokens, kept in the database until they would have expired anyway."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from sqlalchemy import delete, insert, select

from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.tables import revoked_tokens

__all__ = ["Revocations"]


class Revocations:
    """The tokens that were revoked, as a container; only their hashes are kept. `clock` is in seconds since 1970."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock
        self._digests: set[str] = set()
        self.reload()

    def reload(self) -> None:
        """Read which tokens other processes have revoked."""
        with self._database.reading() as connection:
            self._digests |= set(connection.execute(select(revoked_tokens.c.digest)).scalars())

    def __contains__(self, token: object) -> bool:
        return bool(self._digests) and isinstance(token, str) and _digest(token) in self._digests

    def add(self, token: str, expires_at: float) -> None:
        """Revoke a token that would be valid until `expires_at`, and forget those that have expired meanwhile."""
        digest = _digest(token)
        if digest in self._digests:
            return
        with self._database.writing() as connection:
            connection.execute(delete(revoked_tokens).where(revoked_tokens.c.expires_at <= int(self._clock())))
            connection.execute(delete(revoked_tokens).where(revoked_tokens.c.digest == digest))
            connection.execute(insert(revoked_tokens), {"digest": digest, "expires_at": int(expires_at) + 1})
        self._digests.add(digest)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
