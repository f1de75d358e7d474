"""Temporary access keys: issued for a token, used with their security token, over after a while."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
from tests.emulator.conftest import rejected, serve

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


def test_the_keys_differ_and_last_as_long_as_asked_for_between_a_quarter_of_an_hour_and_a_day(api: Any) -> None:
    """Without a token there are none."""
    short, long = (request_keys(api, duration_seconds=seconds).json()["credential"] for seconds in (900, 86400))
    usual = request_keys(api).json()["credential"]
    short_end, long_end, usual_end = (datetime.fromisoformat(each["expires_at"]) for each in (short, long, usual))

    assert len({short["access"], long["access"], usual["access"]}) == 3
    assert len({short["secret"], long["secret"], usual["secret"]}) == 3
    assert 0 <= (long_end - short_end).total_seconds() - (86400 - 900) < 300
    assert 0 <= (usual_end - short_end).total_seconds() < 300
    assert {request_keys(api, duration_seconds=seconds).status_code for seconds in (899, 86401, 0, -1)} == {400}
    assert [request_keys(api, token).status_code for token in ("", "made up")] == [401, 401]


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
        assert rejected(flavors(api, signer(credential, **change))) == (401, "APIG.0301"), change
    as_token = {"X-Auth-Token": credential["securitytoken"]}
    assert rejected(api.call("GET", "/training-job-flavors", headers=as_token)) == (401, "ModelArts.0203")


def test_keys_end_on_the_clock_of_the_emulator(tmp_path: Path) -> None:
    """The keys expire although the clock of the client that signs is not moved."""
    with serve(tmp_path / "data", executor="simulated", check_responses=True) as api:
        credential = request_keys(api).json()["credential"]
        assert flavors(api, signer(credential)).status_code == 200
        api.emulator.clock.advance(901)
        response = flavors(api, signer(credential))
        assert rejected(response) == (401, "APIG.0301")
        assert "expired" in response.json()["error_msg"]


def test_projects_are_those_of_the_account_and_filtered_by_what_they_are(api: Any) -> None:
    """A project of another account is not found."""

    def found(**query: str) -> list[str]:
        return [project["id"] for project in api.http.get("/v3/projects", params=query).json()["projects"]]

    other = api.emulator.add_identity("bert", account="umbrella")
    response = api.http.get(f"/v3/projects/{other.project_id}")

    assert found() == found(name="eu-de") == found(enabled="true") == [api.identity.project_id]
    assert found(name="elsewhere") == found(enabled="false") == found(is_domain="true") == []
    assert found(domain_id="another") == found(parent_id="another") == []
    assert (response.status_code, response.json()["error"]["title"]) == (404, "Not Found")


def test_the_account_of_the_user_and_the_region_are_listed(api: Any) -> None:
    [account] = api.http.get("/v3/auth/domains").json()["domains"]
    [region] = api.http.get("/v3/regions").json()["regions"]

    assert (account["id"], account["name"], account["enabled"]) == (api.identity.domain_id, "emulator", True)
    assert (region["id"], region["type"]) == ("eu-de", "public")
    assert api.http.get("/v3/regions/eu-de").json()["region"] == region


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
