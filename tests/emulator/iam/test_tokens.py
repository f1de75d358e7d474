"""Tokens, as clients of OpenStack and of the vendor ask for them, and who is rejected."""

from __future__ import annotations

import base64
import json
import string
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.conftest import rejected, serve

from modelarts_emulator.server import Emulator


def login(**user: Any) -> dict[str, Any]:
    return {"auth": {"identity": {"methods": ["password"], "password": {"user": user}}}}


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
    assert {entry["type"]: entry["endpoints"][0]["url"] for entry in token["catalog"]} == {
        "identity": f"{api.emulator.endpoint}/v3",
        "object": api.emulator.obs_endpoint,
        "modelartsv1": f"{api.emulator.endpoint}/v1/{api.identity.project_id}",
        "modelartsv2": f"{api.emulator.endpoint}/v2/{api.identity.project_id}",
    }
    assert {end["region"] for entry in token["catalog"] for end in entry["endpoints"]} == {"eu-de"}


def test_a_wrong_login_is_rejected_without_saying_more_than_needed(api: Any) -> None:
    """A user can be given by id."""
    bodies = [login(id=user_id, password=api.identity.password) for user_id in (api.identity.user_id, "nobody")]
    assert [api.http.post("/v3/auth/tokens", json=body).status_code for body in bodies] == [201, 401]
    for wrong in ({"password": "wrong"}, {"user": "nobody"}, {"account": "another"}, {"project": "elsewhere"}):
        response = api.log_in(**wrong)

        error = response.json()["error"]
        assert (response.status_code, error["code"], error["title"]) == (401, 401, "Unauthorized"), wrong
        assert ("GET /v3/auth/projects" if "project" in wrong else "modelarts emulator env") in error["message"], wrong
        assert api.identity.password not in response.text, wrong


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


def test_a_scope_is_either_a_project_or_an_account_which_must_be_the_users(api: Any) -> None:
    identity = api.identity
    body = login(name=identity.user, password=identity.password, domain={"name": identity.account})
    for scope in (
        {"project": {"name": identity.project, "domain": {"name": "another"}}},
        {"domain": {"name": "another"}},
    ):
        body["auth"]["scope"] = scope
        assert api.http.post("/v3/auth/tokens", json=body).status_code == 401, scope
    body["auth"]["scope"] = {"project": {"name": identity.project, "domain": {"name": identity.account}}}
    assert api.http.post("/v3/auth/tokens", json=body).status_code == 201
    body["auth"]["scope"] = {"project": {"id": identity.project_id}, "domain": {"id": identity.domain_id}}
    response = api.http.post("/v3/auth/tokens", json=body)
    assert response.status_code == 400, response.text
    assert "(auth.scope): give a project or a domain, not both" in response.text


@pytest.fixture
def subject(api: Any) -> str:
    """A token that a test may revoke."""
    return str(api.log_in().headers["X-Subject-Token"])


def ask(api: Any, method: str, token: str, **query: str) -> Any:
    return api.http.request(method, "/v3/auth/tokens", headers={"X-Subject-Token": token}, params=query)


def rescoped(api: Any, token: str, scope: dict[str, Any] | None) -> Any:
    auth: dict[str, Any] = {"identity": {"methods": ["token"], "token": {"id": token}}}
    return api.http.post("/v3/auth/tokens", json={"auth": auth | ({"scope": scope} if scope else {})})


def test_a_token_of_an_account_has_the_services_that_need_no_project(api: Any) -> None:
    """Such a token lists projects, and enters none; one without a scope has neither project nor services."""
    unscoped = api.log_in(project=None).json()["token"]
    assert unscoped["catalog"] == []
    assert {"project", "domain"} & set(unscoped) == set()

    body = api.login_body(project=None)
    body["auth"]["scope"] = {"domain": {"id": api.identity.domain_id}}
    response = api.http.post("/v3/auth/tokens", json=body)
    mine = {"X-Auth-Token": response.headers["X-Subject-Token"]}
    entered = api.call("GET", "/training-job-flavors", headers=mine)

    assert response.json()["token"]["domain"] == {"id": api.identity.domain_id, "name": "emulator"}
    assert [entry["type"] for entry in response.json()["token"]["catalog"]] == ["identity", "object"]
    assert "eu-de" in [entry["name"] for entry in api.http.get("/v3/projects", headers=mine).json()["projects"]]
    assert rejected(entered) == (401, "ModelArts.0212")


def test_a_token_is_exchanged_for_one_with_another_scope(api: Any) -> None:
    """The new token ends when the first one does."""
    first = api.log_in(project=None)
    second = rescoped(api, first.headers["X-Subject-Token"], {"project": {"id": api.identity.project_id}})
    flavors = api.call("GET", "/training-job-flavors", headers={"X-Auth-Token": second.headers["X-Subject-Token"]})

    assert second.status_code == 201
    assert second.json()["token"]["methods"] == ["password", "token"]
    assert second.json()["token"]["expires_at"] == first.json()["token"]["expires_at"]
    assert flavors.status_code == 200


