"""Signatures of version 2 and OBS's own, against the worked examples of the S3 reference and what can be wrong."""

from __future__ import annotations

import calendar
from dataclasses import replace
from urllib.parse import quote

import pytest
from tests.emulator.s3.conftest import EXAMPLE
from tests.emulator.storage.conftest import store_error

from modelarts_emulator.http.signatures import Request
from modelarts_emulator.s3 import sigv2
from modelarts_emulator.s3.signing import verify
from modelarts_emulator.storage.errors import AccessDenied, StoreError

NOW = float(calendar.timegm((2007, 3, 27, 19, 36, 42)))
KEYS = [EXAMPLE]


def _request(method: str, path: str, query: str = "", **headers: str) -> Request:
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Request(method, path, query, [("host", "johnsmith.s3.amazonaws.com"), *named])


GET = _request(
    "GET",
    "/photos/puppy.jpg",
    date="Tue, 27 Mar 2007 19:36:42 +0000",
    authorization="AWS AKIAIOSFODNN7EXAMPLE:bWq2s1WEIj+Ydj0vQ697zp+IXMU=",
)
PUT = _request(
    "PUT",
    "/photos/puppy.jpg",
    content_type="image/jpeg",
    content_length="94328",
    date="Tue, 27 Mar 2007 19:36:42 +0000",
    authorization="AWS AKIAIOSFODNN7EXAMPLE:wTc/Q2sK0oplr5qGtN8AYMwG2Vs=",
)
PRESIGNED = _request(
    "GET",
    "/photos/puppy.jpg",
    "AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=NpgCjnDzrM%2BWFzoENXmpNDUsSn8%3D&Expires=1175139620",
)


def _signed(request: Request, scheme: str, date: str, host_bucket: str = "johnsmith") -> Request:
    text = next(sigv2.strings_to_sign(request, scheme, date, host_bucket))
    signature = sigv2.sign(EXAMPLE.secret_key, text)
    header = ("authorization", f"{scheme} {EXAMPLE.access_key}:{signature}")
    return replace(request, headers=[*request.headers, header])


def test_the_examples_of_the_reference_are_accepted() -> None:
    """A signed request and a presigned URL with the bucket in the host name."""
    assert verify(GET, KEYS, NOW, "johnsmith").access_key == "AKIAIOSFODNN7EXAMPLE"
    assert verify(PRESIGNED, KEYS, 1175139620, "johnsmith").payload == "UNSIGNED-PAYLOAD"
    with pytest.raises(AccessDenied, match="expired"):
        verify(PRESIGNED, KEYS, 1175139621, "johnsmith")


def test_parameters_that_name_a_resource_are_signed_and_others_are_not() -> None:
    """Sub-resources and response-* count, paging does not."""
    date = "Tue, 27 Mar 2007 19:36:42 GMT"
    signed = _signed(_request("GET", "/", "acl&prefix=x", date=date), "AWS", date)

    verify(replace(signed, query="prefix=y&acl"), KEYS, NOW, "johnsmith")
    for query in ("prefix=x", "acl&uploads", "acl&response-content-type=text/html"):
        with store_error("SignatureDoesNotMatch"):
            verify(replace(signed, query=query), KEYS, NOW, "johnsmith")


@pytest.mark.parametrize("scheme", sigv2.SCHEMES)
def test_an_append_is_signed_with_its_position(scheme: str) -> None:
    """Written out by hand, as clients do: `append` and `position` belong to the resource."""
    date = "Tue, 27 Mar 2007 19:36:42 GMT"
    signature = sigv2.sign(EXAMPLE.secret_key, f"POST\n\n\n{date}\n/b/k?append&position=7")
    headers = {"date": date, "authorization": f"{scheme} {EXAMPLE.access_key}:{signature}"}

    verify(_request("POST", "/b/k", "append&position=7", **headers), KEYS, NOW)
    for query in ("append&position=8", "position=7"):
        with store_error("SignatureDoesNotMatch"):
            verify(_request("POST", "/b/k", query, **headers), KEYS, NOW)


@pytest.mark.parametrize(("scheme", "prefix"), [("AWS", "x-amz-"), ("OBS", "x-obs-")])
def test_each_scheme_signs_its_own_headers(scheme: str, prefix: str) -> None:
    """A header of the scheme that is added or changed afterwards is noticed, and its own date counts."""
    headers = [("host", "h"), (f"{prefix}date", "Tue, 27 Mar 2007 19:36:42 GMT"), (f"{prefix}meta-a", " 1  2 ")]
    signed = _signed(Request("PUT", "/b/k", "", headers), scheme, "", "")

    verify(signed, KEYS, NOW)
    for extra in [(f"{prefix}acl", "public-read"), (f"{prefix}meta-a", "3")]:
        with store_error("SignatureDoesNotMatch"):
            verify(replace(signed, headers=[*signed.headers, extra]), KEYS, NOW)


