"""Logs of tasks: their newest part as text, and as objects that a link can lead to."""

from __future__ import annotations

import codecs
import hashlib
import io
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, cast

from modelarts_emulator.execution.protocol import Executor, read_log
from modelarts_emulator.storage.errors import NoSuchKey
from modelarts_emulator.storage.protocol import Bucket, ObjectInfo, Store

__all__ = ["log_bucket", "log_place", "log_size", "read_preview", "with_logs"]

PREVIEW_BYTES = 5 * 1024 * 1024
BUCKET = "modelarts-training-log-"
KEY = re.compile(r"(?P<job>[0-9a-f-]{36})/modelarts-job-(?P=job)-(?P<task>worker-\d+)\.log")


def read_preview(executor: Executor, handle: str, task: str, is_complete: bool) -> dict[str, Any] | None:
    """The newest 5 MB of the log as the service shows them, None if there is none yet.

    A character that is cut in two by the beginning of the part, or that a running task has not finished, is left out
    and not counted, so that `full_size - current_size` is where the content begins; other bytes that are no UTF-8
    become U+FFFD.
    """
    size = log_size(executor, handle, task)
    start = max(size - PREVIEW_BYTES, 0)
    data = read_log(executor, handle, task, start, size - start)
    if not data:
        return None
    size = start + len(data)
    if start:
        data = data[next((i for i, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), 0) :]
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    content = decoder.decode(data, final=is_complete)
    pending = len(decoder.getstate()[0])
    return {"content": content, "current_size": len(data) - pending, "full_size": size - pending}


def log_place(project_id: str, job_id: str, task: str) -> tuple[str, str]:
    """Bucket and key of a task's log; the file's name is in the style of the documented example."""
    return log_bucket(project_id), f"{job_id}/modelarts-job-{job_id}-{task}.log"


def log_bucket(project_id: str) -> str:
    """The bucket in which the service keeps what belongs to the jobs of a project."""
    is_name = re.fullmatch("[a-z0-9][a-z0-9-]{0,38}[a-z0-9]", project_id)
    return f"{BUCKET}{project_id if is_name else hashlib.sha256(project_id.encode()).hexdigest()[:32]}"


def with_logs(
    store: Store, executor: Executor, accounts: Callable[[], Mapping[str, str]], project_of: Callable[[str], str | None]
) -> Store:
    """The store, and in it the logs of tasks as objects that can be read, but not listed.

    `accounts` gives the accounts by project, `project_of` the project of a job, None if there is no such job.
    """
    return cast("Store", _StoreWithLogs(store, executor, accounts, project_of))


class _StoreWithLogs:
    def __init__(
        self,
        store: Store,
        executor: Executor,
        accounts: Callable[[], Mapping[str, str]],
        project_of: Callable[[str], str | None],
    ) -> None:
        self._store = store
        self._executor = executor
        self._accounts = accounts
        self._project_of = project_of

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def head_bucket(self, bucket: str) -> Bucket:
        """The bucket; one of logs belongs to the account of its project, also if nothing else is in it."""
        if bucket.startswith(BUCKET):
            for project_id, account_id in self._accounts().items():
                if log_bucket(project_id) == bucket:
                    return Bucket(bucket, 0.0, "", account_id)
        return self._store.head_bucket(bucket)

    def head(self, bucket: str, key: str) -> ObjectInfo:
        log = self._find(bucket, key)
        return self._store.head(bucket, key) if log is None else self._info(bucket, key, *log)

    def get(self, bucket: str, key: str) -> tuple[ObjectInfo, BinaryIO]:
        log = self._find(bucket, key)
        if log is None:
            return self._store.get(bucket, key)
        info, path = self._info(bucket, key, *log), self._executor.log_file(*log)
        return info, path.open("rb") if path is not None else io.BytesIO(read_log(self._executor, *log))

    def _find(self, bucket: str, key: str) -> tuple[str, str] | None:
        """Job and task whose log the key names; None if it names none."""
        found = KEY.fullmatch(key) if bucket.startswith(BUCKET) else None
        if found is None:
            return None
        project_id = self._project_of(found["job"])
        return None if project_id is None or log_bucket(project_id) != bucket else (found["job"], found["task"])

    def _info(self, bucket: str, key: str, job_id: str, task: str) -> ObjectInfo:
        size = log_size(self._executor, job_id, task)
        if not size:
            raise NoSuchKey.named(bucket, key)
        return ObjectInfo(
            key, size, time.time(), hashlib.md5(f"{key} {size}".encode(), usedforsecurity=False).hexdigest()
        )


def log_size(executor: Executor, job_id: str, task: str) -> int:
    """The bytes of the log; 0 also for a job that has not been started."""
    try:
        return executor.log_size(job_id, task)
    except KeyError:
        return 0
