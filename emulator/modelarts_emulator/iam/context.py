"""What the handlers of the identity service work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from modelarts_emulator.http.access_keys import AccessKeys
from modelarts_emulator.http.tokens import Tokens
from modelarts_emulator.iam.revocations import Revocations
from modelarts_emulator.settings.accounts import Accounts

__all__ = ["Iam"]


@dataclass(frozen=True, slots=True)
class Iam:
    """`clock` is in seconds since 1970; `obs_endpoint` gives the URL of the object store for a Host header."""

    accounts: Accounts
    tokens: Tokens
    revocations: Revocations
    keys: AccessKeys
    clock: Callable[[], float]
    obs_endpoint: Callable[[str], str]