def test_whatever_is_changed_is_noticed() -> None:
    """Method, path, query, headers, expiry and form of the signature are checked."""
    for request_, error in [
        (replace(GET, method="DELETE"), "SignatureDoesNotMatch"),
        (replace(GET, path="/photos/other.jpg"), "SignatureDoesNotMatch"),
        (replace(GET, query="acl"), "SignatureDoesNotMatch"),
        (PUT, "SignatureDoesNotMatch"),
        (replace(PRESIGNED, query=PRESIGNED.query.replace("1175139620", "1175139621")), "SignatureDoesNotMatch"),
        (
            replace(PRESIGNED, query=PRESIGNED.query.replace("&Expires=1175139620", "")),
            "AuthorizationQueryParametersError",
        ),
        (replace(PRESIGNED, query="AccessKeyId=a&Expires=9999999999"), "AuthorizationQueryParametersError"),
        (_request("GET", "/", authorization="AWS a:short"), "AuthorizationHeaderMalformed"),
        (_request("GET", "/", authorization=f"AWS a:{'A' * 27}="), "AccessDenied"),
        (_request("GET", "/", date="yesterday", authorization=f"OBS a:{'A' * 27}="), "AccessDenied"),
        (
            _request("GET", "/", date="Tue, 27 Mar 2007 19:36:42 GMT", authorization=f"OBS a:{'A' * 27}="),
            "InvalidAccessKeyId",
        ),
    ]:
        with store_error(error):
            verify(request_, KEYS, NOW, "johnsmith")


def test_a_request_of_another_time_is_rejected() -> None:
    """A signature is valid for fifteen minutes before and after the server's time."""
    for skew_s in [-901, 901]:
        verify(GET, KEYS, NOW + skew_s - skew_s // abs(skew_s), "johnsmith")
        with store_error("RequestTimeTooSkewed"):
            verify(GET, KEYS, NOW + skew_s, "johnsmith")


def _presigned(method: str, path: str, query: str, scheme: str) -> Request:
    name = {scheme: name for name, scheme in sigv2.QUERY_KEYS.items()}[scheme]
    request = _request(method, path, query)
    signature = quote(sigv2.sign(EXAMPLE.secret_key, next(sigv2.strings_to_sign(request, scheme, "1175139620", ""))))
    keys = f"{name}={EXAMPLE.access_key}&Expires=1175139620&Signature={signature}"
    return replace(request, query="&".join(filter(None, [query, keys])))


def test_no_header_is_allowed_that_the_signature_does_not_cover() -> None:
    """Neither one of the other dialect, nor with parameters of another scheme, in a signed request or a URL."""
    date = "Tue, 27 Mar 2007 19:36:42 GMT"
    for scheme, more, header in [
        ("OBS", "", "x-amz-copy-source"),
        ("OBS", "&AWSAccessKeyId=z", "x-amz-copy-source"),
        ("OBS", "&X-Amz-Signature=z", "x-amz-copy-source"),
        ("AWS", "", "x-obs-copy-source"),
        ("AWS", "&apiversion=", "x-obs-copy-source"),
        ("AWS", "&AccessKeyId=z", "x-obs-copy-source"),
    ]:
        for request in (
            _presigned("PUT", "/b/k", "", scheme),
            _signed(_request("PUT", "/b/k", date=date), scheme, date, ""),
        ):
            verify(request, KEYS, NOW)

            changed = replace(request, query=request.query + more, headers=[*request.headers, (header, "/b/secret")])
            with pytest.raises(StoreError):
                verify(changed, KEYS, NOW)


def test_a_header_cannot_hide_behind_a_signed_parameter_of_its_name() -> None:
    """What counts is the header, so the signature must be that of its value."""
    request = _request("PUT", "/b/k", "x-amz-meta-a=1")
    text = list(sigv2.strings_to_sign(request, "AWS", "1175139620", ""))[-1]
    signature = quote(sigv2.sign(EXAMPLE.secret_key, text))
    keys = f"&AWSAccessKeyId={EXAMPLE.access_key}&Expires=1175139620&Signature={signature}"
    url = replace(request, query=request.query + keys)
    verify(url, KEYS, NOW)

    with store_error("SignatureDoesNotMatch"):
        verify(replace(url, headers=[*url.headers, ("x-amz-meta-a", "2")]), KEYS, NOW)
