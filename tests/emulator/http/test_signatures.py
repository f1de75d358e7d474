"""Signed requests: both forms, what published clients send, and everything that must be rejected."""

from __future__ import annotations

import calendar
import hashlib
import hmac
import itertools
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.emulator.conftest import rejected, serve

from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.http.signatures import Request, Signature, parse, verify
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


def test_clocks_may_differ_by_a_quarter_of_an_hour() -> None:
    signature = parse(PUBLISHED_AUTHORIZATION)
    for skew_s in (-900, 900):
        verify(PUBLISHED, signature, PUBLISHED_SECRET, [PUBLISHED_TIME + skew_s])
    for skew_s in (-901, 901):
        with pytest.raises(ServiceError, match="more than 15 minutes"):
            verify(PUBLISHED, signature, PUBLISHED_SECRET, [PUBLISHED_TIME + skew_s])


def rejection(request: Request, authorization: str) -> str:
    """What the rejection says."""
    with pytest.raises(ServiceError) as caught:
        verify(request, parse(authorization), PUBLISHED_SECRET, [PUBLISHED_TIME])
    return str(caught.value).partition(": ")[2]


END = f"SignedHeaders=host, Signature={'0' * 64}"
OTHER_FORMS = {
    "": "The Authorization header must be",
    "Bearer abc": "The Authorization header must be",
    "SDK-HMAC-SHA256 Access=AK": "The Authorization header must be",
    "SDK-HMAC-SHA256 Access=AK, SignedHeaders=host, Signature=xyz": "The Authorization header must be",
    f"AWS4-HMAC-SHA256 Access=AK, {END}": "The Authorization header must be",
    f"SDK-HMAC-SHA256 Access=AK/20200101, {END}": "The Authorization header must be",
    f"SDK-HMAC-SHA256 Credential=AK, {END}": "The Credential must have the form",
    f"SDK-HMAC-SHA256 Credential=AK/20200101/r/s/aws4_request, {END}": "The Credential must have the form",
    f"SDK-HMAC-SHA256 Credential=AK/20191116/r/s/sdk_request, {END}": "The date of the Credential is not that of",
}


def test_a_header_of_another_form_is_rejected(api: Any, client: httpx.Client) -> None:
    """The code is that of a malformed header, for IAM just the status."""
    for authorization, said in OTHER_FORMS.items():
        assert rejection(PUBLISHED, authorization).startswith(said), authorization
    headers = {"Authorization": "Bearer abc"}
    assert rejected(client.get(f"{api.project}/training-job-flavors", headers=headers)) == (401, "ModelArts.0206")
    assert client.get("/v3/projects", headers=headers).json()["error"]["code"] == 401


MISMATCH = "The signature does not match: check the secret key, and that nothing changed after signing."
CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"method": "PUT"}, MISMATCH),
    ({"path": "/v1/p/subnets"}, MISMATCH),
    ({"query": "limit=3"}, MISMATCH),
    ({"body": b'{"limit": 2}'}, MISMATCH),
    ({"content-type": "text/plain"}, MISMATCH),
    ({"x-project-id": "another"}, MISMATCH),
    ({"x-sdk-content-sha256": "UNSIGNED-PAYLOAD"}, MISMATCH),
    ({"x-sdk-content-sha256": "0" * 64}, "X-Sdk-Content-Sha256 is not the hash of the body."),
    ({"x-sdk-date": "20191115T033656Z"}, MISMATCH),
    ({"x-sdk-date": "yesterday"}, "The header X-Sdk-Date is missing or not a time such as 20190307T101459Z."),
    (
        {"x-sdk-date": "20191115T043655Z"},
        "X-Sdk-Date (20191115T043655Z) is more than 15 minutes from the time of the service: check the clock.",
    ),
]


@pytest.mark.parametrize("scope", [None, "eu-de/modelarts"])
def test_what_is_changed_after_signing_is_rejected_and_the_rejection_says_what_to_change(scope: str | None) -> None:
    """Any part of the request, and the list of signed headers."""
    headers = {"content-type": "application/json", "x-project-id": "p"}
    url, content = "http://service.region.example.com/v1/p/vpcs?limit=2", b'{"limit": 1}'
    sent = httpx.Request("POST", url, headers=headers, content=content)
    sign(sent, "AK", PUBLISHED_SECRET, datetime.fromtimestamp(PUBLISHED_TIME, UTC), scope=scope)
    authorization = sent.headers["Authorization"]
    request = Request("POST", "/v1/p/vpcs", "limit=2", [*sent.headers.items()], content)
    verify(request, parse(authorization), PUBLISHED_SECRET, [PUBLISHED_TIME])

    for change, said in CHANGES:
        is_part = change.keys() <= {"method", "path", "query", "body"}
        parts = change if is_part else {"headers": [*(dict(sent.headers) | change).items()]}
        assert rejection(replace(request, **parts), authorization) == said, change
    for name in ("host", "x-sdk-date", "x-project-id", "content-type"):
        said = f"The header {name} must be one of the SignedHeaders." if name != "content-type" else MISMATCH
        assert rejection(request, authorization.replace(f"{name};", "").replace(f";{name}", "")) == said, name


def own(api: Any, **options: Any) -> AkSkAuth:
    return AkSkAuth(api.identity.access_key, api.identity.secret_key, **options)


@pytest.fixture
def client(api: Any) -> Any:
    with httpx.Client(base_url=api.emulator.endpoint, timeout=300) as client:
        yield client


