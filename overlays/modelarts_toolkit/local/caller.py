"""What a run on this machine tells the program that starts it, and how it rejects what that program asks for."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from modelarts_toolkit.storage.uploads import OnUpload


def nothing(*_: object) -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class Caller:
    """What a run tells its caller and asks of it; by default nobody hears of it.

    `note` gets sentences; `uploading` gives for code or data a context whose value hears of the progress; `check` is
    called often, and its error ends the run; `sleep` waits for a number of seconds.
    """

    note: Callable[[str], object] = nothing
    uploading: "Callable[[str], AbstractContextManager[OnUpload]]" = lambda _: nullcontext(nothing)
    check: Callable[[], object] = nothing
    sleep: Callable[[float], object] = time.sleep


def reject(message: str) -> NoReturn:
    """Raise ArgumentError; it is loaded only now, because a run starts its emulator before it loads the client."""
    from modelarts_toolkit.errors import ArgumentError

    raise ArgumentError(message)
