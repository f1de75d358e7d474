"""The newest part of a log, byte by byte."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.emulator.bench import ScriptedExecutor

from modelarts_emulator.engine.logs import PIECE, PREVIEW_BYTES, Preview, read_preview
from modelarts_emulator.s3.sigv4 import presigned_url
from modelarts_emulator.server import Emulator


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


class OneLog(ScriptedExecutor):
    """An executor that has one log: a file."""

    def __init__(self, log: Path) -> None:
        super().__init__(log.parent)
        self._log = log

    def log_size(self, handle: str, task: str) -> int:
        return self._log.stat().st_size if self._log.exists() else 0

    def logs(self, handle: str, task: str, offset: int = 0, max_bytes: int = 1 << 20) -> bytes:
        return self._log.read_bytes()[offset : offset + max_bytes] if self._log.exists() else b""


def preview_of(log: Path, is_complete: bool) -> Preview | None:
    return read_preview(OneLog(log), "job", "worker-0", is_complete)


def shown(log: Path, is_complete: bool) -> tuple[str, int, int]:
    """The preview's text and sizes."""
    preview = preview_of(log, is_complete)
    assert preview is not None
    return "".join(preview.texts()), preview.current_size, preview.full_size


def test_there_is_no_preview_without_a_log(log: Path) -> None:
    assert preview_of(log, is_complete=False) is None
    log.write_bytes(b"")
    assert preview_of(log, is_complete=True) is None


def test_a_short_log_is_shown_whole(log: Path) -> None:
    log.write_bytes("Zeile – 1\n".encode())

    assert shown(log, is_complete=False) == ("Zeile – 1\n", 12, 12)


def test_of_a_long_log_the_newest_part_is_shown_and_where_it_begins_can_be_seen(log: Path) -> None:
    data = "".join(f"line {number}\n" for number in range(700_000)).encode()
    log.write_bytes(data)

    text, current_size, full_size = shown(log, is_complete=True)

    assert (current_size, full_size) == (PREVIEW_BYTES, len(data))
    assert text.encode() == data[full_size - current_size :]


def test_a_character_that_the_beginning_cuts_in_two_is_left_out(log: Path) -> None:
    log.write_bytes("ä".encode() + b"x" * (PREVIEW_BYTES - 1))

    text, current_size, full_size = shown(log, is_complete=True)

    assert text == "x" * (PREVIEW_BYTES - 1)
    assert full_size - current_size == 2


def test_a_character_that_is_not_written_to_its_end_is_not_shown_yet(log: Path) -> None:
    log.write_bytes(b"a" + "€".encode()[:2])

    assert shown(log, is_complete=False) == ("a", 1, 1)
    assert shown(log, is_complete=True) == ("a\ufffd", 3, 3)


@pytest.mark.parametrize("end", [b"", b"\xe4", "😀".encode()[:3], b"a\x9f\x98\x80", "ä€".encode(), "ä€".encode()[:-1]])
def test_what_is_left_out_at_the_end_is_what_a_reader_of_the_whole_waits_for(log: Path, end: bytes) -> None:
    log.write_bytes(b"x" + end)
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    text = decoder.decode(b"x" + end)

    assert shown(log, is_complete=False) == (
        text,
        1 + len(end) - len(decoder.getstate()[0]),
        log.stat().st_size - len(decoder.getstate()[0]),
    )


def test_a_character_on_the_border_of_two_pieces_is_whole(log: Path) -> None:
    content = "x" + "€" * PIECE
    log.write_bytes(content.encode())

    preview = preview_of(log, is_complete=False)

    assert preview is not None
    pieces = list(preview.texts())
    assert "".join(pieces) == content
    assert max(map(len, pieces)) <= PIECE


def test_bytes_that_are_not_text_are_marked(log: Path) -> None:
    log.write_bytes(b"a\xff\xfeb\n")

    assert shown(log, is_complete=False) == ("a\ufffd\ufffdb\n", 5, 5)


def link(api: Any, job_id: str) -> httpx.Response:
    return api.call("GET", f"/training-jobs/{job_id}/tasks/worker-0/logs/url")


def test_a_link_leads_to_the_log_as_it_is_now(staged: Any, puppet: Any) -> None:
    """Before the first line there is none; the log of a running task grows, and goes with its job."""
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


def test_a_log_that_is_not_a_file_of_this_machine_is_read_through_the_executor(staged: Any, puppet: Any) -> None:
    puppet.log_file = lambda *_: None
    puppet.logs = lambda _handle, _task, offset=0, _max=0: b"a line\n"[offset:]
    job_id = staged.create_job()["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.reports)

    assert httpx.get(link(staged, job_id).json()["obs_url"]).content == b"a line\n"


def test_only_the_account_of_a_job_reads_its_log(tmp_path: Path, puppet: Any, log_in: Any) -> None:
    """Another account that signs the same place with its own key is rejected."""
    with Emulator(tmp_path / "data", executor=puppet, keep_jobs=True) as emulator:
        other = emulator.add_identity("other", account="other")
        api = log_in(emulator)
        job_id = api.create_job()["metadata"]["id"]
        api.eventually(lambda: job_id in puppet.reports)
        puppet.log_file(job_id, "worker-0").write_bytes(b"one")
        url = httpx.URL(link(api, job_id).json()["obs_url"])
        _, bucket, key = url.path.split("/", 2)
        stolen = presigned_url(emulator.obs_endpoint, bucket, key, other.access_key, other.secret_key, 60)

        assert (httpx.get(url).status_code, httpx.get(stolen).status_code) == (200, 403)


DAYS_30_S = 30 * 24 * 3600


def test_the_log_of_a_job_is_cleared_30_days_after_its_end(tmp_path: Path, log_in: Any) -> None:
    """By the emulator's clock, and not a millisecond before; the log of a job that exports it stays."""

    def codes(job_id: str) -> list[str | None]:
        path = f"/training-jobs/{job_id}/tasks/worker-0/logs"
        return [api.call("GET", f"{path}/{name}").json().get("error_code") for name in ("preview", "url")]

    with Emulator(tmp_path, executor="simulated", token_lifetime=10**9, check_responses=True) as emulator:
        emulator.clock.freeze()
        api = log_in(emulator)
        exporting = api.job_body()
        exporting["spec"]["log_export_path"] = {"obs_url": f"/{api.bucket}/logs/"}
        kept, cleared = api.create_job(exporting)["metadata"]["id"], api.create_job()["metadata"]["id"]
        emulator.clock.advance(3600)
        status = api.job(cleared)["status"]
        emulator.clock.advance_to((status["start_time"] + status["duration"]) / 1000 + DAYS_30_S)
        assert codes(cleared) == [None, None]

        emulator.clock.advance(0.001)
        assert codes(cleared) == ["ModelArts.2819", "ModelArts.2819"]
        assert codes(kept) == [None, None]
