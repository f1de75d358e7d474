"""Who sent a request: whatever signature it has, in a header or in a presigned URL."""

from __future__ import annotations

from collections.abc import Iterable

from modelarts_emulator.storage.errors import AccessDenied, InvalidArgument
from modelarts_emulator.storage.server import sigv2, sigv4
from modelarts_emulator.storage.server.sigv4 import ALGORITHM, Identity, Request, Verified

__all__ = ["verify"]


def verify(request: Request, identities: Iterable[Identity], now: float, host_bucket: str = "") -> Verified:
    """Return who signed the request; raises AccessDenied and others.

    `host_bucket` is the bucket that the host name names, if it does; `now` is in Unix seconds.
    """
    authorization = request.header("authorization")
    if authorization is not None:
        scheme = authorization.split(" ")[0]
        if scheme in sigv2.SCHEMES:
            return sigv2.verify_header(request, authorization, host_bucket, identities, now)
        if scheme == ALGORITHM:
            return sigv4.verify_header(request, authorization, identities, now)
        known = ", ".join((ALGORITHM, *sigv2.SCHEMES))
        raise InvalidArgument(f"authorization {scheme!r} is not supported here; sign with one of {known}")
    parameters = dict(request.parameters())
    if "X-Amz-Signature" in parameters:
        return sigv4.verify_query(request, parameters, identities, now)
    if sigv2.QUERY_KEYS.keys() & parameters.keys():
        return sigv2.verify_query(request, parameters, host_bucket, identities, now)
    raise AccessDenied(f"the request is not signed: sign it with an access key and {ALGORITHM}, AWS or OBS")
