"""The identity service, as clients of OpenStack and of the vendor use it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from modelarts_emulator.server import Emulator
from modelarts_emulator.settings.accounts import load
from modelarts_emulator.settings.credentials import credentials_file


def login(**user: Any) -> dict[str, Any]:
    return {"auth": {"identity": {"methods": ["password"], "password": {"user": user}}}}


def test_a_client_finds_the_version_and_its_address(api: Any) -> None:
    versions = api.http.get("/")
    version = api.http.get("/v3")

    assert versions.status_code == 300
    assert version.status_code == 200
    assert versions.json()["versions"]["values"] == [version.json()["version"]]
    assert version.json()["version"]["links"][0]["href"] == f"{api.emulator.endpoint}/v3/"


def test_name_and_password_give_a_token_for_a_day_and_the_addresses_of_the_project(api: Any) -> None:
    response = api.log_in()
    token = response.json()["token"]
    lifetime = datetime.fromisoformat(token["expires_at"]) - datetime.now(UTC)

    assert response.status_code == 201
    assert response.headers["X-Subject-Token"]
    assert timedelta(hours=23, minutes=59) < lifetime <= timedelta(hours=24)
    assert token["project"] == {
        "id": api.identity.project_id,
        "name": "eu-de",
        "domain": {"id": api.identity.domain_id, "name": "emulator"},
    }
    addresses = {entry["type"]: entry["endpoints"][0]["url"] for entry in token["catalog"]}
    assert addresses["modelartsv1"] == f"{api.emulator.endpoint}/v1/{api.identity.project_id}"
    assert addresses["modelartsv2"] == f"{api.emulator.endpoint}/v2/{api.identity.project_id}"


@pytest.mark.parametrize(
    "wrong", [{"password": "wrong"}, {"user": "nobody"}, {"account": "another"}, {"project": "elsewhere"}]
)
def test_a_wrong_login_is_rejected_without_saying_more_than_needed(api: Any, wrong: dict[str, str]) -> None:
    response = api.log_in(**wrong)

    assert response.status_code == 401
    assert response.json()["error"]["code"] == 401
    assert response.json()["error"]["title"] == "Unauthorized"
    remedy = "GET /v3/projects" if "project" in wrong else "modelarts emulator env"
    assert remedy in response.json()["error"]["message"]
    assert api.identity.password not in response.text


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"auth": {}},
        login(),
        login(name="developer", password=["correct horse"], domain={"name": "emulator"}),
        login(name="developer", password="correct horse", domain={}),
        {"auth": {"identity": {"methods": ["token"], "password": {"user": {}}}}},
    ],
)
def test_a_malformed_login_is_a_bad_request_and_its_password_is_not_repeated(api: Any, body: Any) -> None:
    response = api.http.post("/v3/auth/tokens", json=body)

    assert (response.status_code, response.json()["error"]["title"]) == (400, "Bad Request")
    assert "correct horse" not in response.text


def test_account_and_project_can_be_given_by_id(api: Any) -> None:
    identity = api.identity
    body = login(name=identity.user, password=identity.password, domain={"id": identity.domain_id})
    body["auth"]["scope"] = {"project": {"id": identity.project_id}}

    assert api.http.post("/v3/auth/tokens", json=body).status_code == 201


def test_the_account_that_a_scope_names_must_be_the_users(api: Any) -> None:
    identity = api.identity
    body = login(name=identity.user, password=identity.password, domain={"name": identity.account})
    for scope in (
        {"project": {"name": identity.project, "domain": {"name": "another"}}},
        {"domain": {"name": "another"}},
    ):
        body["auth"]["scope"] = scope
        assert api.http.post("/v3/auth/tokens", json=body).status_code == 401
    body["auth"]["scope"] = {"project": {"name": identity.project, "domain": {"name": identity.account}}}
    assert api.http.post("/v3/auth/tokens", json=body).status_code == 201


def test_projects_are_listed_with_a_token_only(api: Any) -> None:
    response = api.http.get("/v3/projects", headers={"X-Auth-Token": ""})

    assert response.status_code == 401
    assert response.json()["error"]["code"] == 401


def test_a_project_is_found_by_its_name(api: Any) -> None:
    [project] = api.http.get("/v3/projects", params={"name": "eu-de"}).json()["projects"]

    assert project["id"] == api.identity.project_id
    assert api.http.get("/v3/projects", params={"name": "elsewhere"}).json()["projects"] == []
    assert len(api.http.get("/v3/projects").json()["projects"]) == 1


def test_a_token_of_an_account_lists_projects(api: Any) -> None:
    token = api.log_in(project=None)

    assert token.json()["token"]["catalog"] == []
    projects = api.http.get("/v3/projects", headers={"X-Auth-Token": token.headers["X-Subject-Token"]})
    assert [project["name"] for project in projects.json()["projects"]] == ["eu-de"]


def test_users_of_a_file_log_in_and_that_of_the_folder_does_not(credentials: Path, tmp_path: Path, log_in: Any) -> None:
    """The credentials file replaces the user of the data folder."""
    anna, bert = load(credentials)
    [own] = load(credentials_file(tmp_path / "data"))
    with Emulator(tmp_path / "data", credentials=credentials, check_responses=True) as emulator:
        assert log_in(emulator, anna).http.headers["X-Auth-Token"]
        assert log_in(emulator, bert).http.headers["X-Auth-Token"]
        strange = log_in(emulator, anna).log_in(account=own.account, user=own.user, password=own.password)
        assert strange.status_code == 401


def test_a_token_survives_a_restart_and_ends_when_its_time_is_over(tmp_path: Path, log_in: Any) -> None:
    now = [1e9]
    with Emulator(tmp_path / "data", clock=lambda: now[0], check_responses=True) as emulator:
        token = log_in(emulator).http.headers["X-Auth-Token"]
    with Emulator(tmp_path / "data", clock=lambda: now[0], check_responses=True) as emulator:
        api = log_in(emulator)
        api.http.headers["X-Auth-Token"] = token
        assert api.call("GET", "/training-job-flavors").status_code == 200
        now[0] += 24 * 3600
        response = api.call("GET", "/training-job-flavors")
        assert (response.status_code, response.json()["error_code"]) == (401, "ModelArts.0202")


def test_a_token_of_a_user_who_is_gone_is_rejected(credentials: Path, tmp_path: Path, log_in: Any) -> None:
    with Emulator(tmp_path / "data", check_responses=True) as emulator:
        api = log_in(emulator)
        token, path = api.http.headers["X-Auth-Token"], f"{api.project}/training-job-flavors"
    with Emulator(tmp_path / "data", credentials=credentials, check_responses=True) as emulator:
        api = log_in(emulator, load(credentials)[0])
        response = api.http.get(path, headers={"X-Auth-Token": token})
        assert (response.status_code, response.json()["error_code"]) == (401, "ModelArts.0203")
