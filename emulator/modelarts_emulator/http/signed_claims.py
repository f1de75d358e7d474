"""Signed claims: texts that only the holder of a key can have written, such as tokens."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any

__all__ = ["SignedClaims"]


class SignedClaims:
    """Writes and reads claims; `purpose` keeps texts of one kind from being read as another."""

    def __init__(self, key: bytes, purpose: str = "") -> None:
        self._key = hmac.digest(key, purpose.encode(), hashlib.sha256) if purpose else key

    def write(self, claims: list[Any]) -> str:
        """Return a text of letters, digits, `-`, `_` and one dot."""
        content = json.dumps(claims).encode()
        return f"{_text(content)}.{_text(self._mac(content))}"

    def read(self, text: str) -> Any:
        """Return the claims that `write` made the text of; raises ValueError for any other text."""
        content = _bytes(text.partition(".")[0])
        # The text is compared: several texts stand for the same bytes, and only one of them was issued.
        if not hmac.compare_digest(f"{_text(content)}.{_text(self._mac(content))}".encode(), text.encode()):
            raise ValueError("the claims were not signed with this key")
        return json.loads(content)

    def _mac(self, content: bytes) -> bytes:
        return hmac.digest(self._key, content, hashlib.sha256)


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
