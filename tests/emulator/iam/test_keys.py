"""Temporary access keys: issued for a token, used with their security token, over after a while."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from modelarts_emulator.server import Emulator
from modelarts_toolkit.auth.access_keys import AkSkAuth


def request_keys(api: Any, token: str | None = None, **members: Any) -> httpx.Response:
    """Ask with the token of the client in the header, or with another one in the body."""
    headers = {} if token is None else {"X-Auth-Token": ""}
    given = members if token is None else {"id": token, **members}
    identity = {"methods": ["token"], **({"token": given} if given else {})}
    response: httpx.Response = api.http.post(
        "/v3.0/OS-CREDENTIAL/securitytokens", json={"auth": {"identity": identity}}, headers=headers
    )
    return response


def signer(credential: dict[str, str], **changes: str | None) -> AkSkAuth:
    given = {"access_key": "access", "secret_key": "secret", "security_token": "securitytoken"}
    return AkSkAuth(**({name: credential[wire] for name, wire in given.items()} | changes))  # type: ignore[arg-type]


def flavors(api: Any, auth: httpx.Auth) -> httpx.Response:
    return httpx.get(f"{api.emulator.endpoint}{api.project}/training-job-flavors", auth=auth)


def test_the_keys_differ_and_last_as_long_as_asked_for(api: Any) -> None:
    wishes: list[dict[str, Any]] = [{}, {"duration_seconds": 86400}]
    short, long = (request_keys(api, **wanted).json()["credential"] for wanted in wishes)
    difference = datetime.fromisoformat(long["expires_at"]) - datetime.fromisoformat(short["expires_at"])

    assert short["access"] != long["access"]
    assert short["secret"] != long["secret"]
    assert 86400 - 900 <= difference.total_seconds() < 86400 - 900 + 60


@pytest.mark.parametrize("seconds", [899, 86401, 0, -1])
def test_keys_last_between_a_quarter_of_an_hour_and_a_day(api: Any, seconds: int) -> None:
    assert request_keys(api, duration_seconds=seconds).status_code == 400


@pytest.mark.parametrize("token", ["", "made up"])
def test_without_a_token_there_are_no_keys(api: Any, token: str) -> None:
    assert request_keys(api, token).status_code == 401


def test_keys_are_not_valid_without_their_own_security_token(api: Any) -> None:
    credential, other = (request_keys(api).json()["credential"] for _ in range(2))
    wrong: list[dict[str, str | None]] = [
        {"security_token": None},
        {"security_token": other["securitytoken"]},
        {"security_token": credential["securitytoken"] + "x"},
        {"security_token": api.http.headers["X-Auth-Token"]},
        {"secret_key": other["secret"]},
    ]

    for change in wrong:
        response = flavors(api, signer(credential, **change))
        assert (response.status_code, response.json()["error_code"]) == (401, "APIG.0301"), change


def test_a_security_token_is_not_a_token(api: Any) -> None:
    text = request_keys(api).json()["credential"]["securitytoken"]
    response = api.call("GET", "/training-job-flavors", headers={"X-Auth-Token": text})

    assert (response.status_code, response.json()["error_code"]) == (401, "ModelArts.0203")


def test_keys_end_on_the_clock_of_the_emulator(tmp_path: Path, log_in: Any) -> None:
    """The keys expire although the clock of the client that signs is not moved."""
    with Emulator(tmp_path / "data", executor="simulated", check_responses=True) as emulator:
        api = log_in(emulator)
        credential = request_keys(api).json()["credential"]
        assert flavors(api, signer(credential)).status_code == 200
        emulator.clock.advance(901)
        response = flavors(api, signer(credential))
        assert (response.status_code, response.json()["error_code"]) == (401, "APIG.0301")
        assert "expired" in response.json()["error_msg"]


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
