"""Signed requests: both forms, what published clients send, and everything that must be rejected."""

from __future__ import annotations

import calendar
import hashlib
import hmac
import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.http.signatures import Request, Signature, parse, verify
from modelarts_emulator.server import Emulator
from modelarts_toolkit.auth.access_keys import AkSkAuth, sign

PUBLISHED = Request(
    "GET",
    "/v1/77b6a44cba5143ab91d13ab9a8ff44fd/vpcs",
    "limit=2&marker=13551d6b-755d-4757-b956-536f674975c0",
    (
        ("content-type", "application/json"),
        ("host", "service.region.example.com"),
        ("x-sdk-date", "20191115T033655Z"),
    ),
    b"",
)
PUBLISHED_AUTHORIZATION = (
    "SDK-HMAC-SHA256 Access=QTWAOYTTINDUT2QVKYUC, SignedHeaders=content-type;host;x-sdk-date,"
    " Signature=7be6668032f70418fcc22abc52071e57aff61b84a1d2381bb430d6870f4f6ebe"
)
PUBLISHED_SECRET = "MFyfvK41ba2giqM7Uio6PznpdUKGpownRZlmVmHc"  # an example of the signing guide
PUBLISHED_TIME = calendar.timegm((2019, 11, 15, 3, 36, 55))


@pytest.mark.parametrize("skew_s", [-900, 900])
def test_clocks_may_differ_by_a_quarter_of_an_hour(skew_s: int) -> None:
    signature = parse(PUBLISHED_AUTHORIZATION)
    verify(PUBLISHED, signature, PUBLISHED_SECRET, [PUBLISHED_TIME + skew_s])

    with pytest.raises(ServiceError, match="more than 15 minutes"):
        verify(PUBLISHED, signature, PUBLISHED_SECRET, [PUBLISHED_TIME + skew_s + (1 if skew_s > 0 else -1)])


@pytest.mark.parametrize(
    ("authorization", "headers", "message"),
    [
        (
            "Bearer abc",
            {},
            "The Authorization header must be SDK-HMAC-SHA256 Access=..., SignedHeaders=..., Signature=..., or have a "
            "Credential with a scope in place of Access.",
        ),
        (
            PUBLISHED_AUTHORIZATION.replace("Access", "Credential"),
            {},
            "The Credential must have the form <access key>/<yyyymmdd>/<region>/<service>/sdk_request.",
        ),
        (
            PUBLISHED_AUTHORIZATION.replace("Access=", "Credential=").replace("UC,", "UC/20191116/r/s/sdk_request,"),
            {},
            "The date of the Credential is not that of X-Sdk-Date.",
        ),
        (PUBLISHED_AUTHORIZATION.replace("host;", ""), {}, "The header host must be one of the SignedHeaders."),
        (
            PUBLISHED_AUTHORIZATION,
            {"x-project-id": "p"},
            "The header x-project-id must be one of the SignedHeaders.",
        ),
        (PUBLISHED_AUTHORIZATION, {"x-sdk-content-sha256": "0"}, "X-Sdk-Content-Sha256 is not the hash of the body."),
        (
            PUBLISHED_AUTHORIZATION,
            {"content-type": "text/plain"},
            "The signature does not match: check the secret key, and that nothing changed after signing.",
        ),
        (
            PUBLISHED_AUTHORIZATION,
            {"x-sdk-date": "yesterday"},
            "The header X-Sdk-Date is missing or not a time such as 20190307T101459Z.",
        ),
        (
            PUBLISHED_AUTHORIZATION,
            {"x-sdk-date": "20191116T033655Z"},
            "X-Sdk-Date (20191116T033655Z) is more than 15 minutes from the time of the service: check the clock.",
        ),
    ],
)
def test_a_rejection_says_what_to_change(authorization: str, headers: dict[str, str], message: str) -> None:
    request = replace(PUBLISHED, headers=[*(dict(PUBLISHED.headers) | headers).items()])

    with pytest.raises(ServiceError) as caught:
        verify(request, parse(authorization), PUBLISHED_SECRET, [PUBLISHED_TIME])

    assert str(caught.value).partition(": ")[2] == message


def own(api: Any, **options: Any) -> AkSkAuth:
    return AkSkAuth(api.identity.access_key, api.identity.secret_key, **options)


