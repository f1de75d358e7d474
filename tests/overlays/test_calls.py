"""Single calls: whatever comes back, and what errors keep and hide."""

import contextlib
import gzip
import logging
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jsonschema_rs
import pytest
from hypothesis import given
from tests.local_servers import LocalHandler, serving
from tests.overlays.conftest import PROJECT, Twin
from tests.secret_values import HEADER_SECRETS, MARK, SECRETS, names

import modelarts_openapi
from modelarts_api.v2 import models as v2
from modelarts_api.v2.api.flavors import show_training_job_flavors
from modelarts_api.v2.models import TrainingJob
from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts, NotFound, ObsError, as_request, errors
from modelarts_toolkit.errors import (
    ApiError,
    BadRequest,
    ConnectionFailed,
    ServiceFailure,
    ToolkitError,
    TooManyRequests,
)
from modelarts_toolkit.http.redaction import redact, redact_record
from modelarts_toolkit.http.transport import BufferedTransport, ErrorMappingTransport
from modelarts_toolkit.jobs.info import TrainingJobInfo
from modelarts_toolkit.settings.config import Config, Settings


def response(status: bytes = b"200 OK", body: bytes = b"{}", *headers: bytes) -> bytes:
    lines = [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), b"Connection: close", *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        (response(b"299 Odd"), None),
        (response(b"999 Odd"), ApiError),
        (response(b"599 Odd"), ServiceFailure),
        (response(b"301 Moved", b"", b"Location: http://127.0.0.1:1/"), ApiError),
        (response(b"304 Not Modified", b""), ApiError),
        (response(b"200 OK", b"{}", b"Content-Encoding: gzip"), ConnectionFailed),
        (response(b"200 OK", gzip.compress(b"{}" * 99)[:30], b"Content-Encoding: gzip"), ApiError),
        (response(b"200 OK", b"\x8b\x00{}", b"Content-Encoding: br"), ApiError),
        (response(b"200 OK", b"\x8b\x00{}", b"Content-Encoding: unheard-of"), ApiError),
        (response(b"200 OK", b"{}", b"Content-Type: application/json; charset=unheard-of"), None),
        (response(b"200 OK", b'{"a": "\xff"}'), ApiError),
        (response(b"200 OK", b"[" * 100_000), ApiError),
        (response(b"200 OK", b"9" * 5000), ApiError),
        (response(b"429 Too Many", b"{}", b"Date: soon", b"Retry-After: -5"), TooManyRequests),
        (response(b"400 Bad", b'{"error_code": ["a"], "error_msg": "\\ud800"}'), BadRequest),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", ConnectionFailed),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", ConnectionFailed),
        (b"no HTTP\r\n\r\n", ConnectionFailed),
        (b"", ConnectionFailed),
    ],
)
def test_whatever_a_server_sends_ends_in_the_tree_of_errors(
    twin: Twin, sent: bytes, error: type[ToolkitError] | None
) -> None:
    class Odd(LocalHandler):
        def handle(self) -> None:
            self.request.recv(65536)
            self.request.sendall(sent)

    def detailed(ma: Any) -> Any:
        call = show_training_job_flavors.asyncio_detailed if twin.is_async else show_training_job_flavors.sync_detailed
        return call(PROJECT, client=ma._training)

    with serving(Odd) as url:
        settings = Settings(endpoint=url, token="t", project_id=PROJECT, retries=0)
        if error is None:
            assert twin.do(detailed, **settings).status_code in (200, 299)
        else:
            with pytest.raises(error) as caught:
                twin.do(detailed, **settings)
            assert type(caught.value) is error


@pytest.mark.parametrize(
    "error",
    [
        errors.ConfigError("no endpoint"),
        errors.ConnectionFailed("no response"),
        errors.ObsError("no bucket", url="obs://b/"),
        errors.JobStopped("stopped", TrainingJobInfo(TrainingJob.from_dict({"kind": "job"}))),
        errors.JobFailed(
            "failed", TrainingJobInfo(TrainingJob.from_dict({"kind": "job"})), {"worker-0": 1}, ["last line"]
        ),
    ],
)
def test_an_error_survives_the_way_to_another_process(error: errors.ToolkitError) -> None:
    copy = pickle.loads(pickle.dumps(error))

    jobs = [vars(each).pop("job", None) for each in (copy, error)]
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))
    assert jobs[0] is None or jobs[0].details == jobs[1].details


DOCUMENT = modelarts_openapi.load("v2")
VALIDATOR = jsonschema_rs.Draft202012Validator(
    {"$ref": "#/components/schemas/CreateTrainingJobRequest", "components": DOCUMENT["components"]}
)
FLAVOR = {"cpu_core_num": 8, "mem_size": 32.5, "accelerator_num": 0}  # JSON numbers without and with a point


def documented_jobs():
    """Every job in an example of the document."""
    for item in DOCUMENT["paths"].values():
        for operation in (value for value in item.values() if isinstance(value, dict)):
            for response in operation["responses"].values():
                for media in response.get("content", {}).values():
                    for name, example in media.get("examples", {}).items():
                        reference = media["schema"].get("$ref", "").rpartition("/")[2]
                        jobs = {"TrainingJob": [example["value"]], "TrainingJobList": example["value"].get("items", [])}
                        for number, job in enumerate(jobs.get(reference, [])):
                            yield pytest.param(job, id=f"{name}-{number}")


