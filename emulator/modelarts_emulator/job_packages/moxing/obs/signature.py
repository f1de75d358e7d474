"""AWS Signature Version 4 of a request, in its headers.

Source: "Authenticating Requests (AWS Signature Version 4)" of the S3 reference, which OBS follows.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from typing import Mapping, Sequence
from urllib.parse import quote, urlsplit

from moxing.obs.settings import Settings

__all__ = ["Query", "encode_key", "encode_query", "signed_headers"]

ALGORITHM = "AWS4-HMAC-SHA256"
Query = Sequence["tuple[str, str]"]


def encode_key(key: str) -> str:
    """The key as a path holds it."""
    return quote(key, safe="/-._~")


def encode_query(query: Query) -> str:
    """The query in the order and form that are signed."""
    return "&".join(f"{quote(name, safe='-._~')}={quote(value, safe='-._~')}" for name, value in sorted(query))


def signed_headers(
    settings: Settings,
    method: str,
    host: str,
    path: str,
    query: Query,
    headers: Mapping[str, str],
    payload: str,
    now: float,
) -> dict[str, str]:
    """All headers to send: those given (in lower case), and the signature; `payload` is the body's SHA-256 in hex."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    signed = {**headers, "host": host, "x-amz-date": stamp, "x-amz-content-sha256": payload}
    if settings.security_token:
        signed["x-amz-security-token"] = settings.security_token
    names = sorted(name for name in signed if name == "host" or name.startswith("x-amz-"))
    lines = "".join(f"{name}:{' '.join(signed[name].split())}\n" for name in names)
    canonical = f"{method}\n{path}\n{encode_query(query)}\n{lines}\n{';'.join(names)}\n{payload}"
    scope = f"{stamp[:8]}/{_region(settings.endpoint)}/s3/aws4_request"
    text = f"{ALGORITHM}\n{stamp}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = f"AWS4{settings.secret_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    credential = f"Credential={settings.access_key}/{scope}"
    signed["authorization"] = f"{ALGORITHM} {credential}, SignedHeaders={';'.join(names)}, Signature={signature}"
    return signed


def _region(endpoint: str) -> str:
    """The region in the name of an endpoint (`obs.eu-de.otc.t-systems.com`), or the one for all others."""
    labels = (urlsplit(endpoint).hostname or "").split(".")
    return labels[1] if labels[0] in ("obs", "s3") and len(labels) > 3 else "us-east-1"