def test_both_forms_open_the_project_with_and_without_its_id(api: Any, client: httpx.Client) -> None:
    query: dict[str, Any] = {"limit": 1, "searches": "name:ä b/c+d~é", "group_by": ""}
    for options in itertools.product((None, "eu-de"), (None, api.identity.project_id)):
        auth = own(api, region=options[0], project_id=options[1])
        job = client.post(f"{api.project}/training-jobs", json=api.job_body(), auth=auth)

        assert job.status_code == 201, job.text
        job_id = job.json()["metadata"]["id"]
        assert client.get(f"{api.project}/training-jobs/{job_id}", auth=auth).status_code == 200, options
        assert client.get(f"{api.project}/algorithms", params=query, auth=auth).status_code == 200, options


def test_a_signed_request_finds_the_project_of_a_region(api: Any, client: httpx.Client) -> None:
    """So SDKs do that know a region alone."""
    [project] = client.get("/v3/projects", params={"name": "eu-de"}, auth=own(api)).json()["projects"]
    [account] = client.get("/v3/auth/domains", auth=own(api)).json()["domains"]

    assert project["id"] == api.identity.project_id
    assert account["id"] == api.identity.domain_id


def test_a_wrong_key_is_rejected(api: Any, client: httpx.Client) -> None:
    pairs = [("WRONG", api.identity.secret_key), (api.identity.access_key, "WRONG")]
    responses = [client.get(f"{api.project}/training-job-flavors", auth=AkSkAuth(*keys)) for keys in pairs]

    assert [rejected(response) for response in responses] == [(401, "APIG.0301")] * 2
    assert [response.text for response in responses if api.identity.secret_key in response.text] == []


def signed(api: Any, path: str, now: datetime, scope: str | None = None) -> httpx.Request:
    request = httpx.Request("GET", f"{api.emulator.endpoint}{path}")
    sign(request, api.identity.access_key, api.identity.secret_key, now, scope=scope)
    return request


def test_the_keys_of_another_project_open_nothing(api: Any, client: httpx.Client) -> None:
    """Neither without a project nor with either of them, and its own project stays open to them."""
    other = api.emulator.add_identity("bert", account="umbrella")

    def attempt(project: str, header: str | None) -> httpx.Response:
        auth = AkSkAuth(other.access_key, other.secret_key, project_id=header)
        return client.get(f"/v2/{project}/training-job-flavors", auth=auth)

    ours = api.identity.project_id
    assert [rejected(attempt(ours, header)) for header in (None, ours, other.project_id)] == [
        (404, "ModelArts.2786")
    ] * 3
    assert rejected(attempt(other.project_id, ours)) == (404, "ModelArts.2786")
    assert attempt(other.project_id, None).status_code == attempt(other.project_id, other.project_id).status_code == 200


def test_the_project_that_is_named_must_be_that_of_the_path(api: Any, client: httpx.Client) -> None:
    """Also of keys that open both projects."""
    first, second = (api.emulator.add_identity("signer", "signers", project) for project in (None, "eu-de_signed"))

    def attempt(project: str, header: str) -> httpx.Response:
        auth = AkSkAuth(first.access_key, first.secret_key, project_id=header)
        return client.get(f"/v2/{project}/training-job-flavors", auth=auth)

    ids = first.project_id, second.project_id
    assert [attempt(project, project).status_code for project in ids] == [200, 200]
    assert [rejected(attempt(*pair)) for pair in (ids, ids[::-1])] == [(404, "ModelArts.2786")] * 2


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
    """Blanks within a header are kept or collapsed; a scoped POST without body may sign its query as the body.

    If an unscoped one could, the signature of a request with the body `a=1&b=2` would fit one with this query.
    """
    headers = (("host", "h:1"), ("x-note", "  a   b "), ("x-sdk-date", "20191115T033655Z"))
    request = Request("POST", "/v2/p/things%20x", "b=2&a=1", headers, b"")
    empty, of_query = (hashlib.sha256(body).hexdigest() for body in (b"", b"a=1&b=2"))
    scope = "20191115/eu-de/modelarts/sdk_request"

    def check(scope: str | None, note: str, query: str, payload: str) -> None:
        block = f"host:h:1\nx-note:{note}\nx-sdk-date:20191115T033655Z\n"
        lines = ["POST", "/v2/p/things%20x/", query, block, "host;x-note;x-sdk-date", payload]
        verify(request, by_hand(request, lines, "secret", scope), "secret", [PUBLISHED_TIME])

    check(scope, "a   b", "a=1&b=2", empty)
    check(scope, "a b", "a=1&b=2", empty)
    check(scope, "a b", "", of_query)
    for wrong_scope, payload in ((scope, empty), (None, of_query)):
        with pytest.raises(ServiceError) as caught:
            check(wrong_scope, "a b", "", payload)
        assert caught.value.code is Problem.SIGNATURE_INVALID, (wrong_scope, payload)


TEXT = st.text(st.characters(max_codepoint=255, exclude_categories=["Cc"]), max_size=40)


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


def test_a_simulated_clock_does_not_lock_clients_out(tmp_path: Any) -> None:
    """Clients may sign by their own time, or by that of the responses."""
    with serve(tmp_path / "data", executor="simulated", check_responses=True) as api:
        api.emulator.clock.advance(7 * 24 * 3600)
        path = f"{api.project}/training-job-flavors"
        theirs = datetime.fromtimestamp(api.emulator.clock.now, UTC)
        with httpx.Client() as client:
            assert client.send(signed(api, path, datetime.now(UTC))).status_code == 200
            assert client.send(signed(api, path, theirs)).status_code == 200
            assert rejected(client.send(signed(api, path, theirs - timedelta(days=3)))) == (401, "APIG.0301")