@pytest.mark.parametrize("document", list(documented_jobs()))
def test_every_documented_job_becomes_a_valid_request(document):
    request = as_request(v2.TrainingJob.from_dict(document), name="again")

    assert [error.message for error in VALIDATOR.iter_errors(request)] == []
    assert request["metadata"]["name"] == "again"
    assert request["spec"]["resource"]["flavor_id"] == document["spec"]["resource"]["flavor_id"]


def test_a_request_keeps_what_its_job_was_created_with_and_nothing_that_the_service_added():
    job = v2.TrainingJob.from_dict(
        {
            "kind": "job",
            "metadata": {"id": "1", "name": "a", "description": "", "annotations": {"x/enable": "true"}},
            "status": {"phase": "Completed"},
            "algorithm": {
                "code_dir": "/bucket/code/",
                "boot_file": "/bucket/code/train.py",
                "engine": {"engine_id": "pytorch", "v1_compatible": False, "tags": []},
                "parameters": [{"name": "epochs", "value": "3", "i18n_description": None, "constraint": {}}],
                "inputs": [{"name": "data", "local_dir": "/in", "remote": {"obs": {"obs_url": "/b/data/"}}}],
                "policies": {},
                "environments": [{"A": "b"}, {"C": "d"}],
            },
            "spec": {
                "resource": {
                    "flavor_id": "f",
                    "node_count": 1,
                    "flavor_detail": {"flavor_type": "CPU"},
                    "main_container_customized_flavor": FLAVOR,
                },
                "log_export_path": {},
                "is_hosted_log": True,
            },
            "colour": "red",
        }
    )  # fmt: skip

    assert as_request(job) == {
        "kind": "job",
        "metadata": {"name": "a", "annotations": {"x/enable": "true"}},
        "algorithm": {
            "code_dir": "/bucket/code/",
            "boot_file": "/bucket/code/train.py",
            "engine": {"engine_id": "pytorch"},
            "parameters": [{"name": "epochs", "value": "3"}],
            "inputs": [{"name": "data", "local_dir": "/in", "remote": {"obs": {"obs_url": "/b/data/"}}}],
            "environments": {"A": "b", "C": "d"},
        },
        "spec": {"resource": {"flavor_id": "f", "node_count": 1, "main_container_customized_flavor": FLAVOR}},
    }


CANARY = "CANARY-7f3a"


class Endpoint(LocalHandler):
    """Logs everybody in with a secret token, and repeats secrets in the headers of any other response."""

    def do_POST(self) -> None:
        self.content()
        secrets = dict.fromkeys(("X-Subject-Token", "X-Auth-Token", "X-Security-Token", "Set-Cookie"), CANARY)
        self.respond(201 if self.path.endswith("tokens") else 200, b"{}", secrets)

    do_GET = do_PUT = do_POST


@pytest.fixture
def server() -> Iterator[str]:
    with serving(Endpoint) as url:
        yield url


def test_no_secret_is_logged_at_any_level(server: str, caplog: pytest.LogCaptureFixture) -> None:
    """A login, a call, a bucket and a presigned URL, with every logger at its lowest level."""
    loggers = ("httpx", "httpcore.http11", "httpx_retries.transport", "modelarts_toolkit")
    for logger in ("", *loggers):
        caplog.set_level(1, logger)
    names = ("username", "password", "domain_name", "project_id")
    with ModelArts(
        endpoint=server,
        iam_endpoint=server,
        obs_endpoint=server,
        access_key=f"AK{CANARY}",
        secret_key=CANARY,
        security_token=CANARY,
        **dict.fromkeys(names, CANARY[:6]) | {"password": CANARY},  # type: ignore[arg-type]
    ) as ma:
        ma.v2.flavors.show_training_job_flavors()
        with contextlib.suppress(ObsError):
            ma.obs.create_bucket("bucket")
    for scheme in ("Signature", "X-Amz-Signature", "AWSAccessKeyId", "x-obs-security-token", "X-Amz-Credential"):
        transport = ErrorMappingTransport(BufferedTransport(lambda kind: kind(), lambda *_: None))
        with httpx.Client(transport=transport) as client:
            client.get(f"{server}/b/k?partNumber=1&{scheme}={CANARY}%2F1&Expires=5")

    logged = [f"{record.name} {record.getMessage()}" for record in caplog.records]
    assert [line for line in logged if CANARY in line] == []
    assert {logger for logger in loggers if any(line.startswith(f"{logger} ") for line in logged)} == {*loggers}
    assert [line for line in logged if "partNumber=1" in line and "Expires=5" in line]


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("GET https://h/b?Signature=a%2Bb&x=1 done", "GET https://h/b?Signature=***&x=1 done"),
        ("<Request('GET', 'https://h/b?X-Amz-Signature=abc')>", "<Request('GET', 'https://h/b?X-Amz-Signature=***')>"),
        ("https://h/b?AWSAccessKeyId=AK1&Expires=5", "https://h/b?AWSAccessKeyId=***&Expires=5"),
        ("http://user:pass@proxy.example.com:3128/", "http://***@proxy.example.com:3128/"),
        ("http://user:p@example.com@proxy.example.com/a@b", "http://***@proxy.example.com/a@b"),
        ("https://h?mail=a@b.example.com", "https://h?mail=a@b.example.com"),
        ("at https://h/b?x=1#access_token=abc.", "at https://h/b?x=1#access_token=***"),
        ("nothing to hide: a@b.example.com?", "nothing to hide: a@b.example.com?"),
        ("[(b'X-Subject-Token', b'abc'), (b'Date', b'now')]", "[(b'X-Subject-Token', b'***'), (b'Date', b'now')]"),
    ],
)
def test_secrets_are_replaced_and_the_rest_stays(text: str, redacted: str) -> None:
    assert redact(text) == redacted


