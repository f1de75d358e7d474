"""Versions of the identity service: pages "Querying Keystone API Version Information" and "... Version 3.0"."""

from __future__ import annotations

from typing import Any

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.iam.context import Iam

__all__ = ["list_versions", "show_version"]

MEDIA_TYPE = {"base": "application/json", "type": "application/vnd.openstack.identity-v3+json"}


def list_versions(_iam: Iam, call: Call) -> Response:
    """The versions of the identity service: 300, as OpenStack clients expect when several could be chosen."""
    return Response(300, {"versions": {"values": [_version(call)]}})


def show_version(_iam: Iam, call: Call) -> Response:
    """The one version there is."""
    return Response(200, {"version": _version(call)})


def _version(call: Call) -> dict[str, Any]:
    link = {"rel": "self", "href": f"{call.endpoint}/v3/"}
    return {
        "id": "v3.6",
        "status": "stable",
        "updated": "2016-04-04T00:00:00Z",
        "links": [link],
        "media-types": [MEDIA_TYPE],
    }
