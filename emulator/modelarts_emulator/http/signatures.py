"""Signatures of requests with AK/SK: SDK-HMAC-SHA256, unscoped (`Access=`) and scoped (`Credential=`).

Sources: the page "Authentication" (headers, scoped form); the API signing guide of Huawei Cloud (unscoped form, 15
minutes); published SDKs, where these differ in details: then every reading is accepted, see `_canonical_requests`.
"""

from __future__ import annotations

import calendar
import contextlib
import hashlib
import hmac
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote, unquote_to_bytes

from starlette.types import Scope

from modelarts_emulator.http.errors import Problem, ServiceError

ALGORITHM = "SDK-HMAC-SHA256"
MAX_SKEW_S = 15 * 60
UNSIGNED_PAYLOAD = "UNSIGNED-PAYLOAD"
TERMINATOR = "sdk_request"
NEEDED = ("host", "x-sdk-date")  # have to be signed
NEEDED_IF_SENT = ("x-project-id", "x-domain-id", "x-security-token")
_AUTHORIZATION = re.compile(
    rf"{ALGORITHM}\s+(?:Access=(?P<access>[^\s,/]+)|Credential=(?P<credential>[^\s,]+))\s*,"
    r"\s*SignedHeaders=(?P<headers>[^\s,]+)\s*,\s*Signature=(?P<signature>[0-9a-f]{64})",
    re.ASCII,
)
_STAMP = re.compile(r"\d{8}T\d{6}Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Request:
    """The signed parts of a request as they arrived: path and query still encoded, header names in lower case."""

    method: str
    path: str
    query: str
    headers: Sequence[tuple[str, str]]
    body: bytes = b""

    @classmethod
    def of(cls, scope: Scope, body: bytes = b"") -> Request:
        """The request of an ASGI scope."""
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        path, query = (scope[name].decode("latin-1") for name in ("raw_path", "query_string"))
        return cls(scope["method"], path, query, headers, body)

    def header(self, name: str) -> str | None:
        """The header's values, joined; None if there is none."""
        found = [value for key, value in self.headers if key == name]
        return ",".join(found) if found else None

    def parameters(self) -> list[tuple[str, str]]:
        """The parameters of the query, decoded, in order; a plus sign stands for itself."""
        pairs = (pair.partition("=") for pair in self.query.split("&") if pair)
        return [(unquote(name), unquote(value)) for name, _, value in pairs]


@dataclass(frozen=True, slots=True)
class Signature:
    """What an Authorization header says; `scope` (`<date>/<region>/<service>/sdk_request`) is None if unscoped."""

    access_key: str
    scope: str | None
    signed_headers: tuple[str, ...]
    signature: str


def parse(authorization: str) -> Signature:
    """Read the header; raises ServiceError (SIGNATURE_MALFORMED) if it has neither form."""
    match = _AUTHORIZATION.fullmatch(authorization.strip())
    if match is None:
        raise ServiceError(
            Problem.SIGNATURE_MALFORMED,
            f"The Authorization header must be {ALGORITHM} Access=..., SignedHeaders=..., Signature=..., or have a"
            " Credential with a scope in place of Access.",
        )
    access_key, _, scope = (match["access"] or match["credential"]).partition("/")
    parts = scope.split("/")
    if match["access"] is None and (len(parts) != 4 or parts[3] != TERMINATOR):
        message = f"The Credential must have the form <access key>/<yyyymmdd>/<region>/<service>/{TERMINATOR}."
        raise ServiceError(Problem.SIGNATURE_MALFORMED, message)
    return Signature(access_key, scope or None, tuple(match["headers"].split(";")), match["signature"])


def verify(request: Request, signature: Signature, secret_key: str, clocks: Iterable[float]) -> None:
    """Raise ServiceError (SIGNATURE_INVALID) unless the request was signed so with this key, close to one of the times.

    `clocks` are times in Unix seconds that the request may follow.
    """
    stamp = _checked_date(request, signature, clocks)
    for name in (*NEEDED, *(name for name in NEEDED_IF_SENT if request.header(name) is not None)):
        if name not in signature.signed_headers:
            raise ServiceError(Problem.SIGNATURE_INVALID, f"The header {name} must be one of the SignedHeaders.")
    payload = request.header("x-sdk-content-sha256")
    if payload not in (None, UNSIGNED_PAYLOAD, hashlib.sha256(request.body).hexdigest()):
        raise ServiceError(Problem.SIGNATURE_INVALID, "X-Sdk-Content-Sha256 is not the hash of the body.")
    if signature.scope is None:
        key, moment = secret_key.encode(), stamp
    else:
        key, moment = derived_key(f"SDK{secret_key}", signature.scope), f"{stamp}\n{signature.scope}"
    is_valid = False
    for canonical in _canonical_requests(request, signature):
        text = f"{ALGORITHM}\n{moment}\n{hashlib.sha256(canonical).hexdigest()}"
        expected = hmac.digest(key, text.encode(), hashlib.sha256).hex()
        is_valid |= hmac.compare_digest(expected, signature.signature)
    if not is_valid:
        raise ServiceError(
            Problem.SIGNATURE_INVALID,
            "The signature does not match: check the secret key, and that nothing changed after signing.",
        )


def _checked_date(request: Request, signature: Signature, clocks: Iterable[float]) -> str:
    stamp = request.header("x-sdk-date") or ""
    if (sent := stamp_seconds(stamp)) is None:
        message = "The header X-Sdk-Date is missing or not a time such as 20190307T101459Z."
        raise ServiceError(Problem.SIGNATURE_MALFORMED, message)
    if signature.scope is not None and not signature.scope.startswith(f"{stamp[:8]}/"):
        raise ServiceError(Problem.SIGNATURE_MALFORMED, "The date of the Credential is not that of X-Sdk-Date.")
    if all(abs(now - sent) > MAX_SKEW_S for now in clocks):
        message = f"X-Sdk-Date ({stamp}) is more than 15 minutes from the time of the service: check the clock."
        raise ServiceError(Problem.SIGNATURE_INVALID, message)
    return stamp


def stamp_seconds(stamp: str) -> float | None:
    """The Unix time of a stamp such as 20190307T101459Z; None for another text."""
    with contextlib.suppress(ValueError):
        return float(calendar.timegm(time.strptime(stamp, "%Y%m%dT%H%M%SZ"))) if _STAMP.fullmatch(stamp) else None
    return None


def _canonical_requests(request: Request, signature: Signature) -> Iterator[bytes]:
    """The request as clients read the rules.

    They sort the query before or after it is encoded, and collapse runs of blanks in headers or do not. The hash of an
    empty body goes before X-Sdk-Content-Sha256 in some. A scoped POST without body may sign its query as the body.
    """
    path = quote(unquote_to_bytes(request.path), safe="/")
    path = path if path.endswith("/") else f"{path}/"
    pairs = parse_qsl(request.query, keep_blank_values=True, encoding="latin-1")
    encoded = [(_encode(name), _encode(value)) for name, value in pairs]
    queries = {_joined(sorted(encoded)), _joined([(_encode(name), _encode(value)) for name, value in sorted(pairs)])}
    values = [(name, (request.header(name) or "").strip()) for name in signature.signed_headers]
    blocks = {
        "".join(f"{name}:{value}\n" for name, value in values),
        "".join(f"{name}:{' '.join(value.split())}\n" for name, value in values),
    }
    body_hash = hashlib.sha256(request.body).hexdigest()
    bodies = {(query, request.header("x-sdk-content-sha256") or body_hash) for query in queries}
    if not request.body:
        bodies |= {(query, body_hash) for query in queries}
        if signature.scope is not None and request.method == "POST" and request.query:
            bodies |= {("", hashlib.sha256(query.encode()).hexdigest()) for query in queries}
    for query, payload in bodies:
        for block in blocks:
            lines = (request.method, path, query, block, ";".join(signature.signed_headers), payload)
            yield "\n".join(lines).encode("latin-1")


def _encode(text: str) -> str:
    return quote(text.encode("latin-1"), safe="")


def _joined(pairs: Iterable[tuple[str, str]]) -> str:
    return "&".join(f"{name}={value}" for name, value in pairs)


def derived_key(secret: str, scope: str) -> bytes:
    """The key of a scope, such as `<date>/<region>/<service>/sdk_request`."""
    key = secret.encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), hashlib.sha256)
    return key
