"""Signed requests: the published example, and a service that verifies every signature by its own reckoning."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import formatdate
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote

import httpx
import pytest
from tests.overlays.conftest import ENDPOINT, JOB, PROJECT, Handler, Twin

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts, ObsError
from modelarts_toolkit.auth.access_keys import AkSkAuth, sign
from modelarts_toolkit.errors import ConfigError, Unauthorized

ACCESS_KEY, SECRET_KEY = "AK4EXAMPLE", "SK4EXAMPLE"


class Verifier:
    """A service that accepts what is signed with its key pair within 15 minutes of its clock."""

    def __init__(self, ahead_s: float = 0) -> None:
        self.requests: list[httpx.Request] = []
        self.ahead_s = ahead_s

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        now = time.time() + self.ahead_s
        dated = {"Date": formatdate(now, usegmt=True)}
        if (reason := self.rejection(request, now)) is not None:
            error = {"error_code": "ModelArts.0206", "error_msg": reason}
            return httpx.Response(401, json=error, headers=dated)
        if request.url.path == "/v3/projects":
            return httpx.Response(200, json={"projects": [{"id": PROJECT, "name": request.url.params["name"]}]})
        return httpx.Response(200, json={"kind": "job", "metadata": {"id": JOB}}, headers=dated)

    def rejection(self, request: httpx.Request, now: float) -> str | None:
        match = re.fullmatch(
            r"SDK-HMAC-SHA256 (Access|Credential)=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})",
            request.headers.get("Authorization", ""),
        )
        if match is None:
            return "The Authorization header is malformed."
        form, credential, signed, signature = match.groups()
        date = request.headers["X-Sdk-Date"]
        sent = datetime.strptime(date, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()
        if abs(now - sent) > 900:
            return "The request is too old."
        names = signed.split(";")
        for name in ("host", "x-sdk-date", "x-project-id", "x-security-token", "content-type"):
            if name in request.headers and name not in names:
                return f"{name} is not signed."
        raw_path, _, query = request.url.raw_path.decode().partition("?")
        path = "/".join(quote(part, safe="-_.~") for part in unquote(raw_path).split("/"))
        pairs = sorted((quote(k, safe="-_.~"), quote(v, safe="-_.~")) for k, v in parse_qsl(query, True))
        text = f"{request.method}\n{path if path.endswith('/') else path + '/'}\n"
        text += "&".join(f"{k}={v}" for k, v in pairs) + "\n"
        for name in names:
            text += f"{name}:{request.headers[name].strip()}\n"
        text += f"\n{signed}\n{hashlib.sha256(request.read()).hexdigest()}"
        access_key, *scope = credential.split("/")
        key, head = SECRET_KEY.encode(), f"SDK-HMAC-SHA256\n{date}\n"
        if form == "Credential":
            key = b"SDK" + key
            for part in scope:
                key = hmac.new(key, part.encode(), hashlib.sha256).digest()
            head += "/".join(scope) + "\n"
        expected = hmac.new(key, (head + hashlib.sha256(text.encode()).hexdigest()).encode(), hashlib.sha256)
        return None if (access_key, signature) == (ACCESS_KEY, expected.hexdigest()) else "The signature is wrong."


def show(ma: Any) -> Any:
    return ma.v2.training_jobs.show_training_job_details(JOB)


def call(handler: Handler, auth: httpx.Auth, method: str = "GET", url: str = ENDPOINT, **arguments: Any) -> int:
    with httpx.Client(auth=auth, transport=httpx.MockTransport(handler)) as client:
        return client.request(method, url, **arguments).status_code


def test_the_signature_of_the_published_example_is_reproduced() -> None:
    """The example of Huawei Cloud's API signing guide, in the unscoped form."""
    request = httpx.Request(
        "GET",
        "https://service.region.example.com/v1/77b6a44cba5143ab91d13ab9a8ff44fd/vpcs"
        "?limit=2&marker=13551d6b-755d-4757-b956-536f674975c0",
        headers={"content-type": "application/json"},
    )
    keys = ("QTWAOYTTINDUT2QVKYUC", "MFyfvK41ba2giqM7Uio6PznpdUKGpownRZlmVmHc")

    sign(request, *keys, datetime(2019, 11, 15, 3, 36, 55, tzinfo=UTC))

    assert request.headers["X-Sdk-Date"] == "20191115T033655Z"
    assert request.headers["Authorization"] == (
        "SDK-HMAC-SHA256 Access=QTWAOYTTINDUT2QVKYUC, SignedHeaders=content-type;host;x-sdk-date, "
        "Signature=7be6668032f70418fcc22abc52071e57aff61b84a1d2381bb430d6870f4f6ebe"
    )


