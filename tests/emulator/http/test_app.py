"""The way in and out of every operation: tokens, projects, paths, methods, bodies."""

from __future__ import annotations

import copy
import errno
import json
import re
import socket
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import boto3
import httpx
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from click.testing import CliRunner
from sqlalchemy import Engine, event
from tests.emulator.conftest import rejected, serve
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

import modelarts_openapi
from modelarts_emulator.http.contract import with_own_limits
from modelarts_emulator.server import Emulator, EmulatorError
from modelarts_toolkit.cli.commands import modelarts


def test_a_project_that_is_not_the_tokens_is_not_found(api: Any) -> None:
    """Nor is an unknown path, which gets the response of the gateway."""
    assert rejected(api.http.get("/v2/another/training-job-flavors")) == (404, "ModelArts.2786")
    paths = ["/nowhere", "/v2", f"{api.project}/", f"{api.project}/training-jobs/", "/v3/nowhere"]
    assert {path: rejected(api.http.get(path)) for path in paths} == dict.fromkeys(paths, (404, "APIG.0101"))


def test_a_body_that_is_too_large_is_rejected_before_it_is_read_to_its_end(api: Any) -> None:
    def endless() -> Any:
        while True:
            yield b" " * 65536

    response = api.call("POST", "/training-jobs", content=endless())

    assert rejected(response) == (413, "APIG.0201")


def test_the_path_of_the_use_case_leads_to_the_engines_too(api: Any) -> None:
    """Every response has a request id of its own."""
    paths = [f"{api.project}/job/training-job-engines", f"{api.project}/training-job-engines", "/nowhere"]
    responses = [api.http.get(path) for path in paths]

    assert responses[0].json() == responses[1].json()
    assert len({response.headers["X-Request-Id"] for response in responses}) == 3


