"""Calls: what a handler is given and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from modelarts_emulator.settings.accounts import Identity

__all__ = ["Call", "Handler", "Response"]


@dataclass(frozen=True, slots=True)
class Call:
    """One request that is allowed and well-formed; `identities` is empty where no token is asked for."""

    path: Mapping[str, Any]
    query: Mapping[str, Any]
    headers: Mapping[str, str]
    body: Any
    identities: tuple[Identity, ...]

    @property
    def identity(self) -> Identity:
        """Who calls, in the project that the path names."""
        return self.identities[0]

    @property
    def endpoint(self) -> str:
        """The URL by which the client reached the API, which it can reach the rest by, too."""
        return f"http://{self.headers['host']}"

    @property
    def project_id(self) -> str:
        return self.identity.project_id


@dataclass(frozen=True, slots=True)
class Response:
    """A status, a body (None: no content; Encoded, Flow: JSON text; else what JSON is to be made of) and headers."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[Call], Response]
