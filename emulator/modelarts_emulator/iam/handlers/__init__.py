"""The table: which function serves which operation of the identity service."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.http.family import ApiFamily
from modelarts_emulator.iam.context import Iam
from modelarts_emulator.iam.errors import KeystoneErrors
from modelarts_emulator.iam.handlers import keys, projects, regions, tokens, versions

__all__ = ["FAMILY", "HANDLERS"]

HANDLERS: Mapping[str, Callable[[Iam, Call], Response]] = {
    "listVersions": versions.list_versions,
    "showVersion": versions.show_version,
    "createToken": tokens.create_token,
    "showToken": tokens.show_token,
    "checkToken": tokens.check_token,
    "deleteToken": tokens.delete_token,
    "listProjects": projects.list_projects,
    "showProject": projects.show_project,
    "listUserProjects": projects.list_user_projects,
    "listUserDomains": projects.list_user_domains,
    "listRegions": regions.list_regions,
    "showRegion": regions.show_region,
    "createTemporaryKeys": keys.create_temporary_keys,
}

# Its own links, and OpenStack clients, end with a slash.
FAMILY = ApiFamily(
    "iam",
    HANDLERS,
    KeystoneErrors(),
    aliases={"/v3/": "/v3"},
    reading=frozenset({"createToken", "createTemporaryKeys"}),
)