def test_responses_on_one_connection_do_not_wait_for_acknowledgements(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A socket that asyncio does not know as TCP keeps Nagle's algorithm, which delays each response by 40 ms."""
    delays = []
    made = HttpToolsProtocol.connection_made

    def connection_made(self: Any, transport: Any) -> None:
        made(self, transport)
        opened = transport.get_extra_info("socket")
        delays.append(opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(HttpToolsProtocol, "connection_made", connection_made)
    for url in (api.emulator.endpoint, api.emulator.obs_endpoint):
        httpx.get(url)

    assert len(delays) == 2
    assert all(delays)


def test_a_full_disk_is_reported_and_loses_nothing(
    tmp_path: Path, new_puppet: Any, caplog: pytest.LogCaptureFixture, request: pytest.FixtureRequest
) -> None:
    """The error says what is wrong and what to do, without a traceback; what was created before is still there."""

    def limit(connection: Any, _record: Any) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 100}")  # of four kilobytes

    request.addfinalizer(lambda: event.remove(Engine, "connect", limit))
    event.listen(Engine, "connect", limit)
    with serve(tmp_path / "data", executor=new_puppet(tmp_path), check_responses=True) as api:
        ids, response = [], None
        for _ in range(400):
            body = api.algorithm_body()
            body["metadata"]["description"] = "x" * 250
            response = api.call("POST", "/algorithms", json=body)
            if response.status_code != 201:
                break
            ids.append(response.json()["metadata"]["id"])
        assert response is not None
        assert rejected(response) == (500, "ModelArts.2950")
        assert "disk" in response.json()["error_msg"]
        assert response.json()["error_solution"] == "Free some space on it and repeat the request."
        assert ids
        assert all(api.call("GET", f"/algorithms/{each}").status_code == 200 for each in ids)

    assert not [record for record in caplog.records if record.exc_info]


def test_a_limit_of_the_system_is_named_and_the_request_can_be_repeated(
    api: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Such as the number of open files."""

    def fail(*_: str) -> None:
        raise OSError(errno.EMFILE, "Too many open files", "/a/path")

    with monkeypatch.context() as patch:
        patch.setattr(api.emulator.objects._store, "sizes", fail)
        response = api.call("POST", "/training-jobs", json=api.job_body())

    assert rejected(response) == (503, "ModelArts.2950")
    assert response.json()["error_msg"] == "The emulator has reached a limit of the system: Too many open files."
    assert "ulimit -n" in response.json()["error_solution"]
    assert not [record for record in caplog.records if record.exc_info]


def test_an_operation_that_is_not_emulated_is_rejected_with_501(api: Any) -> None:
    """Without a token it is 401, and a malformed request is 400, as for any operation."""
    path = "/gallery-algorithm-publication"

    response = api.call("POST", path, json={"content_id": "1"})

    assert rejected(response) == (501, "ModelArts.2858")
    assert response.json()["error_msg"] == (
        "The emulator does not have the operation createAlgorithmVersionToGallery:"
        " AI Gallery is another service, in which an emulator cannot publish."
    )
    assert response.json()["error_solution"].startswith("Send the request to the service")
    assert rejected(api.call("POST", path, json={"content": "1"})) == (400, "ModelArts.2788")
    assert rejected(api.call("POST", path, json={}, headers={"X-Auth-Token": ""})) == (401, "ModelArts.0201")


PAGE = Path(__file__).parents[3] / "docs" / "emulator-differences.md"


def test_a_request_beyond_a_limit_of_the_emulator_is_told_whose_limit_it_is(api: Any) -> None:
    """A caller may not know it, as the documents do not have it: each stands with its reason on a page."""
    response = api.call("POST", "/training-job-searches", json={"filters": [{"operator": "in", "value": ["x"]}]})
    text = files("modelarts_emulator.http").joinpath("own_limits.toml").read_text("utf-8")
    reasons = {entry["because"] for entry in tomllib.loads(text)["limit"]}
    page = re.sub(r"\s+", " ", PAGE.read_text("utf-8"))

    assert response.status_code == 400
    assert "(this limit is the emulator's own)" in response.json()["error_msg"]
    assert {reason for reason in reasons if reason not in page} == set()


def test_a_limit_of_something_that_no_document_has_is_an_error() -> None:
    """It would limit nothing, and nobody would notice."""
    document = copy.deepcopy(modelarts_openapi.load("v2"))
    del document["components"]["schemas"]["InputRequest"]

    with pytest.raises(EmulatorError, match=r"v2 has no InputRequest\.name"):
        with_own_limits("v2", document)


def test_every_request_has_a_line_before_its_client_has_the_response(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the method, the path without its query, the status, the client and the executor.

    Emulators share the file that the environment names.
    """
    file = tmp_path / "access.jsonl"
    monkeypatch.setenv("MODELARTS_EMULATOR_ACCESS_LOG", str(file))
    with Emulator(executor="simulated") as emulator, httpx.Client(base_url=emulator.endpoint) as client:
        client.get("/v3?token=s3cret", headers={"User-Agent": "tester/1"})
        client.get("/v2/p/training-jobs/j", headers={"X-Auth-Token": "s3cret"})
    with Emulator(executor="simulated") as emulator:
        httpx.get(f"{emulator.endpoint}/nowhere")
        found = [json.loads(line) for line in file.read_text().splitlines()]

    calls = [(line["method"], line["path"], line["status"]) for line in found]
    assert calls == [("GET", "/v3", 400), ("GET", "/v2/p/training-jobs/j", 401), ("GET", "/nowhere", 404)]
    assert (found[0]["user_agent"], found[0]["executor"]) == ("tester/1", "simulated")
    assert all(0 <= line["duration_ms"] < 60_000 and line["at"] > 1.7e9 for line in found)
    assert "s3cret" not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_file_that_cannot_be_written_is_reported_at_the_start(tmp_path: Path) -> None:
    with (
        pytest.raises(EmulatorError, match=r"the access log .* cannot be written \(No such file or directory\)"),
        Emulator(executor="simulated", access_log=tmp_path / "missing" / "access.jsonl"),
    ):
        pass


ONCE = Config(retries={"max_attempts": 0})
PUBLIC = {("GET", "/"), ("GET", "/v3"), ("POST", "/v3/auth/tokens"), ("GET", "/_emulator/health")}
PUBLIC |= {("POST", "/v3.0/OS-CREDENTIAL/securitytokens")}  # it checks the token in its body itself


@pytest.fixture(scope="module")
def other(log_in: Any) -> Iterator[Any]:
    """A client of the stranger's own emulator."""
    with Emulator(executor="simulated") as emulator:
        yield log_in(emulator)


@pytest.fixture
def guesses(other: Any) -> list[dict[str, str]]:
    """Headers of a stranger: none, tokens of an emulator of their own, and what is the same everywhere."""
    user = other.identity
    names = ["developer", "eu-de", user.project_id, "modelarts-emulator"]
    tokens = [other.emulator.control_token, user.password, other.http.headers["X-Auth-Token"], *names]
    return [{}, *({"X-Auth-Token": token, "Authorization": f"Bearer {token}"} for token in tokens)]


def test_no_operation_serves_a_stranger(
    api: Any, operations: list[tuple[str, str]], guesses: list[dict[str, str]]
) -> None:
    """Every operation but the public ones asks for a token of this emulator, and without one changes nothing."""
    api.create_algorithm()
    calls, project = set(operations) - PUBLIC, api.identity.project_id
    with httpx.Client(base_url=api.emulator.endpoint) as client:
        served = [
            (method, path)
            for method, path in calls
            for headers in guesses
            if client.request(method, path.replace("{project_id}", project), headers=headers).status_code != 401
        ]

    assert served == []
    assert len(calls) >= 35
    assert api.call("GET", "/algorithms").json()["total"] > 0


def test_a_stranger_can_neither_read_nor_write_objects(api: Any, other: Any) -> None:
    """The object store knows only the keys of its own data folder."""
    api.store.put(api.bucket, "kept", b"content")
    own, right = other.identity, api.identity
    outcomes = set()
    for access_key, secret_key in (
        (own.access_key, own.secret_key),
        (right.access_key, own.secret_key),
        (right.access_key, right.password),
    ):
        keys = {"aws_access_key_id": access_key, "aws_secret_access_key": secret_key}
        s3 = boto3.client("s3", endpoint_url=api.emulator.obs_endpoint, region_name="eu-de", config=ONCE, **keys)
        kept = {"Bucket": api.bucket, "Key": "kept"}
        for call, arguments in (
            (s3.list_buckets, {}),
            (s3.get_object, kept),
            (s3.put_object, kept),
            (s3.delete_object, kept),
            (s3.create_bucket, {"Bucket": "another"}),
        ):
            with pytest.raises(ClientError) as caught:
                call(**arguments)
            outcomes.add(caught.value.response["Error"]["Code"])
    url, methods = f"{api.emulator.obs_endpoint}/{api.bucket}/kept", ["GET", "HEAD", "PUT", "POST", "DELETE"]
    assert {method: httpx.request(method, url).status_code for method in methods} == dict.fromkeys(methods, 403)

    assert outcomes == {"InvalidAccessKeyId", "SignatureDoesNotMatch"}
    assert api.store.read(api.bucket, "kept") == b"content"
    assert not api.store.has_bucket("another")


def test_the_page_on_security_names_options_that_exist() -> None:
    """Whoever follows the page finds each option in the command or, for a container, in that of Docker."""
    page = (Path(__file__).parents[3] / "docs" / "security.md").read_text("utf-8")
    texts = [CliRunner().invoke(modelarts, ["emulator", *words, "--help"]).output for words in ([], ["env"])]

    options = re.compile(r"--[a-z][a-z-]+")
    assert set(options.findall(page)) - set(options.findall("".join(texts))) == {"--publish"}
