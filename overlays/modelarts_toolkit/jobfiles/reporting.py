"""Who hears of uploads while a job is prepared."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol

from modelarts_toolkit.storage.uploads import OnUpload


class Reporter(Protocol):
    """Hears of uploads."""

    def note(self, text: str) -> None:
        """Something has been done."""

    def uploading(self, path: Path) -> AbstractContextManager[OnUpload | None]:
        """An upload of this path is under way; the context's value hears of its progress."""


class SilentReporter:
    """Says nothing."""

    def note(self, text: str) -> None:
        """As `Reporter.note`."""

    def uploading(self, path: Path) -> AbstractContextManager[None]:  # noqa: ARG002 - of those who show it
        """As `Reporter.uploading`."""
        return nullcontext()