def code(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error_code"]


@pytest.fixture
def client(api: Any) -> Any:
    with httpx.Client(base_url=api.emulator.endpoint, timeout=300) as client:
        yield client


@pytest.mark.parametrize("region", [None, "eu-de"])
@pytest.mark.parametrize("project", [True, False])
def test_both_forms_open_the_project_with_and_without_its_id(
    api: Any, client: httpx.Client, region: str | None, project: bool
) -> None:
    auth = own(api, region=region, project_id=api.identity.project_id if project else None)
    job = client.post(f"{api.project}/training-jobs", json=api.job_body(), auth=auth)
    listed = client.get(
        f"{api.project}/algorithms", params={"limit": 1, "searches": "name:ä b/c+d~é", "group_by": ""}, auth=auth
    )

    assert job.status_code == 201, job.text
    assert client.get(f"{api.project}/training-jobs/{job.json()['metadata']['id']}", auth=auth).status_code == 200
    assert listed.status_code == 200, listed.text


def test_a_signed_request_finds_the_project_of_a_region(api: Any, client: httpx.Client) -> None:
    """So SDKs do that know a region alone."""
    [project] = client.get("/v3/projects", params={"name": "eu-de"}, auth=own(api)).json()["projects"]
    [account] = client.get("/v3/auth/domains", auth=own(api)).json()["domains"]

    assert project["id"] == api.identity.project_id
    assert account["id"] == api.identity.domain_id


class Altered(httpx.Auth):
    """Signs a request, and then changes it."""

    requires_request_body = True

    def __init__(self, auth: AkSkAuth, change: Any) -> None:
        self._auth = auth
        self._change = change

    def auth_flow(self, request: httpx.Request) -> Any:
        flow = self._auth.auth_flow(request)
        request = next(flow)
        yield self._change(request) or request


def other_query(request: httpx.Request) -> None:
    request.url = request.url.copy_set_param("limit", 2)


def other_path(request: httpx.Request) -> None:
    request.url = request.url.copy_with(path=request.url.path.replace("/algorithms", "/training-job-engines"))


def replaced(**headers: str) -> Any:
    def change(request: httpx.Request) -> None:
        for name, value in headers.items():
            request.headers[name.replace("_", "-")] = value

    return change


def without(*names: str) -> Any:
    """Take headers out of the list of those that are signed."""

    def change(request: httpx.Request) -> None:
        text = request.headers["Authorization"]
        start, end = text.index("SignedHeaders=") + 14, text.index(", Signature=")
        kept = ";".join(name for name in text[start:end].split(";") if name not in names)
        request.headers["Authorization"] = text[:start] + kept + text[end:]

    return change


@pytest.mark.parametrize("region", [None, "eu-de"])
@pytest.mark.parametrize(
    "change",
    [
        other_query,
        other_path,
        replaced(X_Project_Id="another"),
        replaced(Content_Type="text/plain"),
        replaced(X_Sdk_Date=datetime.now(UTC).strftime("%Y%m%dT000000Z")),
        replaced(X_Sdk_Content_Sha256="0" * 64),
        without("host"),
        without("x-sdk-date"),
        without("x-project-id"),
        without("content-type"),
    ],
)
def test_what_is_changed_after_signing_is_rejected(
    api: Any, client: httpx.Client, change: Any, region: str | None
) -> None:
    auth = Altered(own(api, project_id=api.identity.project_id, region=region), change)
    headers = {"Content-Type": "application/json"}
    response = client.get(f"{api.project}/algorithms", params={"limit": 1}, headers=headers, auth=auth)

    assert code(response) == (401, "APIG.0301")


def test_a_body_that_is_changed_is_rejected(api: Any, client: httpx.Client) -> None:
    def change(request: httpx.Request) -> httpx.Request:
        body = json.dumps({"limit": 2}).encode()
        headers = {name: value for name, value in request.headers.items() if name != "content-length"}
        return httpx.Request(request.method, request.url, headers=headers, content=body)

    auth = own(api)
    right = client.post(f"{api.project}/training-job-searches", json={"limit": 1}, auth=auth)
    wrong = client.post(f"{api.project}/training-job-searches", json={"limit": 1}, auth=Altered(auth, change))
    unsigned = Altered(auth, replaced(X_Sdk_Content_Sha256="UNSIGNED-PAYLOAD"))
    excused = client.post(f"{api.project}/training-job-searches", json={"limit": 1}, auth=unsigned)

    assert right.status_code == 200
    assert code(wrong) == (401, "APIG.0301")
    assert code(excused) == (401, "APIG.0301")


@pytest.mark.parametrize("wrong", ["access_key", "secret_key"])
def test_a_wrong_key_is_rejected(api: Any, client: httpx.Client, wrong: str) -> None:
    keys = {"access_key": api.identity.access_key, "secret_key": api.identity.secret_key} | {wrong: "WRONG"}
    response = client.get(f"{api.project}/training-job-flavors", auth=AkSkAuth(**keys))

    assert code(response) == (401, "APIG.0301")
    assert api.identity.secret_key not in response.text


def signed(api: Any, path: str, now: datetime, scope: str | None = None) -> httpx.Request:
    request = httpx.Request("GET", f"{api.emulator.endpoint}{path}")
    sign(request, api.identity.access_key, api.identity.secret_key, now, scope=scope)
    return request


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer abc",
        "SDK-HMAC-SHA256",
        "SDK-HMAC-SHA256 Access=AK",
        "SDK-HMAC-SHA256 Access=AK, SignedHeaders=host, Signature=xyz",
        f"SDK-HMAC-SHA256 Access=AK/20200101, SignedHeaders=host, Signature={'0' * 64}",
        f"SDK-HMAC-SHA256 Credential=AK, SignedHeaders=host, Signature={'0' * 64}",
        f"SDK-HMAC-SHA256 Credential=AK/20200101/r/s/aws4_request, SignedHeaders=host, Signature={'0' * 64}",
        f"AWS4-HMAC-SHA256 Access=AK, SignedHeaders=host, Signature={'0' * 64}",
    ],
)
def test_a_header_of_another_form_is_rejected(api: Any, client: httpx.Client, authorization: str) -> None:
    """The code is that of a malformed header, for IAM just the status."""
    headers = {"Authorization": authorization}

    assert code(client.get(f"{api.project}/training-job-flavors", headers=headers)) == (401, "ModelArts.0206")
    assert client.get("/v3/projects", headers=headers).json()["error"]["code"] == 401


