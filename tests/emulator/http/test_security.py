"""Another user of the same machine, who knows this project but not the secrets of the data folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import httpx
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from click.testing import CliRunner

from modelarts_emulator.server import Emulator
from modelarts_toolkit.cli.commands import modelarts

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


def test_a_stranger_cannot_log_in(api: Any, other: Any) -> None:
    """The names are the same everywhere, the password is not."""
    own = other.identity

    for password in (own.password, "modelarts-emulator", "developer", "", own.secret_key):
        response = api.log_in(account=own.account, user=own.user, project=own.project, password=password)
        assert response.status_code == 401
        assert "X-Subject-Token" not in response.headers


def test_a_stranger_can_neither_read_nor_write_objects(api: Any, other: Any) -> None:
    """The object store knows only the keys of its own data folder."""
    api.store.put(api.bucket, "kept", b"content")
    own, right = other.identity, api.identity
    pairs = [(own.access_key, own.secret_key), (right.access_key, own.secret_key), (right.access_key, right.password)]
    outcomes = set()
    for access_key, secret_key in pairs:
        keys = {"aws_access_key_id": access_key, "aws_secret_access_key": secret_key}
        s3 = boto3.client("s3", endpoint_url=api.emulator.obs_endpoint, region_name="eu-de", config=ONCE, **keys)
        for call in (
            lambda s3=s3: s3.list_buckets(),
            lambda s3=s3: s3.get_object(Bucket=api.bucket, Key="kept"),
            lambda s3=s3: s3.put_object(Bucket=api.bucket, Key="kept", Body=b""),
            lambda s3=s3: s3.delete_object(Bucket=api.bucket, Key="kept"),
            lambda s3=s3: s3.delete_objects(Bucket=api.bucket, Delete={"Objects": [{"Key": "kept"}]}),
            lambda s3=s3: s3.create_bucket(Bucket="another"),
        ):
            with pytest.raises(ClientError) as caught:
                call()
            outcomes.add(caught.value.response["Error"]["Code"])
    for method in ("GET", "HEAD", "PUT", "POST", "DELETE"):
        response = httpx.request(method, f"{api.emulator.obs_endpoint}/{api.bucket}/kept")
        assert response.status_code == 403

    assert outcomes == {"InvalidAccessKeyId", "SignatureDoesNotMatch"}
    assert api.store.read(api.bucket, "kept") == b"content"
    assert not api.store.has_bucket("another")


def test_the_page_on_security_names_options_that_exist() -> None:
    """Whoever follows the page finds each option in the command or, for a container, in that of Docker."""
    page = (Path(__file__).parents[3] / "docs" / "security.md").read_text("utf-8")
    texts = [CliRunner().invoke(modelarts, ["emulator", *words, "--help"]).output for words in ([], ["env"])]

    options = re.compile(r"--[a-z][a-z-]+")
    assert set(options.findall(page)) - set(options.findall("".join(texts))) == {"--publish"}
