"""Makes URLs that anybody may open for a while, without keys."""

from __future__ import annotations

import time
from urllib.parse import urlsplit

from modelarts_emulator.storage.server import sigv4


def presigned_url(
    endpoint: str,
    bucket: str,
    key: str,
    access_key: str,
    secret_key: str,
    expires: int,
    response_content_type: str | None = None,
    response_content_disposition: str | None = None,
    now: float | None = None,
) -> str:
    """A URL to GET an object with, valid for `expires` seconds (1 second to 7 days; ValueError otherwise).

    `endpoint` is the object storage's address as the reader will use it: its host is part of what is signed.
    """
    if not 1 <= expires <= sigv4.MAX_EXPIRES:
        raise ValueError(f"a presigned URL lives for 1 to {sigv4.MAX_EXPIRES} seconds, not {expires}")
    timestamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    scope = sigv4.Scope(timestamp[:8], "local")
    parameters = {
        "X-Amz-Algorithm": sigv4.ALGORITHM,
        "X-Amz-Credential": f"{access_key}/{scope}",
        "X-Amz-Date": timestamp,
        "X-Amz-Expires": str(expires),
        "X-Amz-SignedHeaders": "host",
    }
    if response_content_type is not None:
        parameters["response-content-type"] = response_content_type
    if response_content_disposition is not None:
        parameters["response-content-disposition"] = response_content_disposition
    query = "&".join(f"{name}={sigv4.encode(value)}" for name, value in parameters.items())
    path = sigv4.encode(f"/{bucket}/{key}", "/")
    request = sigv4.Request("GET", path, query, [("host", urlsplit(endpoint).netloc)])
    canonical = sigv4.canonical_request(request, ["host"], sigv4.UNSIGNED)
    signature = sigv4.sign(sigv4.signing_key(secret_key, scope), timestamp, scope, canonical)
    return f"{endpoint.rstrip('/')}{path}?{query}&X-Amz-Signature={signature}"
