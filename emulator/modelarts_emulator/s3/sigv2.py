"""AWS Signature Version 2 and OBS's own signature, which differ in names only: HMAC-SHA1 of a request's main parts.

Source: "Signing and Authenticating REST Requests" of the S3 reference; "Authentication of Signature in a Header" and
"in a URL" of the OBS reference.
"""

from __future__ import annotations

import base64
import hmac
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote

from modelarts_emulator.http.signatures import Request
from modelarts_emulator.s3.sigv4 import (
    UNSIGNED,
    Verified,
    check_skew,
    date_seconds,
    mismatch,
    secret_of,
)
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.settings.files import own_table
from modelarts_emulator.storage.errors import AccessDenied, StoreError

SCHEMES = {"AWS": "x-amz-", "OBS": "x-obs-"}
"""The prefix of the headers that each scheme signs."""

QUERY_KEYS = {"AWSAccessKeyId": "AWS", "AccessKeyId": "OBS"}
"""The parameter of a presigned URL that names the access key, and its scheme."""

_HEADER = re.compile(r"(AWS|OBS) ([^\s:]+):([A-Za-z0-9+/]{27}=)")
_SIGNED_PARAMETERS = frozenset(own_table(__file__, "signed_parameters.toml")["names"])
"""The parameters of the query that are signed, in lower case: those that name what a request is about."""


def verify_header(
    request: Request, authorization: str, host_bucket: str, identities: Iterable[Identity], now: float
) -> Verified:
    """Check `Authorization: AWS <access key>:<signature>`, or the same with OBS; raises AccessDenied and others."""
    match = _HEADER.fullmatch(authorization.strip())
    if match is None:
        raise StoreError(
            "AuthorizationHeaderMalformed", "the Authorization header must be AWS or OBS, an access key, ':', signature"
        )
    scheme, access_key, signature = match.groups()
    own_date = request.header(f"{SCHEMES[scheme]}date")
    text = own_date or request.header("date")
    sent = date_seconds(text or "")
    if sent is None:
        raise AccessDenied(f"the request needs a header Date or {SCHEMES[scheme]}date")
    check_skew(sent, now, str(text))
    date = "" if own_date else request.header("date") or ""
    return _checked(request, scheme, access_key, signature, date, host_bucket, identities)


def verify_query(
    request: Request, parameters: Mapping[str, str], host_bucket: str, identities: Iterable[Identity], now: float
) -> Verified:
    """Check a presigned URL; raises AccessDenied and others."""
    name = next(name for name in QUERY_KEYS if name in parameters)
    expires = parameters.get("Expires", "")
    if "Signature" not in parameters or not (expires.isascii() and expires.isdigit() and len(expires) < 13):
        raise StoreError(
            "AuthorizationQueryParametersError",
            f"a presigned URL needs {name}, Expires (seconds since 1970), Signature",
        )
    if now > int(expires):
        raise AccessDenied("the request has expired: this presigned URL is no longer valid, ask for a new one")
    return _checked(
        request, QUERY_KEYS[name], parameters[name], parameters["Signature"], expires, host_bucket, identities
    )


def sign(secret_key: str, text: str) -> str:
    """Return the signature of a text, in base64."""
    return base64.b64encode(hmac.digest(secret_key.encode(), text.encode(), "sha1")).decode()


def strings_to_sign(request: Request, scheme: str, date: str, host_bucket: str) -> Iterator[str]:
    """Yield the text that is signed, in all forms that clients give it.

    Clients differ in whether `x-...` parameters of a presigned URL belong to the headers or to the resource, and in
    whether the resource of a bucket ends in `/`. A header that was sent is signed as it was sent, also if a parameter
    has its name.
    """
    prefix = SCHEMES[scheme]
    headers = {name: request.header(name) or "" for name, _ in request.headers if name.startswith(prefix)}
    parameters = list(_signed_parameters(request, prefix))
    own = {name.lower(): value or "" for name, value in parameters if name.lower().startswith(prefix)}
    others = [pair for pair in parameters if not pair[0].lower().startswith(prefix)]
    query = dict(request.parameters())
    standard = [request.header(name) or query.get(name, "") for name in ("content-md5", "content-type")]
    for signed, resource in ((headers, parameters), ({**own, **headers}, others)):
        lines = [request.method, *standard, date]
        lines += [f"{name}:{' '.join(signed[name].split())}" for name in sorted(signed)]
        path = f"/{host_bucket}{request.path}" if host_bucket else request.path
        for form in (path, f"{path}/") if path.count("/") == 1 else (path,):
            yield "\n".join([*lines, _resource(form, resource)])


def _checked(
    request: Request,
    scheme: str,
    access_key: str,
    signature: str,
    date: str,
    host_bucket: str,
    identities: Iterable[Identity],
) -> Verified:
    secret = secret_of(access_key, identities)
    given = signature.encode()
    if not any(
        hmac.compare_digest(sign(secret, text).encode(), given)
        for text in strings_to_sign(request, scheme, date, host_bucket)
    ):
        raise mismatch()
    payload = request.header(f"{SCHEMES[scheme]}content-sha256") or UNSIGNED
    return Verified(access_key, payload)


def _resource(path: str, parameters: list[tuple[str, str | None]]) -> str:
    pairs = sorted(parameters, key=lambda pair: pair[0])
    query = "&".join(name if value is None else f"{name}={value}" for name, value in pairs)
    return f"{path}?{query}" if query else path


def _signed_parameters(request: Request, prefix: str) -> Iterator[tuple[str, str | None]]:
    """Yield decoded name and value of each parameter that is signed; None for one without `=`."""
    for pair in request.query.split("&"):
        name, separator, value = pair.partition("=")
        name = unquote(name)
        if name.lower() in _SIGNED_PARAMETERS or name.lower().startswith(prefix):
            yield name, unquote(value) if separator else None
