"""AWS Signature Version 4 for object storage: verifies requests and makes presigned URLs.

All functions are pure.
Source: "Authenticating Requests (AWS Signature Version 4)" of the S3 reference, which OBS clients also follow.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from urllib.parse import quote, unquote, urlsplit

from modelarts_emulator.http.signatures import Request, derived_key, stamp_seconds
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.storage.errors import AccessDenied, StoreError

ALGORITHM = "AWS4-HMAC-SHA256"
UNSIGNED = "UNSIGNED-PAYLOAD"
MAX_EXPIRES = 7 * 24 * 3600
_MAX_SKEW = 15 * 60
_HEADER = re.compile(
    rf"{ALGORITHM}\s+Credential=(?P<credential>[^,\s]+)\s*,\s*"
    r"SignedHeaders=(?P<headers>[^,\s]+)\s*,\s*Signature=(?P<signature>[0-9a-f]{64})"
)
_CREDENTIAL = re.compile(r"(.+)/(\d{8}/[^/]*/s3/aws4_request)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Verified:
    """The sender, and x-amz-content-sha256, which says what of the body was signed."""

    access_key: str
    payload: str


def verify_header(request: Request, authorization: str, identities: Iterable[Identity], now: float) -> Verified:
    """Check an Authorization header; raises AccessDenied and others."""
    match = _HEADER.fullmatch(authorization.strip())
    if match is None:
        raise StoreError(
            "AuthorizationHeaderMalformed", "the Authorization header needs Credential, SignedHeaders and Signature"
        )
    access_key, scope = credential(match["credential"], "AuthorizationHeaderMalformed")
    timestamp, payload = _timestamp(request), request.header("x-amz-content-sha256")
    if payload is None:
        raise StoreError("InvalidArgument", "the header x-amz-content-sha256 is missing")
    sent = stamp_seconds(timestamp)
    if sent is None or not scope.startswith(timestamp[:8]):
        raise AccessDenied("the request needs a header x-amz-date or Date, of the same day as its credential")
    check_skew(sent, now, timestamp)
    signed = match["headers"].split(";")
    _require_signed(request, signed)
    canonical = canonical_request(request, signed, payload)
    _check(match["signature"], sign(secret_of(access_key, identities), timestamp, scope, canonical))
    return Verified(access_key, payload)


def verify_query(
    request: Request, parameters: Mapping[str, str], identities: Iterable[Identity], now: float
) -> Verified:
    """Check a presigned URL; raises AccessDenied and others."""
    names = ("X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders")
    missing = [name for name in names if name not in parameters]
    if missing or parameters.get("X-Amz-Algorithm") != ALGORITHM:
        raise StoreError(
            "AuthorizationQueryParametersError",
            f"a presigned URL needs X-Amz-Algorithm={ALGORITHM} and {', '.join(names)}",
        )
    access_key, scope = credential(parameters["X-Amz-Credential"], "AuthorizationQueryParametersError")
    timestamp, expires = parameters["X-Amz-Date"], parameters["X-Amz-Expires"]
    begin = stamp_seconds(timestamp)
    if begin is None or not scope.startswith(timestamp[:8]):
        raise StoreError("AuthorizationQueryParametersError", "X-Amz-Date must be of the same day as the credential")
    if not expires.isascii() or not expires.isdigit() or not (len(expires) < 10 and 1 <= int(expires) <= MAX_EXPIRES):
        raise StoreError(
            "AuthorizationQueryParametersError", f"X-Amz-Expires must be between 1 and {MAX_EXPIRES} seconds"
        )
    if now > begin + int(expires):
        raise AccessDenied("the request has expired: this presigned URL is no longer valid, ask for a new one")
    if now < begin - _MAX_SKEW:
        raise AccessDenied("the request is not yet valid: its time lies in this server's future")
    signed = parameters["X-Amz-SignedHeaders"].split(";")
    _require_signed(request, signed)
    payload = request.header("x-amz-content-sha256") or parameters.get("X-Amz-Content-Sha256") or UNSIGNED
    canonical = canonical_request(request, signed, payload)
    signature = parameters.get("X-Amz-Signature", "")
    _check(signature, sign(secret_of(access_key, identities), timestamp, scope, canonical))
    return Verified(access_key, payload)


def _check(signature: str, expected: str) -> None:
    """Raise SignatureDoesNotMatch unless the signature is the expected one."""
    if not hmac.compare_digest(expected.encode(), signature.encode()):
        raise mismatch()


def mismatch() -> StoreError:
    """Return the error for a wrong signature."""
    message = "the signature is not that of this request: check the secret key and how it is signed"
    return StoreError("SignatureDoesNotMatch", message)


def credential(text: str, code: str) -> tuple[str, str]:
    """Read access key and scope, `<date>/<region>/s3/aws4_request`; raises StoreError with the code."""
    match = _CREDENTIAL.fullmatch(text)
    if match is None:
        raise StoreError(code, "the credential must have the form <access key>/<yyyymmdd>/<region>/s3/aws4_request")
    return match[1], match[2]


def secret_of(access_key: str, identities: Iterable[Identity]) -> str:
    """Return the secret key of an access key; raises InvalidAccessKeyId."""
    for identity in identities:
        if identity.access_key == access_key:
            return identity.secret_key
    raise StoreError("InvalidAccessKeyId", f"nobody here has the access key {access_key!r}")


def _require_signed(request: Request, signed: Sequence[str]) -> None:
    """Raise AccessDenied for a header that can change the meaning of the request and is not signed."""
    must = {"host"} | {name for name, _ in request.headers if name.startswith("x-amz-")}
    loose = sorted(must - set(signed) - {"x-amz-content-sha256"})
    if loose:
        raise AccessDenied(f"there were headers in the request which were not signed: {', '.join(loose)}")


def check_skew(sent: float, now: float, text: str) -> None:
    """Raise RequestTimeTooSkewed for a request that was sent too long before or after now, both in Unix seconds."""
    if abs(now - sent) > _MAX_SKEW:
        raise StoreError(
            "RequestTimeTooSkewed", f"the request is of {text}, more than 15 minutes from this server's time"
        )


def date_seconds(text: str) -> float | None:
    """Return the Unix time of a `Date` or `x-...-date` header, in either form; None if it has neither."""
    return http_seconds(text) if (seconds := stamp_seconds(text)) is None else seconds


def http_seconds(text: str) -> float | None:
    """Return the Unix time of a header in the form of HTTP; None if it has another one."""
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        return parsedate_to_datetime(text).timestamp()
    return None


def _timestamp(request: Request) -> str:
    """Return the time of a request as x-amz-date has it, from `Date` if that is missing; empty without both."""
    if (given := request.header("x-amz-date")) is not None:
        return given
    sent = date_seconds(request.header("date") or "")
    return "" if sent is None else time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(sent))


# Signing


def canonical_request(request: Request, signed: Sequence[str], payload: str) -> str:
    """Return the canonical request, which is signed."""
    pairs = sorted(
        (quote(name, safe=""), quote(value, safe=""))
        for name, value in request.parameters()
        if name != "X-Amz-Signature"
    )
    query = "&".join(f"{name}={value}" for name, value in pairs)
    headers = "".join(f"{name}:{' '.join((request.header(name) or '').split())}\n" for name in signed)
    path = quote(unquote(request.path))
    return f"{request.method}\n{path}\n{query}\n{headers}\n{';'.join(signed)}\n{payload}"


def sign(secret_key: str, timestamp: str, scope: str, canonical: str) -> str:
    """Return the signature of a canonical request, in hex."""
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    text = f"{ALGORITHM}\n{timestamp}\n{scope}\n{digest}"
    return hmac.digest(derived_key(f"AWS4{secret_key}", scope), text.encode(), "sha256").hex()


def presigned_url(
    endpoint: str,
    bucket: str,
    key: str,
    access_key: str,
    secret_key: str,
    expires: int,
    response_content_type: str,
    security_token: str | None = None,
) -> str:
    """Return a URL to GET an object with, valid for `expires` seconds.

    `endpoint` is the object storage's address as the reader will use it: its host is part of what is signed.
    A temporary access key needs its security token.
    """
    timestamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    scope = f"{timestamp[:8]}/local/s3/aws4_request"
    parameters = {
        "X-Amz-Algorithm": ALGORITHM,
        "X-Amz-Credential": f"{access_key}/{scope}",
        "X-Amz-Date": timestamp,
        "X-Amz-Expires": str(expires),
        "X-Amz-SignedHeaders": "host",
        "response-content-type": response_content_type,
    }
    if security_token is not None:
        parameters["X-Amz-Security-Token"] = security_token
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in parameters.items())
    path = quote(f"/{bucket}/{key}")
    canonical = canonical_request(
        Request("GET", path, query, [("host", urlsplit(endpoint).netloc)]), ["host"], UNSIGNED
    )
    signature = sign(secret_key, timestamp, scope, canonical)
    return f"{endpoint.rstrip('/')}{path}?{query}&X-Amz-Signature={signature}"
