"""Temporary access keys: page "Obtaining a Temporary AK/SK"."""

from __future__ import annotations

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.iam.context import Iam
from modelarts_emulator.iam.handlers.tokens import read_token
from modelarts_emulator.iam.views import time_text

__all__ = ["create_temporary_keys"]

DEFAULT_LIFETIME_S = 15 * 60


def create_temporary_keys(iam: Iam, call: Call) -> Response:
    """Keys of the token's user; the token in the header goes before the one in the body."""
    given = call.body["auth"]["identity"].get("token") or {}
    _, identities = read_token(iam, call.headers.get("x-auth-token") or given.get("id") or "")
    keys = iam.keys.issue(identities[0].user_id, given.get("duration_seconds", DEFAULT_LIFETIME_S))
    credential = {
        "access": keys.access_key,
        "secret": keys.secret_key,
        "expires_at": time_text(keys.expires_at),
        "securitytoken": keys.security_token,
    }
    return Response(201, {"credential": credential})
