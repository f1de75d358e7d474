"""The progress of uploads: a bar on a terminal, lines elsewhere, and nothing within the first second."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from modelarts_toolkit.cli.terminal import Terminal
from modelarts_toolkit.texts import size_text

if TYPE_CHECKING:
    from modelarts_toolkit.storage.uploads import OnUpload, UploadProgress

SILENT_S = 1.0
BAR_INTERVAL_S = 0.1
LINE_INTERVAL_S = 10.0
WIDTH = 24  # characters of the bar


@contextmanager
def upload_bar(terminal: Terminal, what: object) -> "Iterator[OnUpload]":
    """Yield a function that shows how far the upload is; remove the bar at the end."""
    is_bar = sys.stderr.isatty() and not terminal.quiet
    due, is_shown = time.monotonic() + SILENT_S, False

    def update(progress: "UploadProgress") -> None:  # called from another thread
        nonlocal due, is_shown
        is_done = progress.bytes >= progress.total_bytes
        if time.monotonic() < due or (is_done and not is_shown):
            return
        due, is_shown = time.monotonic() + (BAR_INTERVAL_S if is_bar else LINE_INTERVAL_S), True
        share = progress.bytes / progress.total_bytes if progress.total_bytes else 1.0
        counts = f"{size_text(progress.bytes)} of {size_text(progress.total_bytes)}"
        if is_bar:
            done = round(share * WIDTH)
            click.echo(f"\r\033[K{'█' * done}{'░' * (WIDTH - done)} {counts}", nl=False, err=True)
        else:
            terminal.note(f"Uploading {what}: {share:.0%}, {counts}")

    try:
        yield update
    finally:
        if is_shown and is_bar:
            click.echo("\r\033[K", nl=False, err=True)
