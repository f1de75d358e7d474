"""Tokens: issued, read, rejected."""

from __future__ import annotations

import base64
import json
import string

import pytest

from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.http.tokens import Grant, Tokens

KEY = bytes(range(32))


def tokens(now: float = 1000.0, key: bytes = KEY) -> Tokens:
    return Tokens(key, clock=lambda: now, lifetime=60)


def test_a_token_grants_what_it_was_issued_for() -> None:
    token, grant = tokens().issue("user", "project")

    assert tokens().read(token) == grant == Grant("user", "project", 1060.0, issued_at=1000.0)


def test_a_token_is_read_by_another_issuer_with_the_same_key() -> None:
    token, grant = tokens().issue("user", None)

    assert tokens(now=1059.9).read(token) == grant


@pytest.mark.parametrize(
    ("token", "code"),
    [
        ("", Problem.NO_TOKEN),
        ("garbage", Problem.TOKEN_INVALID),
        ("MIIZmgYJKoZIhvcNAQcCoIIZizCCGYcCAQ.x", Problem.TOKEN_INVALID),
        ("ä.ö", Problem.TOKEN_INVALID),
        (".", Problem.TOKEN_INVALID),
    ],
)
def test_an_invalid_token_is_rejected(token: str, code: Problem) -> None:
    with pytest.raises(ServiceError) as caught:
        tokens().read(token)

    assert caught.value.code == code
    assert caught.value.code.status == 401


def test_an_expired_token_is_rejected() -> None:
    token, _ = tokens().issue("user", "project")

    with pytest.raises(ServiceError) as caught:
        tokens(now=1060.0).read(token)

    assert caught.value.code == Problem.TOKEN_EXPIRED


def test_a_token_of_another_key_or_with_other_claims_is_rejected() -> None:
    token, _ = tokens().issue("user", "project")
    claims = base64.urlsafe_b64encode(json.dumps(["admin", "project", 9e9]).encode()).rstrip(b"=").decode()

    for forged in (tokens(key=bytes(32)).issue("user", "project")[0], f"{claims}.{token.partition('.')[2]}"):
        with pytest.raises(ServiceError) as caught:
            tokens().read(forged)
        assert caught.value.code == Problem.TOKEN_INVALID


def test_only_the_text_that_was_issued_is_a_token() -> None:
    """The last letters of base64 have bits that stand for nothing: other letters there decode to the same bytes."""
    token, _ = tokens().issue("user", "project")
    alphabet = string.ascii_letters + string.digits + "-_="
    claims, mac = token.split(".")
    altered = {f"{claims}.{mac[:-1]}{letter}" for letter in alphabet} - {token}
    altered |= {f"{claims[:-1]}{letter}.{mac}" for letter in alphabet} - {token}
    altered |= {f"{token}=", f"{claims}=.{mac}", f"{token}."}

    for text in altered:
        with pytest.raises(ServiceError):
            tokens().read(text)