def test_a_token_is_shown_as_it_was_issued(api: Any, subject: str, log_in: Any) -> None:
    """GET shows it all, HEAD nothing; `nocatalog` leaves out the catalogue. Another account does not find it."""
    stranger = log_in(api.emulator, api.emulator.add_identity("bert", account="umbrella"))
    for method in ("GET", "HEAD", "DELETE"):
        assert ask(api, method, "made up").status_code == ask(stranger, method, subject).status_code == 404, method
    shown = ask(api, "GET", subject)
    short = ask(api, "GET", subject, nocatalog="1")
    checked = ask(api, "HEAD", subject)

    assert shown.headers["X-Subject-Token"] == subject
    assert shown.json()["token"]["user"]["name"] == "developer"
    assert [entry["type"] for entry in shown.json()["token"]["catalog"]][-1] == "modelartsv2"
    assert "catalog" not in short.json()["token"]
    assert (checked.status_code, checked.content) == (200, b"")


def test_a_revoked_token_ends_and_others_stay(api: Any, subject: str) -> None:
    """It neither opens a project, nor is it found, nor exchanged for another one."""
    assert ask(api, "DELETE", subject).status_code == 204

    assert rejection(api, subject) == "ModelArts.0203"
    assert ask(api, "HEAD", subject).status_code == 404
    assert rescoped(api, subject, None).status_code == 401
    assert api.call("GET", "/training-job-flavors").status_code == 200


def test_every_revoked_token_stays_revoked_after_a_reset_and_a_restart(tmp_path: Path) -> None:
    """A later revocation forgets no earlier one."""
    with serve(tmp_path / "data", executor="simulated", check_responses=True) as api:
        tokens = [api.log_in().headers["X-Subject-Token"] for _ in range(3)]
        assert [ask(api, "DELETE", token).status_code for token in tokens[:2]] == [204, 204]
        api.emulator.reset()
    with serve(tmp_path / "data", executor="simulated", check_responses=True) as api:
        assert [ask(api, "HEAD", token).status_code for token in tokens] == [404, 404, 200]
        assert [rejection(api, token) for token in tokens] == ["ModelArts.0203"] * 2 + [None]


def test_users_of_a_file_log_in_and_that_of_the_folder_is_gone(credentials: Path, tmp_path: Path, log_in: Any) -> None:
    """The credentials file replaces the user of the data folder, whose tokens end."""
    with Emulator(tmp_path / "data") as emulator:
        own = emulator.identity
        old = log_in(emulator)
    with Emulator(tmp_path / "data", credentials=credentials, check_responses=True) as emulator:
        anna, bert = (log_in(emulator, identity) for identity in emulator.identities[:2])
        assert rejection(bert, bert.http.headers["X-Auth-Token"]) is None
        assert anna.log_in(account=own.account, user=own.user, password=own.password).status_code == 401
        headers = {"X-Auth-Token": old.http.headers["X-Auth-Token"]}
        response = anna.http.get(f"{old.project}/training-job-flavors", headers=headers)
        assert rejected(response) == (401, "ModelArts.0203")


def rejection(api: Any, token: str) -> str | None:
    """The code with which a request with this token is rejected; None if it is served."""
    response = api.call("GET", "/training-job-engines", headers={"X-Auth-Token": token.encode()})
    return None if response.is_success else rejected(response)[1]


def test_an_expired_token_is_rejected(log_in: Any) -> None:
    with Emulator(executor="simulated") as emulator:
        emulator.clock.freeze()
        api = log_in(emulator)
        token = api.http.headers["X-Auth-Token"]

        emulator.clock.advance(24 * 3600 - 1)
        assert rejection(api, token) is None
        emulator.clock.advance(1)
        assert rejection(api, token) == "ModelArts.0202"


def test_a_token_with_other_claims_or_of_another_emulator_is_rejected(api: Any, log_in: Any) -> None:
    """So is any other text; another letter at an end can decode to the same bytes, and is rejected nonetheless."""
    claims, mac = api.http.headers["X-Auth-Token"].split(".")
    content = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    forged = base64.urlsafe_b64encode(json.dumps([*content[:2], 9e9, *content[3:]]).encode()).rstrip(b"=").decode()
    alphabet = string.ascii_letters + string.digits + "-_="
    altered = {f"{claims}.{mac[:-1]}{letter}" for letter in alphabet if letter != mac[-1]}
    altered |= {f"{claims[:-1]}{letter}.{mac}" for letter in alphabet if letter != claims[-1]}
    altered |= {"garbage", "MIIZmgYJKoZIhvcNAQcCoIIZizCCGYcCAQ.x", "ä.ö", "."}
    with Emulator(executor="simulated") as other:
        altered |= {log_in(other).http.headers["X-Auth-Token"]}
    altered |= {f"{forged}.{mac}", f"{claims}=.{mac}", f"{claims}.{mac}."}

    assert rejection(api, f"{claims}.{mac}") is None
    assert {rejection(api, token) for token in altered} == {"ModelArts.0203"}
