"""Sign a request to object storage in its header.

Source: AWS Signature Version 4 for S3, which OBS accepts as well.
"""

import hashlib
import hmac
from datetime import datetime

import httpx

from modelarts_toolkit.auth.access_keys import canonical_request, derived_key, string_to_sign

ALGORITHM = "AWS4-HMAC-SHA256"


def sign(
    request: httpx.Request, access_key: str, secret_key: str, token: str | None, region: str, now: datetime
) -> None:
    """Add the headers `X-Amz-*` and `Authorization` for this time in UTC; the body must be in memory."""
    stamp = now.strftime("%Y%m%dT%H%M%SZ")
    payload = hashlib.sha256(request.content).hexdigest()
    request.headers.update({"x-amz-date": stamp, "x-amz-content-sha256": payload})
    if token:
        request.headers["x-amz-security-token"] = token

    names = sorted(name for name in request.headers if name == "host" or name.startswith("x-amz-"))
    canonical = canonical_request(request, request.url.raw_path.partition(b"?")[0].decode(), names, payload)
    scope = f"{stamp[:8]}/{region}/s3/aws4_request"
    text = string_to_sign(ALGORITHM, f"{stamp}\n{scope}", canonical)
    signature = hmac.digest(derived_key(f"AWS4{secret_key}", scope), text, "sha256").hex()
    request.headers["authorization"] = (
        f"{ALGORITHM} Credential={access_key}/{scope}, SignedHeaders={';'.join(names)}, Signature={signature}"
    )
