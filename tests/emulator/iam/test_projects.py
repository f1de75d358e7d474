"""Projects, accounts, regions and versions of the identity service."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({}, 1),
        ({"name": "eu-de"}, 1),
        ({"name": "elsewhere"}, 0),
        ({"enabled": "true"}, 1),
        ({"enabled": "false"}, 0),
        ({"is_domain": "true"}, 0),
        ({"domain_id": "another"}, 0),
        ({"parent_id": "another"}, 0),
    ],
)
def test_projects_are_filtered_by_what_they_are(api: Any, query: dict[str, str], count: int) -> None:
    projects = api.http.get("/v3/projects", params=query).json()["projects"]

    assert [project["id"] for project in projects] == [api.identity.project_id] * count


def test_a_project_of_another_account_is_not_found(api: Any) -> None:
    other = api.emulator.add_identity("bert", account="umbrella")
    response = api.http.get(f"/v3/projects/{other.project_id}")

    assert (response.status_code, response.json()["error"]["title"]) == (404, "Not Found")


def test_the_account_of_the_user_is_listed(api: Any) -> None:
    [account] = api.http.get("/v3/auth/domains").json()["domains"]

    assert (account["id"], account["name"], account["enabled"]) == (api.identity.domain_id, "emulator", True)


def test_the_region_of_the_emulator_is_listed_and_shown(api: Any) -> None:
    [listed] = api.http.get("/v3/regions").json()["regions"]
    shown = api.http.get("/v3/regions/eu-de").json()["region"]

    assert shown == listed
    assert (shown["id"], shown["type"]) == ("eu-de", "public")


def test_a_client_finds_the_version_and_its_address(api: Any) -> None:
    """The address that the responses name is served, too."""
    versions = api.http.get("/")
    version = api.http.get("/v3")

    assert versions.status_code == 300
    assert version.status_code == 200
    assert versions.json()["versions"]["values"] == [version.json()["version"]]
    link = version.json()["version"]["links"][0]["href"]
    assert link == f"{api.emulator.endpoint}/v3/"
    assert api.http.get(link).json() == version.json()
