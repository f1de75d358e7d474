"""The objects of an emulator that runs in another thread of this process."""

from __future__ import annotations

from modelarts_emulator.storage.names import parse_obs_url
from modelarts_emulator.storage.protocol import Store

__all__ = ["ObjectControl"]


class ObjectControl:
    """Reads and writes objects without credentials, by their OBS paths: `obs://bucket/key`.

    All methods raise ValueError for another form of path, and StoreError for what the store cannot do.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, url: str, content: bytes | str = b"") -> None:
        """Write an object, a text in UTF-8; create its bucket if there is none."""
        bucket, key = parse_obs_url(url)
        if not self._store.has_bucket(bucket):
            self._store.create_bucket(bucket)
        self._store.put(bucket, key, content.encode() if isinstance(content, str) else content)

    def get(self, url: str) -> bytes:
        """Read an object; raises NoSuchBucket or NoSuchKey."""
        return self._store.read(*parse_obs_url(url))

    def list(self, url: str) -> list[str]:
        """The OBS paths of all objects whose path begins with this one, sorted; raises NoSuchBucket."""
        bucket, prefix = parse_obs_url(url)
        return [f"obs://{bucket}/{key}" for key, _ in self._store.sizes(bucket, prefix)]
