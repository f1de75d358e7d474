"""The plots of an analysis: PNG files in object storage, where the job's logs are."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import select

from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.logs import log_place
from modelarts_emulator.engine.tables import runs
from modelarts_emulator.storage.errors import NoSuchBucket, StoreError
from modelarts_emulator.storage.names import parse_obs_url
from modelarts_emulator.storage.protocol import Store

__all__ = ["Plots"]

FOLDER = "hyperparameter-analysis/fanova"


class Plots:
    """Puts plots below a job's log path; without one, beside the logs that the service keeps itself."""

    def __init__(self, database: Database, store: Store, account_of: Callable[[str], str]) -> None:
        self._database = database
        self._store = store
        self._account_of = account_of

    def put(self, spec: Mapping[str, Any], name: str, picture: str) -> str | None:
        """Store a picture (in base64) of the hyperparameter; returns `/bucket/key`, None if that fails."""
        try:
            bucket, prefix = self._exported(spec) if spec["log_export_url"] else self._kept(spec["job_id"])
            key = f"{prefix.rstrip('/')}/{FOLDER}/{name}.png".lstrip("/")
            self._store.put(bucket, key, base64.b64decode(picture))
        except StoreError:
            return None
        return f"/{bucket}/{key}"

    def _exported(self, spec: Mapping[str, Any]) -> tuple[str, str]:
        bucket, key = parse_obs_url(spec["log_export_url"])
        self._store.head_bucket(bucket).check_owner(spec["account_id"])
        return bucket, key

    def _kept(self, job_id: str) -> tuple[str, str]:
        with self._database.reading() as connection:
            project_id = connection.execute(select(runs.c.project_id).where(runs.c.id == job_id)).scalar()
        bucket, key = log_place(project_id or "", job_id, "worker-0")
        account_id = self._account_of(project_id or "")
        try:
            self._store.head_bucket(bucket).check_owner(account_id)
        except NoSuchBucket:
            self._store.create_bucket(bucket, owner=account_id)
        return bucket, key.rpartition("/")[0]
