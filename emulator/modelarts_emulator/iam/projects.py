"""Projects and accounts of the user who calls, regions, and versions of the API.

Pages of the group "Project Management" and of accounts, "Querying a Region List", "Querying Region Details", and those
about versions.
"""

from __future__ import annotations

from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.iam.tokens import Iam, not_found, view

FILTERS = ("name", "domain_id", "parent_id", "enabled", "is_domain")


def list_projects(_iam: Iam, call: Call) -> Response:
    """The projects of the user that have what the query names."""
    projects = [view("listed_project", call, identity=identity) for identity in call.identities]
    wanted = {name: call.query[name] for name in FILTERS if name in call.query}
    found = [entry for entry in projects if all(entry[name] == value for name, value in wanted.items())]
    return Response(200, {"projects": found, "links": view("links", call, path="/v3/projects")})


def show_project(_iam: Iam, call: Call) -> Response:
    """One of the user's projects; those of others do not exist for the user."""
    for identity in call.identities:
        if identity.project_id == call.path["project"]:
            return Response(200, {"project": view("listed_project", call, identity=identity)})
    raise not_found(f"The user has no project {call.path['project']}: GET /v3/auth/projects lists those of the user.")


def list_user_projects(_iam: Iam, call: Call) -> Response:
    """The projects that the user can choose as the scope of a token."""
    projects = [view("listed_project", call, identity=identity) for identity in call.identities]
    return Response(200, {"projects": projects, "links": view("links", call, path="/v3/auth/projects")})


def list_user_domains(_iam: Iam, call: Call) -> Response:
    """The account of the user."""
    domains = [view("listed_account", call, identity=call.identity)]
    return Response(200, {"domains": domains, "links": view("links", call, path="/v3/auth/domains")})


def list_regions(iam: Iam, call: Call) -> Response:
    """The one region that the emulator stands for."""
    regions = [view("region", call, region=iam.accounts.region)]
    return Response(200, {"regions": regions, "links": view("links", call, path="/v3/regions")})


def show_region(iam: Iam, call: Call) -> Response:
    """The region, if it is the one that there is."""
    region = call.path["region_id"]
    if region != iam.accounts.region:
        raise not_found(f"There is no region {region}: the emulator stands for {iam.accounts.region}.")
    return Response(200, {"region": view("region", call, region=region)})


def list_versions(_iam: Iam, call: Call) -> Response:
    """The versions of the identity service: 300, as OpenStack clients expect when several could be chosen."""
    return Response(300, {"versions": {"values": [view("version", call)]}})


def show_version(_iam: Iam, call: Call) -> Response:
    """The one version there is."""
    return Response(200, {"version": view("version", call)})
