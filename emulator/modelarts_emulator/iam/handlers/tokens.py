"""Tokens: pages of the group "Token Management".

The documents print only a fragment of a token's body; the rest has the members that OpenStack clients read.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from typing import Any

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.http.tokens import Grant
from modelarts_emulator.iam.context import Iam
from modelarts_emulator.iam.errors import NotFound
from modelarts_emulator.iam.views import catalog, domain, project, time_text
from modelarts_emulator.settings.accounts import Identity

__all__ = ["check_token", "create_token", "delete_token", "read_token", "show_token"]

HEADER = "X-Subject-Token"


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
        source, candidates = read_token(iam, identity["token"]["id"])
    else:
        candidates = _log_in(iam.accounts, identity["password"]["user"])
    user = candidates[0]
    for named in filter(None, (account, (wanted or {}).get("domain"))):
        if not _is_account(named, user):
            raise ServiceError(
                Problem.LOGIN_FAILED,
                "The scope names another account than the user's: leave the account out of the scope.",
            )
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


def read_token(iam: Iam, token: str) -> tuple[Grant, tuple[Identity, ...]]:
    """What the token grants, and its user in each of its projects; raises ServiceError (401)."""
    grant = iam.tokens.read(token)
    identities = iam.accounts.of_user(grant.user_id)
    if not identities:
        raise ServiceError(Problem.TOKEN_INVALID, "The token's user is not known any more.")
    return grant, identities


def _subject(iam: Iam, call: Call) -> tuple[str, Grant, Identity]:
    """The token that the call is about; raises NotFound unless it is a valid one of the caller's account."""
    token = call.headers[HEADER]
    try:
        grant, identities = read_token(iam, token)
    except ServiceError as error:
        raise NotFound(f"{HEADER}: {error.message}") from None
    if identities[0].domain_id != call.identity.domain_id:
        raise NotFound(f"{HEADER}: The token is not one of your account.")
    return token, grant, next(entry for entry in identities if grant.project_id in (None, entry.project_id))


def _view(iam: Iam, call: Call, grant: Grant, identity: Identity) -> dict[str, Any]:
    body: dict[str, Any] = {
        "methods": list(grant.methods),
        "issued_at": time_text(grant.issued_at),
        "expires_at": time_text(grant.expires_at),
        "user": {"id": identity.user_id, "name": identity.user, "domain": domain(identity)},
        "roles": [{"id": "0", "name": "te_admin"}],
    }
    if not call.query.get("nocatalog"):
        has_scope = grant.project_id is not None or grant.domain_id is not None
        body["catalog"] = catalog(iam, call, identity, grant.project_id is not None) if has_scope else []
    if grant.project_id is not None:
        body["project"] = project(identity)
    elif grant.domain_id is not None:
        body["domain"] = domain(identity)
    return body


def _log_in(identities: Iterable[Identity], user: Mapping[str, Any]) -> tuple[Identity, ...]:
    """The user in each of its projects; raises ServiceError (401), without saying which part of the login is wrong."""
    if "id" not in user and not ("name" in user and "domain" in user):
        message = "Invalid parameter (auth.identity.password.user): give name and domain, or id."
        raise ServiceError(Problem.INVALID_PARAMETER, message)
    found = tuple(identity for identity in identities if _is_user(user, identity))
    given = str(user.get("password") or "").encode()
    if not found or not hmac.compare_digest(found[0].password.encode(), given):
        raise ServiceError(
            Problem.LOGIN_FAILED,
            'The account, the user name or the password is wrong: "modelarts emulator env" prints the right ones.',
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
    raise ServiceError(
        Problem.LOGIN_FAILED, "The user has no such project: GET /v3/auth/projects lists those there are."
    )