def test_the_keys_of_another_project_open_nothing(api: Any, client: httpx.Client) -> None:
    """Neither without a project nor with either of them, and its own project stays open to them."""
    other = api.emulator.add_identity("bert", account="umbrella")

    def attempt(project: str, header: str | None) -> httpx.Response:
        auth = AkSkAuth(other.access_key, other.secret_key, project_id=header)
        return client.get(f"/v2/{project}/training-job-flavors", auth=auth)

    ours = api.identity.project_id
    assert [code(attempt(ours, header)) for header in (None, ours, other.project_id)] == [(404, "ModelArts.2786")] * 3
    assert code(attempt(other.project_id, ours)) == (404, "ModelArts.2786")
    assert attempt(other.project_id, None).status_code == attempt(other.project_id, other.project_id).status_code == 200


def test_the_project_that_is_named_must_be_that_of_the_path(api: Any, client: httpx.Client) -> None:
    """Also of keys that open both projects."""
    first, second = (api.emulator.add_identity("signer", "signers", project) for project in (None, "eu-de_signed"))

    def attempt(project: str, header: str) -> httpx.Response:
        auth = AkSkAuth(first.access_key, first.secret_key, project_id=header)
        return client.get(f"/v2/{project}/training-job-flavors", auth=auth)

    ids = first.project_id, second.project_id
    assert [attempt(project, project).status_code for project in ids] == [200, 200]
    assert [code(attempt(*pair)) for pair in (ids, ids[::-1])] == [(404, "ModelArts.2786")] * 2


def by_hand(request: Request, canonical: list[str], secret: str, scope: str | None) -> Signature:
    """Sign a canonical request that a test has put together itself."""
    date = request.header("x-sdk-date") or ""
    key, text = secret.encode(), f"SDK-HMAC-SHA256\n{date}\n"
    if scope is not None:
        key = b"SDK" + key
        for part in scope.split("/"):
            key = hmac.digest(key, part.encode(), "sha256")
        text += f"{scope}\n"
    text += hashlib.sha256("\n".join(canonical).encode()).hexdigest()
    return Signature("AK", scope, ("host", "x-note", "x-sdk-date"), hmac.digest(key, text.encode(), "sha256").hex())


