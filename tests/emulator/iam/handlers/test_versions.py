"""Versions of the identity service, with which OpenStack clients begin."""

from __future__ import annotations

from typing import Any


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
