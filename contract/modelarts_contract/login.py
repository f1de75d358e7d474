"""The login by password, as every part of the contract tests sends it."""

from __future__ import annotations

from typing import Any

import httpx

from modelarts_toolkit.http.transport import tls_context

__all__ = ["EXPIRED", "REVOKED", "body", "revoke", "token"]

EXPIRED, REVOKED = "has expired", "was revoked"  # what happens to tokens


def body(username: str, password: str, domain_name: str, **project: str | None) -> dict[str, Any]:
    """The body of `POST /v3/auth/tokens` for one project, given by its `name` or its `id`."""
    user = {"name": username, "password": password, "domain": {"name": domain_name}}
    scope = {"project": {key: value for key, value in project.items() if value is not None}}
    return {"auth": {"identity": {"methods": ["password"], "password": {"user": user}}, "scope": scope}}


def token(iam_endpoint: str, body: dict[str, Any]) -> str:
    """Log in and return the token."""
    tls = tls_context(is_https=iam_endpoint.startswith("https:"))
    response = httpx.post(f"{iam_endpoint}/v3/auth/tokens", json=body, verify=tls, trust_env=False)
    return response.raise_for_status().headers["X-Subject-Token"]


def revoke(iam_endpoint: str, token: str) -> None:
    """End a token before its time."""
    tls = tls_context(is_https=iam_endpoint.startswith("https:"))
    headers = {"X-Auth-Token": token, "X-Subject-Token": token}
    httpx.delete(f"{iam_endpoint}/v3/auth/tokens", headers=headers, verify=tls, trust_env=False).raise_for_status()
