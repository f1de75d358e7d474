"""What the emulator says on standard error while it serves."""

from __future__ import annotations

import logging

__all__ = ["show_messages"]

LOGGER = "modelarts_emulator"


class _Formatter(logging.Formatter):
    """`07:33:23 job c7526d5e: The job is running.`; warnings and errors begin with their level."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(message)s", "%H:%M:%S")
        self._serious = logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        return self._serious.format(record) if record.levelno >= logging.WARNING else super().format(record)


def show_messages(*, verbose: bool, quiet: bool) -> None:
    """Print what jobs do and which requests are rejected; all requests if `verbose`, only errors if `quiet`."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Formatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    level = logging.DEBUG if verbose else logging.ERROR if quiet else logging.INFO
    logging.getLogger(LOGGER).setLevel(level)