@given(names("-"), HEADER_SECRETS, SECRETS)
def test_no_log_record_shows_a_secret_of_a_header_or_an_address(name: str, header: str, parameter: str) -> None:
    """Under any name, with any characters, as the HTTP libraries log them."""
    url = httpx.URL("https://h/b", params={"x": "1", name: parameter, "y": "2"})
    headers = [(b"Date", b"now"), (name.encode(), header.encode()), (b"X-Trace", b"1")]
    for text, arguments in (
        ('HTTP Request: %s %s "%s %d %s"', ("GET", url, "HTTP/1.1", 200, "OK")),
        ("receive_response_headers.complete return_value=%r", ((b"HTTP/1.1", 200, b"OK", headers),)),
        ("send_request_headers.started request=%r", (httpx.Request("GET", url),)),
    ):
        record = logging.LogRecord("httpx", logging.INFO, "", 1, text, arguments, None)

        assert redact_record(record), record.msg
        assert MARK not in record.getMessage(), record.msg
        assert any(shown in record.getMessage() for shown in ("y=2", "X-Trace")), record.msg


FILE = """\
name: digits
code: code
boot: train.py
engine: pytorch_1.8*
flavor: modelarts.vm.cpu.8u
"""


@pytest.mark.parametrize(("status", "code"), [(404, "APIG.0101"), (501, "ModelArts.2858"), (403, "ModelArts.0204")])
def test_an_operation_that_the_service_lacks_is_asked_for_once(
    emulator: Emulator, emulator_environment: dict[str, str], file: Path, status: int, code: str
) -> None:
    """A job is explained and a file is checked as if there were no such operation."""
    operations = ["listTrainingJobStages", "showTrainingQuotas", "validateTrainingJobName"]
    emulator.clock.freeze()
    with ModelArts() as ma:
        job = ma.jobs.submit_file(file)
        emulator.faults.add(kind="status", status=status, code=code, operations=operations)

        assert [job.stage(), job.stage()] == [None, None]
        assert "stage" not in job.explain().text
        assert ma.jobs.check_file(file) == ma.jobs.check_file(file) == []

    assert emulator.faults.list()[0]["calls"] == len(operations)


def test_another_failure_of_such_an_operation_is_an_error(
    emulator: Emulator, emulator_environment: dict[str, str], file: Path
) -> None:
    """It says nothing about which operations there are."""
    with ModelArts(retries=0) as ma:
        job = ma.jobs.submit_file(file)
        emulator.faults.add(kind="status", status=500, count=1, operations=["listTrainingJobStages"])

        with pytest.raises(ServiceFailure):
            job.stage()
        stage = job.stage()

    assert stage is not None
    assert stage.start_time


def test_a_file_is_checked_against_names_and_the_quota(tmp_path: Path, file: Path, twin: Twin) -> None:
    """A name that is taken matters unless it gets a suffix."""
    with Emulator(data_dir=tmp_path / "emulator", executor="simulated", max_jobs=1) as emulator:
        config = Config.load(environ=emulator.environment())
        assert twin.do(lambda ma: ma.jobs.check_file(file), config=config) == []
        twin.do(lambda ma: ma.jobs.submit_file(file), config=config)

        found = twin.do(lambda ma: ma.jobs.check_file(file), config=config)
        unnamed = twin.do(lambda ma: ma.jobs.check_file(file, unique=True), config=config)

    assert found[0] == f"{file}:1:1: metadata.name: there is a job digits already: choose another name"
    assert unnamed == found[1:]
    assert "the quota of jobs is used up, 1 of 1: delete jobs" in unnamed[0]


def test_where_the_service_has_no_tags_its_response_is_raised(
    twin: Twin, emulator: Emulator, emulator_environment: dict[str, str]
) -> None:
    """All jobs would be the wrong ones."""
    emulator.faults.add(kind="status", status=404, code="APIG.0101", operations=["listTrainingJobsByTags"])
    with pytest.raises(NotFound, match=r"APIG\.0101"):
        twin.do(lambda ma: ma.jobs.list(tags={"team": "vision"}))
