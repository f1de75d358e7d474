"""Logs of tasks: their newest part as text, and their publication as objects that a link can lead to."""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from modelarts_emulator.execution.protocol import Executor, read_log
from modelarts_emulator.storage.errors import AccessDenied, NoSuchBucket, NoSuchKey
from modelarts_emulator.storage.protocol import Store

__all__ = ["Archive", "Preview", "read_preview"]

PREVIEW_BYTES = 5 * 1024 * 1024
PIECE = 1 << 15
COPY_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Preview:
    """The newest part of a log; `full_size` counts the log's bytes up to its end, `current_size` those shown."""

    data: bytes
    full_size: int

    @property
    def current_size(self) -> int:
        return len(self.data)

    def texts(self) -> Iterator[str]:
        """What is shown, in pieces that take little time each; bytes that are no UTF-8 become U+FFFD."""
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        for start in range(0, len(self.data), PIECE):
            yield decoder.decode(self.data[start : start + PIECE])
        yield decoder.decode(b"", final=True)


def read_preview(executor: Executor, handle: str, task: str, is_complete: bool) -> Preview | None:
    """The newest 5 MB of the log, None if there is none yet; raises KeyError for a task that the job cannot have.

    A character that is cut in two by the beginning of the part, or that a running task has not finished, is left out
    and not counted, so that `full_size - current_size` is where the content begins.
    """
    size = executor.log_size(handle, task)
    start = max(size - PREVIEW_BYTES, 0)
    data = read_log(executor, handle, task, start, size - start)
    if not data:
        return None
    size = start + len(data)
    if start:
        data = data[next((i for i, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), 0) :]
    pending = 0 if is_complete else _unfinished(data)
    return Preview(data[: len(data) - pending], size - pending)


def _unfinished(data: bytes) -> int:
    """How many bytes at the end begin a character that is not there as a whole."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    decoder.decode(data[-3:])  # a character has four bytes at most
    return len(decoder.getstate()[0])


class Archive:
    """Logs as objects: a bucket per project, in which a log is, where the store can, the file that the task writes.

    `account_of` gives the id of a project's account, which owns the bucket; an empty one is everybody.
    """

    def __init__(self, store: Store, account_of: Callable[[str], str] = lambda _project_id: "") -> None:
        self._store = store
        self._account_of = account_of

    def place(self, project_id: str, job_id: str, task: str) -> tuple[str, str]:
        """Bucket and key of a task's log; the file's name is in the style of the documented example."""
        return self._bucket(project_id), f"{job_id}/modelarts-job-{job_id}-{task}.log"

    def _bucket(self, project_id: str) -> str:
        """The bucket of the project's logs, never one of another account: ids may begin alike, and names are free."""
        start = re.sub("[^a-z0-9]", "", project_id.lower())[:8]
        short = f"modelarts-training-log-{start or 'project'}"
        long = f"{short}-{hashlib.sha256(project_id.encode()).hexdigest()[:16]}"
        own = ("", self._account_of(project_id))
        owner = self._owner(short)  # most have this one; to ask a store of another service takes a while
        if owner in own:
            return short
        return long if owner is not None or self._owner(long) in own else short

    def _owner(self, bucket: str) -> str | None:
        """The account that the bucket belongs to; None if there is no such bucket."""
        try:
            return self._store.head_bucket(bucket).owner
        except NoSuchBucket:
            return None

    def make_bucket(self, project_id: str) -> None:
        """Make the bucket of the project's logs, if there is none; raises AccessDenied if all names are taken."""
        self._make(self._bucket(project_id), project_id)

    def _make(self, bucket: str, project_id: str) -> None:
        account, owner = self._account_of(project_id), self._owner(bucket)
        if owner is None:
            self._store.create_bucket(bucket, owner=account)
        elif owner not in ("", account):
            raise AccessDenied(f"bucket {bucket} belongs to another account: delete it, and logs are put there")

    def publish(self, project_id: str, job_id: str, task: str, log: Path, has_ended: bool) -> None:
        """Make the log an object, if there is a log and it is none yet."""
        if not log.exists():
            return
        bucket, key = self.place(project_id, job_id, task)
        if self._exists(bucket, key):
            return
        self._make(bucket, project_id)
        # A copy serves, too, but only of what will not change any more.
        if not self._store.link(bucket, key, log) and has_ended:
            with log.open("rb") as stream:
                self._store.put(bucket, key, iter(lambda: stream.read(COPY_BYTES), b""))

    def publish_copy(self, project_id: str, job_id: str, task: str, chunks: Iterator[bytes]) -> None:
        """Make these bytes the object of the log."""
        bucket, key = self.place(project_id, job_id, task)
        self._make(bucket, project_id)
        self._store.put(bucket, key, chunks)

    def is_published(self, project_id: str, job_id: str, task: str) -> bool:
        """Whether a link to the log would lead somewhere."""
        return self._exists(*self.place(project_id, job_id, task))

    def _exists(self, bucket: str, key: str) -> bool:
        try:
            self._store.head(bucket, key)
        except (NoSuchBucket, NoSuchKey):
            return False
        return True

    def remove(self, project_id: str, job_id: str) -> None:
        """Remove the job's logs from the bucket, if there is one."""
        bucket, _ = self.place(project_id, job_id, "")
        with contextlib.suppress(NoSuchBucket):
            for entry in self._store.list(bucket, f"{job_id}/").objects:
                self._store.delete(bucket, entry.key)
