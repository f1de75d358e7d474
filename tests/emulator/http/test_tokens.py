"""Tokens: only the text that IAM issued is accepted, and only until it expires."""

from __future__ import annotations

import base64
import json
import string
from typing import Any

import pytest

from modelarts_emulator.server import Emulator


def rejection(api: Any, token: str) -> str | None:
    """The code with which a request with this token is rejected; None if it is served."""
    response = api.call("GET", "/training-job-engines", headers={"X-Auth-Token": token.encode()})
    return None if response.is_success else response.json()["error_code"]


@pytest.mark.parametrize("token", ["garbage", "MIIZmgYJKoZIhvcNAQcCoIIZizCCGYcCAQ.x", "ä.ö", "."])
def test_any_other_text_is_rejected(api: Any, token: str) -> None:
    assert rejection(api, token) == "ModelArts.0203"


def test_an_expired_token_is_rejected(log_in: Any) -> None:
    with Emulator(executor="simulated") as emulator:
        emulator.clock.freeze()
        api = log_in(emulator)
        token = api.http.headers["X-Auth-Token"]

        emulator.clock.advance(24 * 3600 - 1)
        assert rejection(api, token) is None
        emulator.clock.advance(1)
        assert rejection(api, token) == "ModelArts.0202"


def test_a_token_with_other_claims_or_of_another_emulator_is_rejected(api: Any, log_in: Any) -> None:
    """Another letter at an end can decode to the same bytes, and is rejected nonetheless."""
    claims, mac = api.http.headers["X-Auth-Token"].split(".")
    content = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    forged = base64.urlsafe_b64encode(json.dumps([*content[:2], 9e9, *content[3:]]).encode()).rstrip(b"=").decode()
    alphabet = string.ascii_letters + string.digits + "-_="
    altered = {f"{claims}.{mac[:-1]}{letter}" for letter in alphabet if letter != mac[-1]}
    altered |= {f"{claims[:-1]}{letter}.{mac}" for letter in alphabet if letter != claims[-1]}
    with Emulator(executor="simulated") as other:
        altered |= {
            log_in(other).http.headers["X-Auth-Token"],
            f"{forged}.{mac}",
            f"{claims}=.{mac}",
            f"{claims}.{mac}.",
        }

    assert rejection(api, f"{claims}.{mac}") is None
    assert {rejection(api, token) for token in altered} == {"ModelArts.0203"}
