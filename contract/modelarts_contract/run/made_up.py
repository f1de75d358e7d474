"""What a run makes up: names that no other object has, and choices that depend on a value alone."""

from __future__ import annotations

import hashlib
import json
import os
import secrets

__all__ = ["NAMES", "Names", "fingerprint"]


def fingerprint(value: object) -> int:
    """A number that depends on the value alone, so that a run with the same seed makes the same choices.

    The project is another one in each run.
    """
    if isinstance(value, dict):
        value = {name: item for name, item in value.items() if name != "project_id"}
    return int.from_bytes(hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).digest()[:4], "big")


class Names:
    """Names that no other object has, all with this prefix."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.used = 0
        self.process = secrets.token_hex(4)

    def take(self, kind: str) -> str:
        self.used += 1
        return f"{self.prefix}{kind}-{self.process}-{self.used}"

    def take_short(self) -> str:
        """A name of at most 20 characters."""
        self.used += 1
        return f"{self.prefix}{self.process[:4]}-{self.used}"


NAMES = Names(os.environ.get("CONTRACT_PREFIX", ""))
