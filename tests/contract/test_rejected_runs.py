"""`modelarts contract run` where it cannot begin, or cannot go on: a sentence, an exit status, and nothing created."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.contract.played import CANARY, Colleague, Played, run

from modelarts_contract.commands import contract
from modelarts_contract.finding import Kind
from modelarts_contract.proxy import Forward, ProxyRequest, ProxyResponse
from modelarts_contract.run.result import read


def respond_always(status: int, body: bytes, content_type: str = "application/json") -> Any:
    return lambda request, forward: ProxyResponse(status, body, {"content-type": content_type, "retry-after": "0"})


def after(number: int, respond: Any) -> Any:
    """Behave for this number of requests to ModelArts, and respond with this from then on."""
    seen = 0

    def interfere(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        nonlocal seen
        seen += request.path.startswith("/v2/")
        return respond(request, forward) if seen > number and request.path.startswith("/v2/") else forward(request)

    return interfere


def without_token(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """A login that succeeds, without the header that has the token."""
    response = forward(request)
    kept = {name: value for name, value in response.headers.items() if name.lower() != "x-subject-token"}
    return replace(response, headers=kept)


EXPIRED = respond_always(401, b'{"error_code": "ModelArts.0203", "error_msg": "The token has expired."}')


@pytest.mark.parametrize(
    ("interfere", "said"),
    [
        (respond_always(200, b"<html>hello</html>", "text/html"), "is not ModelArts"),
        (respond_always(404, b"not found", "text/plain"), "rejects a first request|is not ModelArts|login"),
        (respond_always(429, b"{}"), "429"),
        (
            without_token,
            r"v3/auth/tokens gives no token: the header X-Subject-Token is missing in the .*\(status 201\)",
        ),
        (after(3, respond_always(429, b"{}")), r"asks to slow down \(429\)"),
        (after(3, EXPIRED), "does not accept the credentials any more.*has expired"),
    ],
    ids=[
        "HTML",
        "another service",
        "only 429",
        "login without a token",
        "429 in the middle",
        "token expires in the middle",
    ],
)
def test_a_service_that_cannot_be_tried_ends_the_run_with_a_sentence(
    interfere: Any, said: str, played: Played, tmp_path: Path
) -> None:
    """Nothing is created, and the reports say that the run ended before its time."""
    played.interfere = interfere

    done = run(played, "--documents", "v2", "--report", str(tmp_path / "report"))

    assert done.exit_code == 3, done.output
    assert re.search(said, done.output), done.output
    assert "Traceback" not in done.output
    assert played.created == set()
    assert re.search(f"The run ended before its time: .*({said})", (tmp_path / "report" / "report.txt").read_text())
    assert read(tmp_path / "report" / "results.json").exit_status == 3
    evidence = json.loads((tmp_path / "report" / "evidence.json").read_text())["log"]["_evidence"]
    assert evidence["trouble"]
    assert len(evidence["assumptions"]) == 95


def test_the_page_of_a_portal_shows_nothing_that_does_not_exist_and_settles_no_assumption(
    played: Played, colleague: Colleague, tmp_path: Path
) -> None:
    """It comes for labels, and instead of errors: a response that does not fit its schema."""
    portal = ProxyResponse(200, b"<html>log in</html>", {"content-type": "text/html"})

    def interfere(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        response = forward(request)
        return portal if response.status >= 400 or "/modelarts-training-job/" in request.path else response

    played.interfere = interfere

    done = run(played, "--documents", "v2", "--report", str(tmp_path / "report"))

    found = read(tmp_path / "report" / "results.json")
    kinds = {each.kind for one in found.new for each in (one, *one.also)}
    assert Kind.INVALID_RESPONSE in kinds, done.output
    assert not kinds & {Kind.ABSENT, Kind.PAGE_SIZE}, done.output
    assert [each.place for each in found.assumptions if each.outcome == "contradicted"] == []


def test_an_address_without_a_service_is_named(monkeypatch: pytest.MonkeyPatch, played: Played) -> None:
    for name in ("MODELARTS_ENDPOINT", "MODELARTS_IAM_ENDPOINT", "OS_AUTH_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    done = CliRunner().invoke(contract, ["run", "--yes", "--service", "http://127.0.0.1:9"])

    assert done.exit_code == 3, done.output
    assert "http://127.0.0.1:9" in done.output


def test_missing_settings_are_named(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if re.search("PASSWORD|_KEY|_SK|_AK", name)]:
        monkeypatch.delenv(name)

    done = run(played)

    assert done.exit_code == 2, done.output
    assert "MODELARTS_PASSWORD" in done.output
    assert played.sent == []


def test_settings_for_another_service_are_rejected(played: Played) -> None:
    done = CliRunner().invoke(contract, ["run", "--service", "https://modelarts.example.com"])

    assert done.exit_code == 2
    assert "the settings are for http://127" in done.output
    assert played.sent == []


def test_a_wrong_password_is_said_once_and_not_shown(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OS_PASSWORD", CANARY)

    done = run(played)

    assert done.exit_code == 3, done.output
    assert CANARY not in done.output
    assert "evidence.json has no response of the service: there is nothing to send." in done.output
    assert len(played.sent) == 1


def test_object_storage_that_rejects_the_code_leaves_nothing(
    played: Played, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("MODELARTS_SECRET_KEY", "HUAWEICLOUD_SDK_SK", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, CANARY)

    done = run(played, "--write", "--documents", "v2")

    assert done.exit_code == 3, done.output
    assert "rejects the code" in done.output
    assert CANARY not in done.output
    assert list((tmp_path / "journals").glob("*")) == []


def test_an_operation_that_alone_gets_401_is_a_finding_and_the_run_goes_on(played: Played, tmp_path: Path) -> None:
    """The login is right for all others; what the run says of itself is not a response of the service."""
    rejected = respond_always(401, b'{"error_code": "ModelArts.9999", "error_msg": "Not for you."}')
    played.interfere = lambda request, forward: (
        rejected(request, forward) if request.path.endswith("/training-job-flavors") else forward(request)
    )

    done = run(played, "--documents", "v2", "--report", str(tmp_path))

    result = read(tmp_path / "results.json")
    found = result.documents["v2"].operations
    assert (done.exit_code, "Guard" in done.output) == (1, False), done.output
    assert (found["showTrainingJobFlavors"].verdict, found["showTrainingJobEngines"].verdict) == ("broken", "kept")
    assert [(each.operation, each.kind) for each in result.findings] == [("showTrainingJobFlavors", Kind.REJECTED)]
