"""Signing a request to object storage in its header.

Source: AWS Signature Version 4 for S3, which OBS accepts as well.
"""

import hashlib
import hmac
from datetime import datetime
from urllib.parse import quote

import httpx


def sign(
    request: httpx.Request, access_key: str, secret_key: str, token: str | None, region: str, now: datetime
) -> None:
    """Add the headers `X-Amz-*` and `Authorization` for a moment of UTC; the body must be in memory."""
    stamp = now.strftime("%Y%m%dT%H%M%SZ")
    payload = hashlib.sha256(request.content).hexdigest()
    request.headers.update({"x-amz-date": stamp, "x-amz-content-sha256": payload})
    if token:
        request.headers["x-amz-security-token"] = token

    signed = sorted(name for name in request.headers if name == "host" or name.startswith("x-amz-"))
    parameters = sorted((quote(name, safe="~"), quote(value, safe="~")) for name, value in request.url.params.items())
    canonical = [
        request.method,
        request.url.raw_path.partition(b"?")[0].decode(),
        "&".join(f"{name}={value}" for name, value in parameters),
        *(f"{name}:{request.headers[name].strip()}" for name in signed),
        "",
        ";".join(signed),
        payload,
    ]

    scope = f"{stamp[:8]}/{region}/s3/aws4_request"
    digest = hashlib.sha256("\n".join(canonical).encode()).hexdigest()
    key = f"AWS4{secret_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{digest}".encode(), "sha256").hex()
    request.headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={access_key}/{scope}, SignedHeaders={';'.join(signed)}, Signature={signature}"
    )
