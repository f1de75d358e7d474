"""Hints for the identity service: the login that is right."""

from __future__ import annotations

import json
import os
from typing import Any, ClassVar

from tests.contract.hints.base import Hints

__all__ = ["HINTS"]


def ground_login(body: dict[str, Any]) -> None:
    """Use the credentials that are right."""
    body.update(json.loads(os.environ["CONTRACT_LOGIN"]))


class IamHints(Hints):
    ground: ClassVar = {"createToken": ground_login}


HINTS = IamHints()
