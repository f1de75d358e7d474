"""Operations that the service has and the emulator lacks."""

from __future__ import annotations

from typing import NoReturn

from modelarts_emulator.calls import Call, Handler
from modelarts_emulator.errors import NotOffered

__all__ = ["not_offered"]


def not_offered(what: str) -> Handler:
    """A handler that refuses every well-formed call with 501; `what` completes "the emulator does not offer ..."."""

    def refuse(_call: Call) -> NoReturn:
        raise NotOffered(what)

    return refuse
