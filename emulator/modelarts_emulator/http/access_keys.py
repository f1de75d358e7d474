"""Access keys: the keys of users, and temporary ones, which are valid together with a security token.

A security token is a signed statement, as tokens are, and the secret key is made of the access key: nothing is stored.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import string
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.http.signed_claims import SignedClaims
from modelarts_emulator.settings.accounts import Accounts, Identity

__all__ = ["AccessKey", "AccessKeys", "TemporaryKeys"]

ALPHABET = string.ascii_uppercase + string.digits
PURPOSE = "security token"


@dataclass(frozen=True, slots=True)
class AccessKey:
    """A key that is valid now, and its user in each of its projects."""

    access_key: str
    secret_key: str = field(repr=False)
    identities: tuple[Identity, ...]


@dataclass(frozen=True, slots=True)
class TemporaryKeys:
    """New temporary keys, valid until `expires_at` (Unix seconds)."""

    access_key: str
    secret_key: str = field(repr=False)
    security_token: str = field(repr=False)
    expires_at: float


class AccessKeys:
    """Finds access keys and issues temporary ones; `clock` returns Unix seconds."""

    def __init__(self, accounts: Accounts, key: bytes, clock: Callable[[], float]) -> None:
        self._accounts = accounts
        self._key = key
        self._claims = SignedClaims(key, PURPOSE)
        self._clock = clock

    def find(self, access_key: str, security_token: str | None = None) -> AccessKey:
        """Return the key with its secret; temporary keys need the security token.

        Raises ServiceError (SIGNATURE_INVALID) for a key that does not exist, and for one that has expired.
        """
        if security_token:
            return self._find_temporary(access_key, security_token)
        identities = self._accounts.of_access_key(access_key)
        if not identities:
            raise ServiceError(Problem.SIGNATURE_INVALID, f"The access key {access_key!r} does not exist.")
        return AccessKey(access_key, identities[0].secret_key, identities)

    def temporary_identity(self, security_token: str) -> Identity | None:
        """Return the user of a security token with the keys that belong to it; None unless it is valid now."""
        try:
            key = self._find_temporary(None, security_token)
        except ServiceError:
            return None
        return replace(key.identities[0], access_key=key.access_key, secret_key=key.secret_key)

    def issue(self, user_id: str, lifetime_s: float) -> TemporaryKeys:
        """Make temporary keys of a user."""
        access_key = "".join(secrets.choice(ALPHABET) for _ in range(20))
        expires_at = self._clock() + lifetime_s
        token = self._claims.write([access_key, user_id, expires_at])
        return TemporaryKeys(access_key, self._secret(access_key), token, expires_at)

    def _find_temporary(self, access_key: str | None, security_token: str) -> AccessKey:
        """Return the keys of the token, which must be those named, if any are."""
        try:
            owner, user_id, expires_at = self._claims.read(security_token)
        except ValueError:
            owner, user_id, expires_at = "", "", 0.0
        identities = self._accounts.of_user(user_id)
        if access_key not in (None, owner) or not identities:
            message = f"The security token is not the one that belongs to the access key {access_key!r}."
            raise ServiceError(Problem.SIGNATURE_INVALID, message)
        if expires_at <= self._clock():
            raise ServiceError(Problem.SIGNATURE_INVALID, "The temporary access key has expired: get a new one.")
        return AccessKey(owner, self._secret(owner), identities)

    def _secret(self, access_key: str) -> str:
        return hmac.digest(self._key, f"secret key of {access_key}".encode(), hashlib.sha256).hex()[:40]
