"""Uploads in parts, without the wire."""

from __future__ import annotations

import os
import time
from pathlib import Path

from modelarts_emulator.s3.app import create_app
from modelarts_emulator.storage.folder import FolderStore
from modelarts_emulator.storage.multipart import Uploads
from modelarts_emulator.storage.protocol import PLAIN


def test_uploads_without_a_new_part_for_a_day_are_forgotten_at_the_next_start(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    store.create_bucket("data")
    uploads = Uploads(store)
    abandoned, _young, used = (uploads.begin("data", key, PLAIN) for key in ("abandoned", "young", "used"))
    with uploads.part(abandoned, 1) as part:
        part.commit("0" * 32)
    for upload in (abandoned, used):
        os.utime(tmp_path / ".uploads" / upload.upload_id, (time.time() - 90_000,) * 2)
    with uploads.part(used, 1) as part:
        part.commit("0" * 32)

    create_app(store, ())

    assert [upload.key for upload in uploads.list("data")] == ["used", "young"]
    assert not (tmp_path / ".uploads" / abandoned.upload_id).exists()
