"""Hints for the identity service: the login and the tokens that are right, the project and the region that exist."""

from __future__ import annotations

import json
import os
from typing import Any

import requests
import schemathesis

from modelarts_contract.run.hints.base import Hints, changed
from modelarts_contract.run.hints.cases import STAND_INS, TIMEOUT_S, is_positive, kind_of, operation_of
from modelarts_contract.run.made_up import fingerprint

__all__ = ["HINTS"]

TOKEN = os.environ["CONTRACT_TOKEN"]
SUBJECT = "X-Subject-Token"
ABOUT_TOKENS = {"showToken", "checkToken", "deleteToken"}


def new_token() -> str:
    url = f"{os.environ['MODELARTS_IAM_ENDPOINT']}/v3/auth/tokens"
    response = requests.post(url, json=json.loads(os.environ["CONTRACT_LOGIN"]), timeout=TIMEOUT_S)
    return response.headers[SUBJECT]


class IamHints(Hints):
    def __init__(self) -> None:
        super().__init__()
        self.tokens = {TOKEN}
        self.succeeded: set[str] = set()
        self.known: dict[str, str] = {name: STAND_INS[name] for name in ("project", "region_id") if name in STAND_INS}

    def exists(self, thing: str) -> bool:
        return thing.rpartition("/")[2] in self.known.values()

    def is_right_login(self, case: schemathesis.Case, body: dict[str, Any]) -> bool:
        change = operation_of(case).contract.get("body")
        return body == changed({}, change, 0) if change else self.is_ready(case, set())

    def is_ready(self, case: schemathesis.Case, things: set[str]) -> bool:
        is_about_token = operation_of(case).operation_id in ABOUT_TOKENS
        return not is_about_token or str(case.headers.get(SUBJECT)) in self.tokens

    def aim(self, case: schemathesis.Case) -> None:
        """Lead three of four well-formed calls to a token, project or region that exists; a token to end is new.

        Calls about tokens are few: every one is led until one has succeeded.
        """
        if not is_positive(case) or kind_of(case) == "unknown":
            return
        path, operation_id = case.path_parameters or {}, operation_of(case).operation_id
        if path and fingerprint(path) % 4:
            case.path_parameters = {name: self.known.get(name, str(value)) for name, value in path.items()}
        is_first = operation_id not in self.succeeded
        if operation_id in ABOUT_TOKENS and (is_first or fingerprint(dict(case.headers or {})) % 4):
            token = new_token() if operation_id == "deleteToken" else TOKEN
            self.tokens.add(token)
            case.headers[SUBJECT] = token

    def after_call(self, case: schemathesis.Case, response: schemathesis.Response) -> None:
        if response.status_code < 300:
            self.succeeded.add(operation_of(case).operation_id)


HINTS = IamHints()
