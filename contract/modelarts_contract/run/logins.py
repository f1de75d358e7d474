"""How a run of schemathesis logs in: with a token, or by signing its requests.

Everything comes from the environment, as in hooks.py.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime

import requests
import schemathesis

__all__ = ["register"]


class IamToken:
    """The login of a run: a token."""

    def get(self, case: schemathesis.Case, context: schemathesis.AuthContext) -> str:
        return os.environ["CONTRACT_TOKEN"]

    def set(self, case: schemathesis.Case, data: str, context: schemathesis.AuthContext) -> None:
        case.headers["X-Auth-Token"] = data


class Signer(requests.auth.AuthBase):
    """The login of a run that signs its requests, as they go out, with the keys of the environment."""

    def __init__(self, scope: str | None) -> None:
        self._scope = scope

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        import httpx

        from modelarts_toolkit.signing import sign

        body = request.body.encode() if isinstance(request.body, str) else request.body
        assert body is None or isinstance(body, bytes)
        headers = {name: str(value) for name, value in request.headers.items() if name.lower() != "content-length"}
        signed = httpx.Request(request.method or "", request.url or "", headers=headers, content=body)
        now = datetime.now(UTC)
        sign(signed, os.environ["MODELARTS_ACCESS_KEY"], os.environ["MODELARTS_SECRET_KEY"], now, scope=self._scope)
        request.headers.update({name: signed.headers[name] for name in ("Host", "X-Sdk-Date", "Authorization")})
        return request


def register() -> None:
    """Log in as CONTRACT_SIGNATURE says."""
    if form := os.environ.get("CONTRACT_SIGNATURE"):
        signer = Signer("eu-de/modelarts" if form == "scoped" else None)
        schemathesis.auth.set_from_requests(signer)  # type: ignore[attr-defined]  # its own annotation lacks it
    else:
        schemathesis.auth()(IamToken)
