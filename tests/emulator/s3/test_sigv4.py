"""Signatures, against the worked examples of the S3 reference and against each thing that can be wrong with one."""

import calendar
from dataclasses import replace

import pytest
from tests.emulator.s3.conftest import EXAMPLE, key_pair
from tests.emulator.storage.conftest import store_error

from modelarts_emulator.http.signatures import Request
from modelarts_emulator.s3.signing import verify
from modelarts_emulator.storage.errors import AccessDenied

NOW = float(calendar.timegm((2013, 5, 24, 0, 0, 0)))
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
AUTHORIZATION = (
    "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
    "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
    "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
)
GET = Request(
    "GET",
    "/test.txt",
    "",
    [
        ("host", "examplebucket.s3.amazonaws.com"),
        ("range", "bytes=0-9"),
        ("x-amz-content-sha256", EMPTY),
        ("x-amz-date", "20130524T000000Z"),
        ("authorization", AUTHORIZATION),
    ],
)
PRESIGNED = Request(
    "GET",
    "/test.txt",
    "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
    "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
    "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
    [("host", "examplebucket.s3.amazonaws.com")],
)


def _with(name: str, value: str | None) -> Request:
    headers = [(key, text) for key, text in GET.headers if key != name]
    return replace(GET, headers=headers + ([(name, value)] if value is not None else []))


def test_the_reference_s_examples_are_accepted() -> None:
    """A URL, until it expires; it may come from a clock that is fifteen minutes ahead."""
    assert verify(GET, [EXAMPLE], NOW).access_key == "AKIAIOSFODNN7EXAMPLE"
    with store_error("SignatureDoesNotMatch"):
        verify(GET, [key_pair(EXAMPLE.access_key, secret_key="another")], NOW)

    assert verify(PRESIGNED, [EXAMPLE], NOW + 86400).payload == "UNSIGNED-PAYLOAD"
    with pytest.raises(AccessDenied, match="expired"):
        verify(PRESIGNED, [EXAMPLE], NOW + 86401)
    with pytest.raises(AccessDenied, match="not yet"):
        verify(PRESIGNED, [EXAMPLE], NOW - 901)
    verify(PRESIGNED, [EXAMPLE], NOW - 900)


def test_whatever_is_changed_is_noticed() -> None:
    for request_, error in [
        (replace(GET, method="DELETE"), "SignatureDoesNotMatch"),
        (replace(GET, path="/other.txt"), "SignatureDoesNotMatch"),
        (replace(GET, query="acl"), "SignatureDoesNotMatch"),
        (_with("range", "bytes=0-99"), "SignatureDoesNotMatch"),
        (_with("host", "elsewhere"), "SignatureDoesNotMatch"),
        (_with("x-amz-acl", "public-read"), "AccessDenied"),
        (_with("x-amz-date", "20130525T000000Z"), "AccessDenied"),
        (_with("x-amz-date", "yesterday"), "AccessDenied"),
        (_with("x-amz-content-sha256", None), "InvalidArgument"),
        (_with("authorization", None), "AccessDenied"),
        (_with("authorization", "AWS key:signature"), "AuthorizationHeaderMalformed"),
        (_with("authorization", "Basic abc"), "InvalidArgument"),
        (replace(PRESIGNED, query="AWSAccessKeyId=key&Expires=1&Signature=s"), "AccessDenied"),
        (_with("authorization", "AWS4-HMAC-SHA256 Credential=x"), "AuthorizationHeaderMalformed"),
        (_with("authorization", AUTHORIZATION.replace("/s3/", "/iam/")), "AuthorizationHeaderMalformed"),
        (_with("authorization", AUTHORIZATION.replace("EXAMPLE/", "NOBODY/")), "InvalidAccessKeyId"),
        (_with("authorization", AUTHORIZATION.replace("host;", "")), "AccessDenied"),
        (replace(PRESIGNED, query=PRESIGNED.query.replace("86400", "604801")), "AuthorizationQueryParametersError"),
        (replace(PRESIGNED, query=PRESIGNED.query.replace("86400", "-5")), "AuthorizationQueryParametersError"),
        (
            replace(PRESIGNED, query=PRESIGNED.query.replace("86400", "000000001" + "9" * 5000)),
            "AuthorizationQueryParametersError",
        ),
        (replace(PRESIGNED, query=PRESIGNED.query.replace("86400", "86399")), "SignatureDoesNotMatch"),
        (replace(PRESIGNED, query=PRESIGNED.query + "&uploads"), "SignatureDoesNotMatch"),
        (replace(PRESIGNED, headers=[*PRESIGNED.headers, ("x-amz-copy-source", "/b/secret")]), "AccessDenied"),
    ]:
        with store_error(error):
            verify(request_, [EXAMPLE], NOW)


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_clock_that_differs_by_fifteen_minutes_is_accepted(sign: int) -> None:
    """A request is accepted up to 900 seconds before or after the server's time, and not from 901 on."""
    verified = [verify(GET, [EXAMPLE], NOW + sign * skew_s).access_key for skew_s in (899, 900)]
    assert verified == ["AKIAIOSFODNN7EXAMPLE"] * 2
    with store_error("RequestTimeTooSkewed"):
        verify(GET, [EXAMPLE], NOW + sign * 901)
