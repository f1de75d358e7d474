"""How a process of schemathesis logs in: with a token, or for some of its requests by signing them.

Everything comes from the environment, as in hooks.py.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Any

import requests
import schemathesis

__all__ = ["SomeSigned", "register"]

HEADER = "X-Auth-Token"
EVERY = 6  # one of this number of requests is signed in each form, if the document has any
SCOPES = {"scoped": "eu-de/modelarts", "unscoped": None}


class IamToken:
    """The login of a run: a token."""

    def get(self, case: schemathesis.Case, context: schemathesis.AuthContext) -> str:
        return os.environ["CONTRACT_TOKEN"]

    def set(self, case: schemathesis.Case, data: str, context: schemathesis.AuthContext) -> None:
        case.headers[HEADER] = data


class Signer(requests.auth.AuthBase):
    """Signs requests, as they go out, with the keys of the environment; the token stays behind."""

    def __init__(self, scope: str | None) -> None:
        self._scope = scope

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        import httpx

        from modelarts_toolkit.auth.access_keys import sign

        body = request.body.encode() if isinstance(request.body, str) else request.body
        assert body is None or isinstance(body, bytes)
        request.headers.pop(HEADER, None)
        headers = {name: str(value) for name, value in request.headers.items() if name.lower() != "content-length"}
        signed = httpx.Request(request.method or "", request.url or "", headers=headers, content=body)
        now = datetime.now(UTC)
        sign(signed, os.environ["MODELARTS_ACCESS_KEY"], os.environ["MODELARTS_SECRET_KEY"], now, scope=self._scope)
        request.headers.update({name: signed.headers[name] for name in ("Host", "X-Sdk-Date", "Authorization")})
        return request


class SomeSigned:
    """Signs one of six requests in each form that the document knows, instead of sending them with the token.

    `forms` has the form of each case that was signed, by its id.
    """

    def __init__(self, forms: list[str]) -> None:
        self.forms: dict[str, str] = {}
        self._signers = [(form, Signer(SCOPES[form])) for form in forms]
        self._seen = 0

    def before_call(self, case: schemathesis.Case, kwargs: dict[str, Any]) -> None:
        """Sign the request if it is its turn; a request without our token stays as it is."""
        if case.headers.get(HEADER) != os.environ["CONTRACT_TOKEN"]:
            return
        turn = self._seen % EVERY
        self._seen += 1
        if turn < len(self._signers):
            self.forms[case.id], kwargs["auth"] = self._signers[turn]


def register() -> None:
    """Log in with a token."""
    schemathesis.auth()(IamToken)
