"""Projects and accounts of the user who calls: pages of the group "Project Management", and of accounts."""

from __future__ import annotations

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.iam.context import Iam
from modelarts_emulator.iam.errors import NotFound
from modelarts_emulator.iam.views import domain_entry, links, project_entry

__all__ = ["list_projects", "list_user_domains", "list_user_projects", "show_project"]

FILTERS = ("name", "domain_id", "parent_id", "enabled", "is_domain")


def list_projects(_iam: Iam, call: Call) -> Response:
    """The projects of the user that have what the query names."""
    projects = [project_entry(call, identity) for identity in call.identities]
    wanted = {name: call.query[name] for name in FILTERS if name in call.query}
    found = [entry for entry in projects if all(entry[name] == value for name, value in wanted.items())]
    return Response(200, {"projects": found, "links": links(call, "/v3/projects")})


def show_project(_iam: Iam, call: Call) -> Response:
    """One of the user's projects; those of others do not exist for the user."""
    for identity in call.identities:
        if identity.project_id == call.path["project"]:
            return Response(200, {"project": project_entry(call, identity)})
    raise NotFound(f"The user has no project {call.path['project']}: GET /v3/auth/projects lists those of the user.")


def list_user_projects(_iam: Iam, call: Call) -> Response:
    """The projects that the user can choose as the scope of a token."""
    projects = [project_entry(call, identity) for identity in call.identities]
    return Response(200, {"projects": projects, "links": links(call, "/v3/auth/projects")})


def list_user_domains(_iam: Iam, call: Call) -> Response:
    """The account of the user."""
    domains = [domain_entry(call, call.identity)]
    return Response(200, {"domains": domains, "links": links(call, "/v3/auth/domains")})