@pytest.mark.parametrize("region", [None, "eu-de"])
@pytest.mark.parametrize(
    ("method", "url", "content"),
    [
        ("GET", ENDPOINT, b""),
        ("GET", f"{ENDPOINT}:8443/v1/a%20b/%C3%BC~c/?b=2&a=x%2By%20z&a=&c", b""),
        ("POST", f"{ENDPOINT}/v2/p/training-jobs", '{"name": "ü"}'.encode()),
        ("DELETE", f"{ENDPOINT}/v2/p/training-jobs/j?x=/", b""),
    ],
)
def test_both_forms_are_accepted_by_an_independent_verifier(
    method: str, url: str, content: bytes, region: str | None
) -> None:
    verifier = Verifier()
    auth = AkSkAuth(ACCESS_KEY, SECRET_KEY, security_token="temporary", project_id=PROJECT, region=region)

    assert call(verifier, auth, method, url, content=content, headers={"Content-Type": "application/json"}) == 200
    (request,) = verifier.requests
    form = f"Credential={ACCESS_KEY}/{request.headers['X-Sdk-Date'][:8]}/eu-de/modelarts/sdk_request"
    assert (form if region else f"Access={ACCESS_KEY}") in request.headers["Authorization"]
    assert (request.headers["X-Project-Id"], request.headers["X-Security-Token"]) == (PROJECT, "temporary")


@pytest.mark.parametrize("keys", [(ACCESS_KEY, "SK-OF-OTHERS"), ("AK-OF-OTHERS", SECRET_KEY)])
def test_a_wrong_key_is_unauthorized_after_one_request(twin: Twin, keys: tuple[str, str]) -> None:
    verifier = Verifier()
    settings: Any = {"endpoint": ENDPOINT, "project_id": PROJECT, "access_key": keys[0], "secret_key": keys[1]}

    with pytest.raises(Unauthorized, match="signature is wrong") as caught:
        twin.do(show, **settings, transport=twin.transport(verifier))

    assert keys[1] not in str(caught.value)
    assert len(verifier.requests) == 1


@pytest.mark.parametrize("keys", [("", "s"), ("a", "")])
def test_a_signature_needs_both_keys(keys: tuple[str, str]) -> None:
    with pytest.raises(ConfigError, match="needs both keys"):
        AkSkAuth(*keys)


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with Emulator(executor="simulated", check_responses=True) as running:
        yield running


def settings(emulator: Emulator, **changes: Any) -> dict[str, Any]:
    return {
        "endpoint": emulator.endpoint,
        "iam_endpoint": emulator.endpoint,
        "obs_endpoint": emulator.obs_endpoint,
        "access_key": emulator.identity.access_key,
        "secret_key": emulator.identity.secret_key,
        **changes,
    }


def temporary_keys(emulator: Emulator) -> dict[str, str]:
    user = {"id": emulator.identity.user_id, "password": emulator.identity.password}
    login = {"auth": {"identity": {"methods": ["password"], "password": {"user": user}}}}
    token = httpx.post(f"{emulator.endpoint}/v3/auth/tokens", json=login).headers["X-Subject-Token"]
    wanted = {"auth": {"identity": {"methods": ["token"], "token": {"id": token}}}}
    response = httpx.post(f"{emulator.endpoint}/v3.0/OS-CREDENTIAL/securitytokens", json=wanted)
    keys = response.raise_for_status().json()["credential"]
    return {"access_key": keys["access"], "secret_key": keys["secret"], "security_token": keys["securitytoken"]}


@pytest.mark.parametrize("kind", ["by-id", "by-name", "temporary"])
def test_one_pair_of_keys_opens_the_api_and_object_storage(emulator: Emulator, tmp_path: Path, kind: str) -> None:
    """With the project's name, its id is looked up by a signed request; temporary keys open both as well."""
    identity = emulator.identity
    chosen = {"project_name": identity.project} if kind == "by-name" else {"project_id": identity.project_id}
    chosen |= temporary_keys(emulator) if kind == "temporary" else {}
    code = tmp_path / "code"
    code.mkdir()
    (code / "train.py").write_text("print('trained')")

    with ModelArts(**settings(emulator, **chosen)) as ma:
        flavors = ma.v2.flavors.show_training_job_flavors()
        ma.obs.create_bucket(f"keys-{kind}")
        ma.obs.upload(code, f"obs://keys-{kind}/code/")
        stored = [entry.url for entry in ma.obs.list(f"obs://keys-{kind}/")]

    assert flavors.flavors
    assert stored == [f"obs://keys-{kind}/code/train.py"]


def test_temporary_keys_are_rejected_without_their_token(emulator: Emulator) -> None:
    keys = temporary_keys(emulator) | {"security_token": temporary_keys(emulator)["security_token"]}

    with ModelArts(**settings(emulator, project_id=emulator.identity.project_id, **keys)) as ma:
        with pytest.raises(Unauthorized, match=r"APIG\.0301"):
            ma.v2.flavors.show_training_job_flavors()
        with pytest.raises(ObsError):
            ma.obs.list("obs://keys/")
