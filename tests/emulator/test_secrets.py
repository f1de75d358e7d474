"""No secret shows in a log line, a response, an error, a `repr` or a file but where the documentation says so.

A real emulator runs jobs of version 1, issues temporary keys, and is called with presigned URLs and wrong signatures.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from logging.handlers import BufferingHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest
from botocore.config import Config
from tests.emulator.conftest import Api, eventually
from tests.emulator.v1.conftest import V1Service

from modelarts_emulator.server import Emulator

FINAL_STATUSES = {10, 11, 12}  # of a version: completed, failed, stopped


@dataclass
class Played:
    """An emulator that was used in every way that involves a secret, and all that it said meanwhile."""

    api: Api
    secrets: dict[str, str] = field(default_factory=dict)
    responses: list[str] = field(default_factory=list)
    records: list[logging.LogRecord] = field(default_factory=list)

    @property
    def data_dir(self) -> Path:
        return self.api.emulator.data_dir

    def call(self, method: str, url: str, **arguments: Any) -> Any:
        """Call anything, keep the response, and return its document."""
        response = self.api.http.request(method, url, **arguments)
        self.responses.append(f"{response.url.path} {response.status_code} {response.headers} {response.text}")
        return response.json() if response.headers.get("content-type", "").startswith("application/json") else None

    def shown_in(self, text: str) -> list[str]:
        """The names of the secrets in the text."""
        return [name for name, secret in self.secrets.items() if secret in text]


def content_of(path: Path) -> str:
    """The bytes of a file; empty for a directory, and for what the emulator has removed meanwhile."""
    with suppress(FileNotFoundError, IsADirectoryError):
        return path.read_bytes().decode("latin-1")
    return ""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, log_in: Any) -> Iterator[Played]:
    folder = tmp_path_factory.mktemp("secrets")
    with Emulator(folder / "data", paths="mapping", check_responses=True) as emulator:
        played = Played(log_in(emulator))
        own = emulator.identity
        played.secrets |= {"password": own.password, "secret key": own.secret_key, "control": emulator.control_token}
        played.secrets["token"] = played.api.http.headers["X-Auth-Token"]
        handler = BufferingHandler(10**9)
        logger = logging.getLogger("modelarts_emulator")
        level, handlers = logger.level, logger.handlers
        logger.setLevel(1)
        logger.addHandler(handler)
        try:
            keys = _get_temporary_keys(played)
            _use_object_storage(played, keys)
            _run_jobs(played)
            _ask_the_control_api(played)
            played.records = handler.buffer
            yield played
        finally:
            logger.setLevel(level)
            logger.handlers = [other for other in handlers if other is not handler]


def _get_temporary_keys(played: Played) -> dict[str, str]:
    """Only the response that issues the keys has them."""
    body = {"auth": {"identity": {"methods": ["token"], "token": {"duration_seconds": 900}}}}
    response = played.api.http.post("/v3.0/OS-CREDENTIAL/securitytokens", json=body)
    keys: dict[str, str] = response.json()["credential"]
    played.secrets |= {"temporary secret": keys["secret"], "security token": keys["securitytoken"]}
    url = "/v3.0/OS-CREDENTIAL/securitytokens"
    played.call("POST", url, json={"auth": {"identity": {"methods": ["token"], "token": {"id": keys["secret"]}}}})
    played.call("GET", "/v3/auth/tokens", headers={"X-Subject-Token": keys["secret"]})
    played.call("GET", "/v3/projects", headers={"X-Auth-Token": keys["securitytoken"]})
    played.call("POST", "/v3/auth/tokens", json=played.api.login_body(user=played.secrets["password"]))
    played.call("POST", "/v3/auth/tokens", json=played.api.login_body(password=played.secrets["secret key"]))
    return keys


def _use_object_storage(played: Played, keys: dict[str, str]) -> None:
    """Presigned URLs of all signatures, with temporary keys, and each with something wrong."""
    api, own = played.api, played.api.identity
    for version in ("s3", "s3v4"):
        pairs = [(own.access_key, own.secret_key, None), (keys["access"], keys["secret"], keys["securitytoken"])]
        for number, (access_key, secret_key, token) in enumerate(pairs):
            client = boto3.client(
                "s3",
                endpoint_url=api.emulator.obs_endpoint,
                region_name="eu-de",
                aws_access_key_id=access_key,
                aws_secret_access_key=secret_key,
                aws_session_token=token,
                config=Config(signature_version=version),
            )
            client.put_object(Bucket=api.bucket, Key="o", Body=b"1")
            url = client.generate_presigned_url("get_object", Params={"Bucket": api.bucket, "Key": "o"})
            query = parse_qs(urlsplit(url).query)
            signature = (query.get("Signature") or query["X-Amz-Signature"])[0]
            played.secrets[f"signature {version} {number}"] = signature
            headers = {"X-Auth-Token": ""}
            for wrong in (url, f"{url}&acl", url.replace("/o?", "/p?"), url.replace("Expires=", "Expires=1&x=")):
                played.call("GET", wrong, headers=headers)
            played.call("PUT", url, headers=headers)
            missing = client.generate_presigned_url("get_object", Params={"Bucket": api.bucket, "Key": "missing"})
            played.call("GET", missing, headers=headers)
            played.call(
                "GET", f"{api.emulator.obs_endpoint}/{api.bucket}", headers={"Authorization": f"AWS {signature}"}
            )


def _run_jobs(played: Played) -> None:
    """One job of version 1 that ends well, one that fails, one that is stopped, and one that is rejected."""
    v1 = V1Service(played.api.emulator)
    scripts = {"good": b"print('trained')", "bad": b"raise SystemExit('lost')", "long": b"import time; time.sleep(60)"}
    project = f"/v1/{played.api.identity.project_id}"
    created = []
    for name, script in scripts.items():
        v1.store.put(v1.bucket, f"{name}/boot.py", script)
        code = f"/{v1.bucket}/{name}/"
        body = v1.body(app_url=code, boot_file_url=f"{code}boot.py", log_url=f"/{v1.bucket}/logs/")
        created.append(played.call("POST", f"{project}/training-jobs", json=body))
    played.call("POST", f"{project}/training-jobs", json=v1.body(app_url=f"/{v1.bucket}/nowhere/"))
    urls = [f"{project}/training-jobs/{job['job_id']}/versions/{job['version_id']}" for job in created]
    played.call("POST", f"{urls[2]}/stop")

    def has_ended(url: str) -> bool:
        return played.api.http.get(url).json()["status"] in FINAL_STATUSES

    for url in urls:
        eventually(partial(has_ended, url))
        played.call("GET", url)
        for name in played.call("GET", f"{url}/log/file-names")["log_file_list"]:
            played.call("GET", f"{url}/aom-log", params={"log_file": name})
    played.call("GET", f"{project}/training-jobs")
    v1.ma.close()


def _ask_the_control_api(played: Played) -> None:
    """Also with a wrong token, and with faults and plans in place."""
    played.call("POST", "/_emulator/faults", json={"operation": "showTrainingJobFlavors", "status": 500})
    played.call("POST", "/_emulator/reset", headers={"Authorization": f"Bearer {played.secrets['secret key']}"})
    for name in ("health", "plans", "faults", "clock"):
        played.call("GET", f"/_emulator/{name}")


def test_the_emulator_was_used(played: Played) -> None:
    """So that the other tests see something: good responses, errors of each kind, and log lines."""
    statuses = {text.split(" ")[1] for text in played.responses}
    messages = [record.getMessage() for record in played.records]

    assert {"200", "201", "400", "401", "403", "404"} <= statuses
    assert [text for text in played.responses if "trained" in text]
    assert [message for message in messages if "aom-log" in message]
    assert [message for message in messages if "rejected" in message]
    assert len(played.secrets) == 10


def test_no_response_log_line_or_representation_shows_a_secret(played: Played) -> None:
    """At any level of the log, with arguments and traceback; of the emulator, its options and its users."""
    formatter, emulator = logging.Formatter(), played.api.emulator
    lines = [f"{formatter.format(record)} {record.args}" for record in played.records]
    runtime = emulator._runtime
    shown = map(repr, (emulator, runtime, runtime.options, runtime.credentials, emulator.identities))

    texts = (*played.responses, *lines, *shown)
    assert [(text, names) for text in texts if (names := played.shown_in(text))] == []


def test_files_with_secrets_are_the_documented_ones_and_readable_by_the_owner_only(played: Played) -> None:
    """The credentials, and records of jobs with the keys of their environment; no log, no object, no database."""
    found: dict[tuple[str, str], set[str]] = {}
    for path in played.data_dir.rglob("*"):
        if names := played.shown_in(content_of(path)):
            relative = path.relative_to(played.data_dir)
            kind = "record" if relative.parts[:2] == ("jobs", ".records") else str(relative)
            found.setdefault((kind, path.name), set()).update(names)
            folders = [path, *path.parents[: len(relative.parts)]]
            assert any(not folder.stat().st_mode & 0o077 for folder in folders), path

    assert found == {
        ("credentials.toml", "credentials.toml"): {"password", "secret key", "control"},
        ("record", "spec.json"): {"secret key"},
    }
