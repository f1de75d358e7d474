"""Logs: their newest part, byte by byte, and links to all of them."""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from obstore.exceptions import PermissionDeniedError
from obstore.store import S3Store

from modelarts_emulator.execution.protocol import TaskReport
from modelarts_emulator.server import Emulator

PREVIEW_BYTES = 5 * 1024 * 1024

Preview = tuple[str, int, int]
"""The text of a preview, and how many bytes it and the log have."""


@pytest.fixture
def shown(staged: Any, puppet: Any) -> Callable[..., Preview | None]:
    """Gives the preview of a task that has written this, and has ended or runs on; None if there is none."""

    def shown(log: bytes, has_ended: bool = False) -> Preview | None:
        job_id = staged.create_job()["metadata"]["id"]
        staged.eventually(lambda: job_id in puppet.reports)
        puppet.log_file(job_id, "worker-0").write_bytes(log)
        if has_ended:
            puppet.report(job_id, TaskReport("worker-0", "ended", time.time() - 1, time.time(), 0))
            staged.wait_for_phase(job_id, "Completed")
        response = staged.call("GET", f"/training-jobs/{job_id}/tasks/worker-0/logs/preview")
        staged.call("DELETE", f"/training-jobs/{job_id}")
        if response.status_code == 204:
            return None
        preview = response.json()
        return preview["content"], preview["current_size"], preview["full_size"]

    return shown


def test_of_a_log_the_newest_part_is_shown_and_of_an_empty_one_nothing(shown: Any) -> None:
    """Bytes that are no UTF-8 become U+FFFD; a character that the beginning cuts in two is left out."""
    assert shown(b"", has_ended=True) is None
    assert shown("Zeile – 1\n".encode()) == ("Zeile – 1\n", 12, 12)
    assert shown(b"a\xff\xfeb\n") == ("a\ufffd\ufffdb\n", 5, 5)

    log = "".join(f"line {number}\n" for number in range(700_000)).encode()
    text, current_size, full_size = shown(log, has_ended=True)
    assert (current_size, full_size) == (PREVIEW_BYTES, len(log))
    assert text.encode() == log[full_size - current_size :]

    text, current_size, full_size = shown("ä".encode() + b"x" * (PREVIEW_BYTES - 1))
    assert (text, full_size - current_size) == ("x" * (PREVIEW_BYTES - 1), 2)


def test_a_character_that_is_not_written_to_its_end_is_not_shown_yet(shown: Any) -> None:
    """What is left out at the end is what a reader of the whole waits for; of a task that has ended, nothing is."""
    for end in (b"", b"\xe4", "😀".encode()[:3], b"a\x9f\x98\x80", "ä€".encode(), "ä€".encode()[:-1]):
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        text = decoder.decode(b"x" + end)
        pending = len(decoder.getstate()[0])
        assert shown(b"x" + end) == (text, 1 + len(end) - pending, 1 + len(end) - pending), end
    assert shown(b"a" + "€".encode()[:2], has_ended=True) == ("a\ufffd", 3, 3)


def link(api: Any, job_id: str) -> httpx.Response:
    return api.call("GET", f"/training-jobs/{job_id}/tasks/worker-0/logs/url")


def test_a_link_leads_to_the_log_as_it_is_now(staged: Any, puppet: Any) -> None:
    """Before the first line there is none; it grows, goes with its job, and is the executor's where it is no file."""
    job_id = staged.create_job()["metadata"]["id"]
    assert link(staged, job_id).json()["error_code"] == "ModelArts.2818"
    staged.eventually(lambda: job_id in puppet.reports)
    log = puppet.log_file(job_id, "worker-0")
    log.write_bytes(b"one")
    url = link(staged, job_id).json()["obs_url"]
    assert httpx.get(url).content == b"one"
    with log.open("ab") as stream:
        stream.write(b" two")

    shown = httpx.get(url)
    assert (shown.content, shown.headers["content-type"]) == (b"one two", "application/octet-stream")
    assert httpx.get(url, headers={"Range": "bytes=4-"}).content == b"two"
    assert httpx.get(url.replace("worker-0", "worker-1")).status_code == 403  # the signature is of worker-0

    staged.call("DELETE", f"/training-jobs/{job_id}")
    staged.eventually(lambda: httpx.get(url).status_code == 404)

    puppet.log_file = lambda *_: None
    puppet.logs = lambda _handle, _task, offset=0, _max=0: b"a line\n"[offset:]
    job_id = staged.create_job()["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.reports)

    assert httpx.get(link(staged, job_id).json()["obs_url"]).content == b"a line\n"


def test_only_the_account_of_a_job_reads_its_log(tmp_path: Path, puppet: Any, log_in: Any) -> None:
    """Neither by another key that signs the same place, nor by the id of another's job in the own bucket."""
    with Emulator(tmp_path / "data", executor=puppet, keep_jobs=True) as emulator:
        other = emulator.add_identity("other", account="other")
        api, foreign = log_in(emulator), log_in(emulator, other)
        ids = [client.create_job()["metadata"]["id"] for client in (api, foreign)]
        for job_id in ids:
            api.eventually(lambda job_id=job_id: job_id in puppet.reports)
            puppet.log_file(job_id, "worker-0").write_bytes(b"one")
        url = httpx.URL(link(api, ids[0]).json()["obs_url"])
        _, bucket, key = url.path.split("/", 2)
        options: Any = {"endpoint": emulator.obs_endpoint, "region": "eu-de", "client_options": {"allow_http": True}}
        own, others = (
            S3Store(bucket, access_key_id=user.access_key, secret_access_key=user.secret_key, **options)
            for user in (emulator.identity, other)
        )

        assert bytes(own.get(key).bytes()) == b"one"
        with pytest.raises(PermissionDeniedError):
            others.get(key)
        with pytest.raises(FileNotFoundError):
            own.get(key.replace(ids[0], ids[1]))
