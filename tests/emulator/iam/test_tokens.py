"""Tokens, as clients of OpenStack and of the vendor ask for them, and who is rejected."""

from __future__ import annotations

import base64
import json
import string
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

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


@pytest.mark.parametrize(
    "wrong", [{"password": "wrong"}, {"user": "nobody"}, {"account": "another"}, {"project": "elsewhere"}]
)
def test_a_wrong_login_is_rejected_without_saying_more_than_needed(api: Any, wrong: dict[str, str]) -> None:
    response = api.log_in(**wrong)

    assert response.status_code == 401
    assert response.json()["error"]["code"] == 401
    assert response.json()["error"]["title"] == "Unauthorized"
    remedy = "GET /v3/auth/projects" if "project" in wrong else "modelarts emulator env"
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


def test_a_scope_is_either_a_project_or_an_account(api: Any) -> None:
    body = api.login_body()
    body["auth"]["scope"] = {"project": {"id": api.identity.project_id}, "domain": {"id": api.identity.domain_id}}
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


def test_a_token_without_a_scope_has_neither_project_nor_services(api: Any) -> None:
    token = api.log_in(project=None).json()["token"]

    assert token["catalog"] == []
    assert {"project", "domain"} & set(token) == set()


def test_a_token_of_an_account_has_the_services_that_need_no_project(api: Any) -> None:
    """Such a token lists projects, and enters none."""
    body = api.login_body(project=None)
    body["auth"]["scope"] = {"domain": {"id": api.identity.domain_id}}
    response = api.http.post("/v3/auth/tokens", json=body)
    mine = {"X-Auth-Token": response.headers["X-Subject-Token"]}
    entered = api.call("GET", "/training-job-flavors", headers=mine)

    assert response.json()["token"]["domain"] == {"id": api.identity.domain_id, "name": "emulator"}
    assert [entry["type"] for entry in response.json()["token"]["catalog"]] == ["identity", "object"]
    assert "eu-de" in [entry["name"] for entry in api.http.get("/v3/projects", headers=mine).json()["projects"]]
    assert (entered.status_code, entered.json()["error_code"]) == (401, "ModelArts.0212")


def test_a_user_can_be_given_by_id(api: Any) -> None:
    body = login(id=api.identity.user_id, password=api.identity.password)

    assert api.http.post("/v3/auth/tokens", json=body).status_code == 201
    body["auth"]["identity"]["password"]["user"]["id"] = "nobody"
    assert api.http.post("/v3/auth/tokens", json=body).status_code == 401


def test_a_token_is_exchanged_for_one_with_another_scope(api: Any) -> None:
    """The new token ends when the first one does."""
    first = api.log_in(project=None)
    second = rescoped(api, first.headers["X-Subject-Token"], {"project": {"id": api.identity.project_id}})
    flavors = api.call("GET", "/training-job-flavors", headers={"X-Auth-Token": second.headers["X-Subject-Token"]})

    assert second.status_code == 201
    assert second.json()["token"]["methods"] == ["password", "token"]
    assert second.json()["token"]["expires_at"] == first.json()["token"]["expires_at"]
    assert flavors.status_code == 200


def test_a_token_is_shown_as_it_was_issued(api: Any, subject: str) -> None:
    """GET shows it all, HEAD nothing; `nocatalog` leaves out the catalogue."""
    shown = ask(api, "GET", subject)
    short = ask(api, "GET", subject, nocatalog="1")
    checked = ask(api, "HEAD", subject)

    assert shown.headers["X-Subject-Token"] == subject
    assert shown.json()["token"]["user"]["name"] == "developer"
    assert [entry["type"] for entry in shown.json()["token"]["catalog"]][-1] == "modelartsv2"
    assert "catalog" not in short.json()["token"]
    assert (checked.status_code, checked.content) == (200, b"")


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE"])
def test_a_token_that_is_not_valid_is_not_found(api: Any, method: str) -> None:
    assert ask(api, method, "made up").status_code == 404


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE"])
def test_a_token_of_another_account_is_not_found(api: Any, subject: str, log_in: Any, method: str) -> None:
    stranger = log_in(api.emulator, api.emulator.add_identity("bert", account="umbrella"))

    assert ask(stranger, method, subject).status_code == 404
    assert ask(api, "HEAD", subject).status_code == 200


