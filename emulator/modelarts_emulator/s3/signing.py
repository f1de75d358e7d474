"""Authentication: verifies the signature of a request, in a header or in a presigned URL, of any scheme."""

from __future__ import annotations

from collections.abc import Iterable

from modelarts_emulator.http.signatures import Request
from modelarts_emulator.s3 import sigv2, sigv4
from modelarts_emulator.s3.sigv4 import ALGORITHM, Verified
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.storage.errors import AccessDenied, StoreError

_PREFIXES = {ALGORITHM: "x-amz-", **sigv2.SCHEMES}
"""The prefix of the headers that each scheme signs."""

_SECURITY_TOKENS = frozenset({"x-amz-security-token", "x-obs-security-token"})
_CREDENTIALS = _SECURITY_TOKENS | {f"x-amz-{name}" for name in ("algorithm", "credential", "date", "expires")}
_CREDENTIALS |= {"x-amz-signature", "x-amz-signedheaders"}
"""The parameters of a presigned URL that say who signed it, when, and what."""


def scheme_of(request: Request) -> str:
    """Return the signature scheme of a request (`AWS4-HMAC-SHA256`, `AWS` or `OBS`), unchecked; empty without one."""
    authorization = request.header("authorization")
    if authorization is not None:
        return authorization.split(" ")[0]
    names = {name for name, _ in request.parameters()}
    if "X-Amz-Signature" in names:
        return ALGORITHM
    return next((scheme for name, scheme in sigv2.QUERY_KEYS.items() if name in names), "")


def verify(request: Request, identities: Iterable[Identity], now: float, host_bucket: str = "") -> Verified:
    """Return who signed the request; raises AccessDenied and others.

    `host_bucket` is the bucket of the host name, empty if the path names it; `now` is in Unix seconds.
    """
    scheme, authorization = scheme_of(request), request.header("authorization")
    if not scheme and authorization is None:
        raise AccessDenied(f"the request is not signed: sign it with an access key and {ALGORITHM}, AWS or OBS")
    if scheme not in _PREFIXES:
        raise StoreError(
            "InvalidArgument",
            f"authorization {scheme!r} is not supported here; sign with one of {', '.join(_PREFIXES)}",
        )
    _reject_foreign_headers(request, _PREFIXES[scheme])
    if authorization is not None:
        if scheme == ALGORITHM:
            return sigv4.verify_header(request, authorization, identities, now)
        return sigv2.verify_header(request, authorization, host_bucket, identities, now)
    parameters = dict(request.parameters())
    if scheme == ALGORITHM:
        return sigv4.verify_query(request, parameters, identities, now)
    return sigv2.verify_query(request, parameters, host_bucket, identities, now)


def security_token_of(request: Request) -> str | None:
    """Return the security token of temporary keys, in a header or in a presigned URL; None if the request has none."""
    pairs = [*request.headers, *request.parameters()]
    return next((value for name, value in pairs if name.lower() in _SECURITY_TOKENS and value), None)


def headers_of(request: Request) -> list[tuple[str, str]]:
    """Return the headers of a request, and the parameters of a presigned URL that stand for headers.

    These are the parameters whose names begin as the headers of the signature's dialect do; with a signature of version
    2 or of OBS also `content-type` and `content-md5`. A header that was sent takes precedence over such a parameter.
    """
    scheme = scheme_of(request)
    standard = ("content-type", "content-md5") if scheme in sigv2.SCHEMES else ()
    sent = {name for name, _ in request.headers}
    found = list(request.headers)
    for name, value in request.parameters():
        is_header = name in standard or name.lower().startswith(_PREFIXES.get(scheme, "x-amz-"))
        if is_header and name.lower() not in sent | _CREDENTIALS:
            found.append((name.lower(), value.strip().encode().decode("latin-1")))
    return found


def _reject_foreign_headers(request: Request, prefix: str) -> None:
    """Raise AccessDenied for headers of the other dialect, which the signature does not protect."""
    others = tuple(set(_PREFIXES.values()) - {prefix})
    given = {name for name, _ in request.headers}
    given |= {name.lower() for name, _ in request.parameters()} - _CREDENTIALS
    if loose := sorted(name for name in given if name.startswith(others)):
        raise AccessDenied(
            f"there were headers in the request which were not signed: {', '.join(loose)}; "
            f"with this signature, name them {prefix}..."
        )
