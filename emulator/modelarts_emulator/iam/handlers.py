"""The identity service: versions, tokens by password, projects.

The documents print only a fragment of a token's body; the rest has the members that OpenStack clients read.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from modelarts_emulator.http.call import Answer, Call
from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.http.family import ApiFamily
from modelarts_emulator.http.tokens import Tokens
from modelarts_emulator.iam.errors import KeystoneErrors
from modelarts_emulator.settings.accounts import Accounts, Identity

__all__ = ["FAMILY", "Iam"]

MEDIA_TYPE = {"base": "application/json", "type": "application/vnd.openstack.identity-v3+json"}
CATALOG = (
    ("iam", "identity", "/v3"),
    ("modelartsv1", "modelartsv1", "/v1/{}"),
    ("modelartsv2", "modelartsv2", "/v2/{}"),
)


@dataclass(frozen=True, slots=True)
class Iam:
    """What the identity service knows; `clock` is in seconds since 1970."""

    accounts: Accounts
    tokens: Tokens
    clock: Callable[[], float]


def list_versions(_iam: Iam, call: Call) -> Answer:
    """The versions of the identity service: 300, as OpenStack clients expect when several could be chosen."""
    return Answer(300, {"versions": {"values": [_version(call)]}})


def show_version(_iam: Iam, call: Call) -> Answer:
    """The one version there is."""
    return Answer(200, {"version": _version(call)})


def create_token(iam: Iam, call: Call) -> Answer:
    """Check name, password and scope; the token is in a header of the response, what it grants is in the body."""
    auth = call.body["auth"]
    candidates = _log_in(iam.accounts, auth["identity"]["password"]["user"])
    scope = auth.get("scope") or {}
    project = scope.get("project")
    for account in filter(None, (scope.get("domain"), (project or {}).get("domain"))):
        if not _is_account(account, candidates[0]):
            raise ServiceError(
                Problem.LOGIN_FAILED,
                "The scope names another account than the user's: leave the account out of the scope.",
            )
    identity = _choose(candidates, project) if project else candidates[0]
    token, grant = iam.tokens.issue(identity.user_id, identity.project_id if project else None)
    body = {
        "methods": ["password"],
        "issued_at": _time(iam.clock()),
        "expires_at": _time(grant.expires_at),
        "user": {"id": identity.user_id, "name": identity.user, "domain": _domain(identity)},
        "roles": [{"id": "0", "name": "te_admin"}],
        "catalog": _catalog(call.endpoint, iam.accounts.region, identity) if project else [],
    }
    body |= {"project": _project(identity)} if project else {"domain": _domain(identity)}
    return Answer(201, {"token": body}, {"X-Subject-Token": token})


def list_projects(_iam: Iam, call: Call) -> Answer:
    """The projects of the user who calls; `name` picks the one of this name."""
    wanted = call.query.get("name")
    found = {
        identity.project_id: identity for identity in call.identities if wanted in (None, identity.project)
    }.values()
    own = f"{call.endpoint}/v3/projects"
    projects = [
        _project(identity, with_domain=False)
        | {
            "domain_id": identity.domain_id,
            "parent_id": identity.domain_id,
            "is_domain": False,
            "description": "",
            "enabled": True,
            "links": {"next": None, "previous": None, "self": f"{own}/{identity.project_id}"},
        }
        for identity in found
    ]
    return Answer(200, {"projects": projects, "links": {"next": None, "previous": None, "self": own}})


HANDLERS: Mapping[str, Callable[[Iam, Call], Answer]] = {
    "listVersions": list_versions,
    "showVersion": show_version,
    "createToken": create_token,
    "listProjects": list_projects,
}


# Its own links, and OpenStack clients, end with a slash.
FAMILY = ApiFamily("iam", HANDLERS, KeystoneErrors(), aliases={"/v3/": "/v3"})


def _log_in(identities: Iterable[Identity], user: Mapping[str, Any]) -> list[Identity]:
    """The user's identities; raises ServiceError (401), without saying which part of the login is wrong."""
    found = [
        identity
        for identity in identities
        if identity.user == user.get("name") and _is_account(user.get("domain") or {}, identity)
    ]
    given = str(user.get("password") or "").encode()
    if not found or not hmac.compare_digest(found[0].password.encode(), given):
        raise ServiceError(
            Problem.LOGIN_FAILED,
            'The account, the user name or the password is wrong: "modelarts emulator env" prints the right ones.',
        )
    return found


def _is_account(given: Mapping[str, Any], identity: Identity) -> bool:
    name, account_id = given.get("name"), given.get("id")
    if name is None and account_id is None:
        return False
    return name in (None, identity.account) and account_id in (None, identity.domain_id)


def _choose(candidates: Iterable[Identity], project: Mapping[str, Any]) -> Identity:
    for identity in candidates:
        if project.get("name") in (None, identity.project) and project.get("id") in (None, identity.project_id):
            return identity
    raise ServiceError(Problem.LOGIN_FAILED, "The user has no such project: GET /v3/projects lists those of the user.")


def _version(call: Call) -> dict[str, Any]:
    link = {"rel": "self", "href": f"{call.endpoint}/v3/"}
    return {
        "id": "v3.6",
        "status": "stable",
        "updated": "2016-04-04T00:00:00Z",
        "links": [link],
        "media-types": [MEDIA_TYPE],
    }


def _catalog(endpoint: str, region: str, identity: Identity) -> list[dict[str, Any]]:
    return [
        {
            "id": name,
            "name": name,
            "type": kind,
            "endpoints": [
                {
                    "id": f"{name}-public",
                    "interface": "public",
                    "region": region,
                    "region_id": region,
                    "url": endpoint + path.format(identity.project_id),
                }
            ],
        }
        for name, kind, path in CATALOG
    ]


def _project(identity: Identity, with_domain: bool = True) -> dict[str, Any]:
    project: dict[str, Any] = {"id": identity.project_id, "name": identity.project}
    return project | {"domain": _domain(identity)} if with_domain else project


def _domain(identity: Identity) -> dict[str, str]:
    return {"id": identity.domain_id, "name": identity.account}


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