def test_a_revoked_token_ends_and_others_stay(api: Any, subject: str) -> None:
    """It neither opens a project, nor is it found, nor exchanged for another one."""
    assert ask(api, "DELETE", subject).status_code == 204
    entered = api.call("GET", "/training-job-flavors", headers={"X-Auth-Token": subject})

    assert (entered.status_code, entered.json()["error_code"]) == (401, "ModelArts.0203")
    assert ask(api, "HEAD", subject).status_code == 404
    assert rescoped(api, subject, None).status_code == 401
    assert api.call("GET", "/training-job-flavors").status_code == 200


def test_every_revoked_token_stays_revoked_after_a_reset_and_a_restart(tmp_path: Path, log_in: Any) -> None:
    """A later revocation forgets no earlier one."""
    with Emulator(tmp_path / "data", executor="simulated", check_responses=True) as emulator:
        api = log_in(emulator)
        tokens = [api.log_in().headers["X-Subject-Token"] for _ in range(3)]
        assert [ask(api, "DELETE", token).status_code for token in tokens[:2]] == [204, 204]
        emulator.reset()
    with Emulator(tmp_path / "data", executor="simulated", check_responses=True) as emulator:
        api = log_in(emulator)
        engines = [api.call("GET", "/training-job-engines", headers={"X-Auth-Token": token}) for token in tokens]

        assert [ask(api, "HEAD", token).status_code for token in tokens] == [404, 404, 200]
        assert [response.status_code for response in engines] == [401, 401, 200]


def test_users_of_a_file_log_in_and_that_of_the_folder_does_not(credentials: Path, tmp_path: Path, log_in: Any) -> None:
    """The credentials file replaces the user of the data folder."""
    with Emulator(tmp_path / "data") as emulator:
        own = emulator.identity
    with Emulator(tmp_path / "data", credentials=credentials, check_responses=True) as emulator:
        anna, bert = emulator.identities[:2]
        assert log_in(emulator, anna).http.headers["X-Auth-Token"]
        assert log_in(emulator, bert).http.headers["X-Auth-Token"]
        strange = log_in(emulator, anna).log_in(account=own.account, user=own.user, password=own.password)
        assert strange.status_code == 401


def test_a_token_of_a_user_who_is_gone_is_rejected(credentials: Path, tmp_path: Path, log_in: Any) -> None:
    with Emulator(tmp_path / "data", check_responses=True) as emulator:
        api = log_in(emulator)
        token, path = api.http.headers["X-Auth-Token"], f"{api.project}/training-job-flavors"
    with Emulator(tmp_path / "data", credentials=credentials, check_responses=True) as emulator:
        api = log_in(emulator)
        response = api.http.get(path, headers={"X-Auth-Token": token})
        assert (response.status_code, response.json()["error_code"]) == (401, "ModelArts.0203")


def rejection(api: Any, token: str) -> str | None:
    """The code with which a request with this token is rejected; None if it is served."""
    response = api.call("GET", "/training-job-engines", headers={"X-Auth-Token": token.encode()})
    return None if response.is_success else response.json()["error_code"]


@pytest.mark.parametrize("token", ["garbage", "MIIZmgYJKoZIhvcNAQcCoIIZizCCGYcCAQ.x", "ä.ö", "."])
def test_any_other_text_is_rejected(api: Any, token: str) -> None:
    assert rejection(api, token) == "ModelArts.0203"


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
    """Another letter at an end can decode to the same bytes, and is rejected nonetheless."""
    claims, mac = api.http.headers["X-Auth-Token"].split(".")
    content = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    forged = base64.urlsafe_b64encode(json.dumps([*content[:2], 9e9, *content[3:]]).encode()).rstrip(b"=").decode()
    alphabet = string.ascii_letters + string.digits + "-_="
    altered = {f"{claims}.{mac[:-1]}{letter}" for letter in alphabet if letter != mac[-1]}
    altered |= {f"{claims[:-1]}{letter}.{mac}" for letter in alphabet if letter != claims[-1]}
    with Emulator(executor="simulated") as other:
        altered |= {
            log_in(other).http.headers["X-Auth-Token"],
            f"{forged}.{mac}",
            f"{claims}=.{mac}",
            f"{claims}.{mac}.",
        }

    assert rejection(api, f"{claims}.{mac}") is None
    assert {rejection(api, token) for token in altered} == {"ModelArts.0203"}
