"""What the handlers of ModelArts v1 work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from modelarts_emulator.database.access import Database
from modelarts_emulator.storage.protocol import Store

__all__ = ["V1"]


@dataclass(frozen=True, slots=True)
class V1:
    """`clock` is in seconds since 1970."""

    database: Database
    store: Store
    clock: Callable[[], float]

    def now(self) -> int:
        """Milliseconds since 1970, as the service's responses have them; rounded as the supervisor rounds."""
        return round(self.clock() * 1000)
