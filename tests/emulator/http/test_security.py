"""Another user of the same machine, who knows this project but not the secrets of the data folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import boto3
import httpx
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from modelarts_emulator.cli.emulator import emulator as command
from modelarts_emulator.http.tokens import Tokens
from modelarts_emulator.settings.accounts import load_credentials

ONCE = Config(retries={"max_attempts": 0})
PUBLIC = {("GET", "/"), ("GET", "/v3"), ("POST", "/v3/auth/tokens"), ("GET", "/_emulator/health")}
PUBLIC |= {("POST", "/v3.0/OS-CREDENTIAL/securitytokens")}  # it checks the token in its body itself


@pytest.fixture
def guesses(api: Any, tmp_path: Any) -> list[dict[str, str]]:
    """Headers of a stranger: none, tokens of an emulator of their own, and what is the same everywhere."""
    own = load_credentials(tmp_path)
    user = own.identities[0]
    forged, _ = Tokens(b"a key of their own", lambda: 1e12).issue(user.user_id, user.project_id)
    names = ["developer", "eu-de", user.project_id, "modelarts-emulator"]
    tokens = [own.control_token, user.password, forged, *names]
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


def test_a_stranger_cannot_log_in(api: Any, tmp_path: Any) -> None:
    """The names are the same everywhere, the password is not."""
    own = load_credentials(tmp_path).identities[0]

    for password in (own.password, "modelarts-emulator", "developer", "", own.secret_key):
        response = api.log_in(account=own.account, user=own.user, project=own.project, password=password)
        assert response.status_code == 401
        assert "X-Subject-Token" not in response.headers


def test_a_stranger_can_neither_read_nor_write_objects(api: Any, tmp_path: Any) -> None:
    """The object store knows only the keys of its own data folder."""
    api.store.put(api.bucket, "kept", b"content")
    own, right = load_credentials(tmp_path).identities[0], api.identity
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
    commands = [command, command.commands["env"]]
    known = {option for each in commands for parameter in each.params for option in parameter.opts}

    assert set(re.findall(r"--[a-z][a-z-]+", page)) - known == {"--publish"}