def test_details_that_clients_read_differently_are_accepted() -> None:
    """Blanks within a header are kept or collapsed; a scoped POST without body may sign its query as the body."""
    headers = (("host", "h:1"), ("x-note", "  a   b "), ("x-sdk-date", "20191115T033655Z"))
    request = Request("POST", "/v2/p/things%20x", "b=2&a=1", headers, b"")
    empty, scope = hashlib.sha256(b"").hexdigest(), "20191115/eu-de/modelarts/sdk_request"
    names = "host;x-note;x-sdk-date"

    def lines(note: str, query: str, payload: str) -> list[str]:
        block = [f"host:h:1\nx-note:{note}\nx-sdk-date:20191115T033655Z\n"]
        return ["POST", "/v2/p/things%20x/", query, *block, names, payload]

    for canonical in (
        lines("a   b", "a=1&b=2", empty),
        lines("a b", "a=1&b=2", empty),
        lines("a b", "", hashlib.sha256(b"a=1&b=2").hexdigest()),
    ):
        verify(request, by_hand(request, canonical, "secret", scope), "secret", [PUBLISHED_TIME])
    with pytest.raises(ServiceError) as caught:
        verify(request, by_hand(request, lines("a b", "", empty), "secret", scope), "secret", [PUBLISHED_TIME])
    assert caught.value.code is Problem.SIGNATURE_INVALID


def test_the_query_is_signed_as_the_body_in_the_scoped_form_only() -> None:
    """Otherwise the signature of a request with the body `x=1` would fit one with this query and no body."""
    headers = (("host", "h:1"), ("x-note", "a"), ("x-sdk-date", "20191115T033655Z"))
    request = Request("POST", "/v2/p/things", "x=1", headers, b"")
    block = "host:h:1\nx-note:a\nx-sdk-date:20191115T033655Z\n"
    lines = ["POST", "/v2/p/things/", "", block, "host;x-note;x-sdk-date", hashlib.sha256(b"x=1").hexdigest()]

    with pytest.raises(ServiceError) as caught:
        verify(request, by_hand(request, lines, "secret", None), "secret", [PUBLISHED_TIME])
    assert caught.value.code is Problem.SIGNATURE_INVALID


TEXT = st.text(st.characters(max_codepoint=255, exclude_categories=["Cc"]), max_size=40)


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(
        TEXT,
        st.builds(
            "SDK-HMAC-SHA256 {}={}, SignedHeaders={}, Signature={}".format,
            st.sampled_from(["Access", "Credential"]),
            st.one_of(TEXT, st.just("AK/20191115/eu-de/modelarts/sdk_request")),
            st.one_of(TEXT, st.just("host;x-sdk-date")),
            st.one_of(TEXT, st.just("0" * 64)),
        ),
    ),
    st.lists(st.tuples(st.sampled_from(["host", "x-sdk-date", "x-project-id", "x-sdk-content-sha256"]), TEXT)),
    TEXT,
    TEXT,
    st.binary(max_size=20),
)
def test_no_request_gets_more_than_a_rejection(
    authorization: str, headers: list[tuple[str, str]], path: str, query: str, body: bytes
) -> None:
    """Whatever the header, the query and the body are, the one error is that of the service."""
    for date in ([], [("x-sdk-date", "20191115T033655Z")]):
        request = Request("POST", f"/{path}", query, [*headers, *date], body)
        with pytest.raises(ServiceError):
            verify(request, parse(authorization), "secret", [PUBLISHED_TIME, time.time()])


def test_a_simulated_clock_does_not_lock_clients_out(tmp_path: Any, log_in: Any) -> None:
    """Clients may sign by their own time, or by that of the responses."""
    with Emulator(tmp_path / "data", executor="simulated", check_responses=True) as emulator:
        api = log_in(emulator)
        emulator.clock.advance(7 * 24 * 3600)
        path = f"{api.project}/training-job-flavors"
        theirs = datetime.fromtimestamp(emulator.clock.now, UTC)
        with httpx.Client() as client:
            assert client.send(signed(api, path, datetime.now(UTC))).status_code == 200
            assert client.send(signed(api, path, theirs)).status_code == 200
            assert code(client.send(signed(api, path, theirs - timedelta(days=3)))) == (401, "APIG.0301")
