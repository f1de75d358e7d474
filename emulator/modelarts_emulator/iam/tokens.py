"""Tokens and temporary keys: pages of the group "Token Management", and "Obtaining a Temporary AK/SK".

The documents print only a fragment of a token's body; the rest has the members that OpenStack clients read.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any

from sqlalchemy import BigInteger, Table, delete, insert, select

from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.tables import TEXT, columns, metadata
from modelarts_emulator.http.access import AccessKeys, Grant, Tokens
from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.settings.accounts import Accounts, Identity

# Hashes of tokens that were revoked; a row may go when its token would have expired anyway (seconds since 1970).
revoked_tokens = Table("revoked_tokens", metadata, *columns({"digest": TEXT}, expires_at=BigInteger))

VIEWS = json.loads(Path(__file__).with_name("views.json").read_text("utf-8"))
HEADER = "X-Subject-Token"
KEYS_LIFETIME_S = 15 * 60  # unless the request says otherwise


def not_found(message: str) -> ServiceError:
    """The error for what does not exist, or not for its user: 404."""
    return ServiceError(Problem.INVALID_PARAMETER, message, status=HTTPStatus.NOT_FOUND.value)


def unauthorized(message: str) -> ServiceError:
    """The error for a wrong login: 401."""
    return ServiceError(Problem.TOKEN_INVALID, message, status=HTTPStatus.UNAUTHORIZED.value)


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


@dataclass(frozen=True, slots=True)
class Iam:
    """`clock` is in seconds since 1970; `obs_endpoint` gives the URL of the object store for a Host header."""

    accounts: Accounts
    tokens: Tokens
    revocations: Revocations
    keys: AccessKeys
    clock: Callable[[], float]
    obs_endpoint: Callable[[str], str]


def create_token(iam: Iam, call: Call) -> Response:
    """Check who asks, and for which scope; the token is in a header of the response, what it grants is in the body."""
    identity, scope = call.body["auth"]["identity"], call.body["auth"].get("scope") or {}
    wanted, account = scope.get("project"), scope.get("domain")
    if wanted and account:
        message = "Invalid parameter (auth.scope): give a project or a domain, not both."
        raise ServiceError(Problem.INVALID_PARAMETER, message)
    [method] = identity["methods"]
    if method not in identity:
        message = f"Invalid parameter (auth.identity): the method {method} needs the member {method}."
        raise ServiceError(Problem.INVALID_PARAMETER, message)
    source = None
    if method == "token":
        source, candidates = _read_token(iam, identity["token"]["id"])
    else:
        candidates = _log_in(iam.accounts, identity["password"]["user"])
    user = candidates[0]
    for named in filter(None, (account, (wanted or {}).get("domain"))):
        if not _is_account(named, user):
            raise unauthorized("The scope names another account than the user's: leave the account out of the scope.")
    if wanted:
        user = _choose(candidates, wanted)
        token, grant = iam.tokens.issue(user.user_id, user.project_id, source=source)
    else:
        token, grant = iam.tokens.issue(user.user_id, None, user.domain_id if account else None, source)
    return Response(201, {"token": _view(iam, call, grant, user)}, {HEADER: token})


def show_token(iam: Iam, call: Call) -> Response:
    """What the token grants."""
    token, grant, identity = _subject(iam, call)
    return Response(200, {"token": _view(iam, call, grant, identity)}, {HEADER: token})


def check_token(iam: Iam, call: Call) -> Response:
    """Whether the token is valid, by the status alone."""
    _subject(iam, call)
    return Response(200)


def delete_token(iam: Iam, call: Call) -> Response:
    """Revoke the token, before its time."""
    token, grant, _ = _subject(iam, call)
    iam.revocations.add(token, grant.expires_at)
    return Response(204)


def create_temporary_keys(iam: Iam, call: Call) -> Response:
    """Keys of the token's user; the token in the header goes before the one in the body."""
    given = call.body["auth"]["identity"].get("token") or {}
    _, identities = _read_token(iam, call.headers.get("x-auth-token") or given.get("id") or "")
    lifetime_s = given.get("duration_seconds", KEYS_LIFETIME_S)
    token, keys, expires_at = iam.keys.issue(identities[0].user_id, lifetime_s)
    credential = {
        "access": keys.access_key,
        "secret": keys.secret_key,
        "expires_at": _time_text(expires_at),
        "securitytoken": token,
    }
    return Response(201, {"credential": credential})


