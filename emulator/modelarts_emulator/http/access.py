"""Access: who sends a request, by its token or by its signature, and whether it may enter the project of the path.

A token is a signed statement, not a row: it stays valid over a restart because its key is kept with the state. Access
keys are those of users, and temporary ones, which are valid together with a security token. That is a signed statement,
too, and its secret key is made of the access key: nothing is stored.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Container, Mapping
from dataclasses import astuple, dataclass, replace
from functools import lru_cache
from typing import Any

from starlette.datastructures import Headers
from starlette.types import Scope

from modelarts_emulator.http import signatures
from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.settings.accounts import UPPER, Accounts, Identity, random_text

PURPOSE = "security token"
PASSWORD: tuple[str, ...] = ("password",)
LIFETIME = 24 * 60 * 60  # seconds


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
    """What a valid token grants: to which user, for which project or account, until when (times in Unix seconds).

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


class AccessKeys:
    """Finds access keys and issues temporary ones; `clock` returns Unix seconds."""

    def __init__(self, accounts: Accounts, key: bytes, clock: Callable[[], float]) -> None:
        self._accounts = accounts
        self._key = key
        self._claims = SignedClaims(key, PURPOSE)
        self._clock = clock

    def find(self, access_key: str, security_token: str | None = None) -> tuple[Identity, ...]:
        """Return the key's user, with the key's secret, in each project; temporary keys need the security token.

        Raises ServiceError (SIGNATURE_INVALID) for a key that does not exist, and for one that has expired.
        """
        if security_token:
            return self._find_temporary(access_key, security_token)
        identities = self._accounts.of_access_key(access_key)
        if not identities:
            raise ServiceError(Problem.SIGNATURE_INVALID, f"The access key {access_key!r} does not exist.")
        return identities

    def temporary_identity(self, security_token: str) -> Identity | None:
        """Return the user of a security token with the keys that belong to it; None unless it is valid now."""
        try:
            return self._find_temporary(None, security_token)[0]
        except ServiceError:
            return None

    def issue(self, user_id: str, lifetime_s: float) -> tuple[str, Identity, float]:
        """Make temporary keys: their security token, the user with them, and when they expire (Unix seconds)."""
        access_key = random_text(UPPER, 20)
        expires_at = self._clock() + lifetime_s
        token = self._claims.write([access_key, user_id, expires_at])
        return token, self._find_temporary(access_key, token)[0], expires_at

    def _find_temporary(self, access_key: str | None, security_token: str) -> tuple[Identity, ...]:
        """Return the user of the token, whose key must be the one named, if one is."""
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
        return tuple(replace(entry, access_key=owner, secret_key=self._secret(owner)) for entry in identities)

    def _secret(self, access_key: str) -> str:
        return hmac.digest(self._key, f"secret key of {access_key}".encode(), hashlib.sha256).hex()[:40]


def is_signed(headers: Mapping[str, str]) -> bool:
    """Whether the request has a signature in place of a token; a token takes precedence."""
    return not headers.get("x-auth-token") and "authorization" in headers


@dataclass(frozen=True, slots=True)
class Access:
    """Who may call: the accounts, and the tokens and keys that say who calls; `clock` is in Unix seconds."""

    accounts: Accounts
    tokens: Tokens
    keys: AccessKeys
    clock: Callable[[], float]

    def check(self, scope: Scope, headers: Headers, body: bytes) -> tuple[Identity, ...]:
        """The identities of the user who calls; in a project's path, those in this project. Raises ServiceError.

        The body is checked for signed requests only.
        """
        wanted: str | None = scope["path_params"].get("project_id")
        if is_signed(headers):
            identities = self._check_signature(scope, headers, wanted, body)
        else:
            identities = self._check_token(headers, wanted)
        return identities if wanted is None else tuple(entry for entry in identities if entry.project_id == wanted)

    def _check_token(self, headers: Headers, wanted: str | None) -> tuple[Identity, ...]:
        grant = self.tokens.read(headers.get("x-auth-token", ""))
        if wanted is not None:
            if grant.project_id is None:
                raise ServiceError(Problem.TOKEN_WITHOUT_PROJECT, "The token is for an account, not for a project.")
            if wanted != grant.project_id:
                message = f"The project in the path ({wanted}) is not the one of the token ({grant.project_id})."
                raise ServiceError(Problem.PROJECT_NOT_FOUND, message)
        identities = self.accounts.of_user(grant.user_id)
        if not any(grant.project_id in (None, entry.project_id) for entry in identities):
            raise ServiceError(Problem.TOKEN_INVALID, "The token's user does not exist any more.")
        return identities

    def _check_signature(self, scope: Scope, headers: Headers, wanted: str | None, body: bytes) -> tuple[Identity, ...]:
        signature = signatures.parse(headers["authorization"])
        identities = self.keys.find(signature.access_key, headers.get("x-security-token"))
        # Clients sign by the time of their machine, or by that of the responses, which may be simulated.
        clocks = (time.time(), self.clock())
        signatures.verify(signatures.Request.of(scope, body), signature, identities[0].secret_key, clocks)
        project, domain = headers.get("x-project-id"), headers.get("x-domain-id")
        if domain not in (None, identities[0].domain_id):
            raise ServiceError(Problem.SIGNATURE_INVALID, "X-Domain-Id is not the account of the access key.")
        own = {entry.project_id for entry in identities}
        if project is not None and project not in own:
            message = f"The project in X-Project-Id ({project}) is not one of the access key's user."
            raise ServiceError(Problem.PROJECT_NOT_FOUND, message)
        if wanted is not None and (wanted not in own or project not in (None, wanted)):
            message = (
                f"The project in the path ({wanted}) is not the one of the signature ({project or 'any of its own'})."
            )
            raise ServiceError(Problem.PROJECT_NOT_FOUND, message)
        return identities
