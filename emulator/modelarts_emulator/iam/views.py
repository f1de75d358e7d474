"""What responses of the identity service say about accounts, projects and services."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from modelarts_emulator.http.call import Call
from modelarts_emulator.iam.context import Iam
from modelarts_emulator.settings.accounts import Identity

__all__ = ["catalog", "domain", "domain_entry", "links", "project", "project_entry", "time_text"]

IDENTITY = ("iam", "identity", "{api}/v3")
OBJECTS = ("obs", "object", "{objects}")
OF_PROJECT = (
    ("modelartsv1", "modelartsv1", "{api}/v1/{project_id}"),
    ("modelartsv2", "modelartsv2", "{api}/v2/{project_id}"),
)


def domain(identity: Identity) -> dict[str, Any]:
    """The account, as a token names it."""
    return {"id": identity.domain_id, "name": identity.account}


def project(identity: Identity) -> dict[str, Any]:
    """The project, as a token names it."""
    return {"id": identity.project_id, "name": identity.project, "domain": domain(identity)}


def domain_entry(call: Call, identity: Identity) -> dict[str, Any]:
    """The account, as a list has it."""
    own = {"self": f"{call.endpoint}/v3/domains/{identity.domain_id}"}
    return {**domain(identity), "description": "", "enabled": True, "links": own}


def project_entry(call: Call, identity: Identity) -> dict[str, Any]:
    """The project, as a list has it."""
    return {
        "id": identity.project_id,
        "name": identity.project,
        "domain_id": identity.domain_id,
        "parent_id": identity.domain_id,
        "is_domain": False,
        "description": "",
        "enabled": True,
        "links": links(call, f"/v3/projects/{identity.project_id}"),
    }


def links(call: Call, path: str) -> dict[str, str | None]:
    """The address of a resource that has no neighbours."""
    return {"next": None, "previous": None, "self": call.endpoint + path}


def catalog(iam: Iam, call: Call, identity: Identity, has_project: bool) -> list[dict[str, Any]]:
    """The services of a project, or those that an account has without one."""
    addresses = {
        "api": call.endpoint,
        "objects": iam.obs_endpoint(call.headers["host"]),
        "project_id": identity.project_id,
    }
    region = iam.accounts.region
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
                    "url": address.format_map(addresses),
                }
            ],
        }
        for name, kind, address in (IDENTITY, OBJECTS, *(OF_PROJECT if has_project else ()))
    ]


def time_text(seconds: float) -> str:
    """A time, as tokens and keys have it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
