"""The progress of uploads: a bar on a terminal, lines elsewhere, and nothing for what is done within a second."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

from .terminal import Terminal, size_text

if TYPE_CHECKING:
    from modelarts_toolkit.storage.uploads import UploadProgress

SILENT_S = 1.0
BAR_INTERVAL_S = 0.1
LINE_INTERVAL_S = 10.0
WIDTH = 24  # characters of the bar


class UploadBar:
    """Shows how far the upload of a path is; a context manager that clears the line."""

    def __init__(self, terminal: Terminal, what: str) -> None:
        self._terminal = terminal
        self._what = what
        self._is_bar = sys.stderr.isatty() and not terminal.quiet
        self._next = time.monotonic() + SILENT_S
        self._is_shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_shown and self._is_bar:
            click.echo("\r\033[K", nl=False, err=True)

    def update(self, progress: "UploadProgress") -> None:
        """Show the progress if it is time to; called from another thread."""
        is_done = progress.bytes >= progress.total_bytes
        if time.monotonic() < self._next or (is_done and not self._is_shown):
            return
        self._next = time.monotonic() + (BAR_INTERVAL_S if self._is_bar else LINE_INTERVAL_S)
        self._is_shown = True
        share = progress.bytes / progress.total_bytes if progress.total_bytes else 1.0
        counts = f"{size_text(progress.bytes)} of {size_text(progress.total_bytes)}"
        if self._is_bar:
            done = round(share * WIDTH)
            click.echo(f"\r\033[K{'█' * done}{'░' * (WIDTH - done)} {counts}", nl=False, err=True)
        else:
            self._terminal.note(f"Uploading {self._what}: {share:.0%}, {counts}")
