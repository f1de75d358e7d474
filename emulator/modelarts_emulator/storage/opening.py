"""Opens the store that a URL names."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from modelarts_emulator.storage.folder import FolderStore
from modelarts_emulator.storage.protocol import Store


def open_store(url: str) -> Store:
    """Return the store at `file:///path/to/folder`; raises ValueError for another URL."""
    parts = urlsplit(url)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or not parts.path:
        raise ValueError(f"{url!r} is not the URL of an object store: use file:///path/to/folder")
    return FolderStore(Path(unquote(parts.path)))