def view(name: str, call: Call, **values: Any) -> Any:
    """What responses show under this name in `views.json`, with the values in its texts."""
    return _filled(VIEWS[name], {"call": call, **values})


def _filled(part: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(part, dict):
        return {name: _filled(member, values) for name, member in part.items()}
    if isinstance(part, list):
        return [_filled(entry, values) for entry in part]
    return part.format_map(values) if isinstance(part, str) else part


def _read_token(iam: Iam, token: str) -> tuple[Grant, tuple[Identity, ...]]:
    """What the token grants, and its user in each of its projects; raises ServiceError (401)."""
    grant = iam.tokens.read(token)
    identities = iam.accounts.of_user(grant.user_id)
    if not identities:
        raise ServiceError(Problem.TOKEN_INVALID, "The token's user does not exist any more.")
    return grant, identities


def _subject(iam: Iam, call: Call) -> tuple[str, Grant, Identity]:
    """The token that the call is about; raises ServiceError (404) unless it is a valid one of the caller's account."""
    token = call.headers[HEADER]
    try:
        grant, identities = _read_token(iam, token)
    except ServiceError as error:
        raise not_found(f"{HEADER}: {error.message}") from None
    if identities[0].domain_id != call.identity.domain_id:
        raise not_found(f"{HEADER}: The token is not one of your account.")
    return token, grant, next(entry for entry in identities if grant.project_id in (None, entry.project_id))


def _view(iam: Iam, call: Call, grant: Grant, identity: Identity) -> dict[str, Any]:
    body: dict[str, Any] = {
        "methods": list(grant.methods),
        "issued_at": _time_text(grant.issued_at),
        "expires_at": _time_text(grant.expires_at),
        "user": {"id": identity.user_id, "name": identity.user, "domain": view("account", call, identity=identity)},
        "roles": [{"id": "0", "name": "te_admin"}],
    }
    if not call.query.get("nocatalog"):
        services = "catalog" if grant.project_id is None else "catalog_of_project"
        values = {"region": iam.accounts.region, "objects": iam.obs_endpoint(call.headers["host"])}
        has_scope = grant.project_id is not None or grant.domain_id is not None
        body["catalog"] = view(services, call, identity=identity, **values) if has_scope else []
    if grant.project_id is not None:
        body["project"] = view("project", call, identity=identity)
    elif grant.domain_id is not None:
        body["domain"] = view("account", call, identity=identity)
    return body


def _log_in(identities: Iterable[Identity], user: Mapping[str, Any]) -> tuple[Identity, ...]:
    """The user in each of its projects; raises ServiceError (401), without saying which part of the login is wrong."""
    if "id" not in user and not ("name" in user and "domain" in user):
        message = "Invalid parameter (auth.identity.password.user): give name and domain, or id."
        raise ServiceError(Problem.INVALID_PARAMETER, message)
    found = tuple(identity for identity in identities if _is_user(user, identity))
    given = str(user.get("password") or "").encode()
    if not found or not hmac.compare_digest(found[0].password.encode(), given):
        raise unauthorized(
            'The account, the user name or the password is wrong: "modelarts emulator env" prints the right ones.'
        )
    return found


def _is_user(given: Mapping[str, Any], identity: Identity) -> bool:
    account = given.get("domain")
    if "id" in given:
        is_account = account is None or _is_account(account, identity)
        return given["id"] == identity.user_id and given.get("name") in (None, identity.user) and is_account
    return given.get("name") == identity.user and _is_account(account or {}, identity)


def _is_account(given: Mapping[str, Any], identity: Identity) -> bool:
    name, account_id = given.get("name"), given.get("id")
    if name is None and account_id is None:
        return False
    return name in (None, identity.account) and account_id in (None, identity.domain_id)


def _choose(candidates: Iterable[Identity], wanted: Mapping[str, Any]) -> Identity:
    for identity in candidates:
        if wanted.get("name") in (None, identity.project) and wanted.get("id") in (None, identity.project_id):
            return identity
    raise unauthorized("The user has no such project: GET /v3/auth/projects lists those there are.")


def _time_text(seconds: float) -> str:
    """A time, as tokens and keys have it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
