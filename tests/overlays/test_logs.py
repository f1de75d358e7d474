"""The log cursor: no line twice, none lost, and a word where the service dropped some."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.overlays.conftest import JOB, PROJECT, VirtualTime

from modelarts_emulator.engine import logs as emulated
from modelarts_emulator.engine.logs import read_preview
from modelarts_toolkit import Jobs, LogCursor, ModelArts, V1Jobs
from modelarts_toolkit.errors import ConnectionFailed
from modelarts_toolkit.jobs._sync.v1_jobs import PIECE_LINES
from modelarts_toolkit.jobs.log_cursor import PREVIEW_LIMIT, Cursor, Preview
from modelarts_toolkit.jobs.polling import Clock
from modelarts_toolkit.settings.config import Settings

LINES = [b"same\n", b"\n", b"\r\n", b"a\r\n", b" 5%\r10%\r", b"x" * 7, b"\0", "é€😀\n".encode(), "😀".encode()[:2]]
CHUNKS = st.one_of(
    st.sampled_from(LINES), st.integers(0, 999).map(lambda number: b"line %d\n" % number), st.just(b"y" * 300)
)
OTHERS = st.sampled_from([b"\xff", b"\xff\n", b"\xf0\x9f", b"\x9f\x9f\x9f\x9f\x9f\n"])
WINDOWS = st.sampled_from([33, 100, 400])
Written = list[tuple[list[bytes], int, str, int]]
LOOKS = st.sampled_from(["preview"] * 4 + ["file", "nothing"])


def steps(chunks: st.SearchStrategy[bytes]) -> st.SearchStrategy[Written]:
    """What a script writes and how often; how it is looked at, and how many lines are taken before a new process."""
    return st.lists(
        st.tuples(st.lists(chunks, max_size=4), st.sampled_from([1, 1, 9]), LOOKS, st.sampled_from([0, 1, 3, 98, 99])),
        max_size=12,
    )


class Reading:
    """A log of which the emulator shows the newest bytes, and what a reader took from it."""

    def __init__(self, has_file: bool) -> None:
        self.log = b""
        self.is_complete = False
        self.taken: list[str] = []
        self._has_file = has_file
        self._kept = LogCursor()
        self._cursor = self._kept.of("worker-0")

    def look(self, way: str, most: int = 99) -> bool:
        """Read what is new; whether there was something."""
        source: Any = SimpleNamespace(size=lambda *_: len(self.log), read=lambda _, __, start, size: self.log[start:])
        run: Any = SimpleNamespace(phase="Completed" if self.is_complete else "Running")
        shown = read_preview(source, run, "worker-0") if way == "preview" else None
        before = self._cursor.offset
        preview = shown and Preview.of(shown["content"], shown["full_size"], shown["current_size"])
        if self._has_file and (way == "file" or (preview and self._cursor.is_behind(preview))):
            start = max(0, self._cursor.offset - 40)
            if part := self.log[self._cursor.offset :][:160]:
                part, end = self.log[start : self._cursor.offset] + part, preview.end if preview else None
                lines = self._cursor.feed_file(part, start, end)
                assert lines is not None, "the file continues what was read"
                self._take(lines, most)
        elif preview:
            self._take(self._cursor.feed(preview), most)
        return self._cursor.offset > before

    def _take(self, lines: list[str], most: int) -> None:
        self.taken += islice(self._cursor.deliver(lines), most)
        if most < 99:
            self._kept = LogCursor.from_json(self._kept.to_json())
            self._cursor = self._kept.of("worker-0")

    def end(self) -> list[str]:
        """All lines, after the rest was read."""
        self.is_complete = True
        while self.look("file") or self.look("preview"):
            pass
        self.taken += self._cursor.flush()
        return self.taken


@contextmanager
def previews_of(size: int) -> Iterator[None]:
    """The emulator's previews with this number of bytes, and a cursor that remembers less than them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(emulated, "PREVIEW_BYTES", size)
        patch.setattr(Cursor, "_MEMORY", 32)
        patch.setattr(Cursor, "_ANCHOR", 12)
        yield


def lines_of(log: bytes) -> list[str]:
    lines = log.decode("utf-8", "replace").split("\n")
    return [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]


@settings(deadline=None, max_examples=1000)
@given(steps(st.one_of(CHUNKS, OTHERS)), WINDOWS)
@example([([b"y" * 150], 1, "file", 99), ([b"y\xff"], 1, "preview", 99)], 33)
def test_with_the_file_each_line_comes_once_and_whole(written: Written, window: int) -> None:
    """Whatever is written and however it is looked at, also by several processes."""
    reading = Reading(has_file=True)
    with previews_of(window):
        for chunks, times, way, most in written:
            reading.log += b"".join(chunks) * times
            reading.look(way, most)

        assert reading.end() == lines_of(reading.log)


@settings(deadline=None, max_examples=1000)
@given(steps(CHUNKS), WINDOWS)
def test_without_a_file_lines_that_are_missing_are_counted(written: Written, window: int) -> None:
    """Each other line comes once and whole."""
    reading = Reading(has_file=False)
    with previews_of(window):
        for chunks, times, way, most in written:
            reading.log += b"".join(chunks).decode("utf-8", "ignore").encode() * times
            reading.look(way, 98 + most % 2)
        reading.end()
    place = 0
    for line in reading.taken:
        if missing := re.match(r"\[modelarts-toolkit\] (\d+) bytes", line):
            place += int(missing[1])
            assert place == len(reading.log) or reading.log[place - 1 : place] == b"\n", "the next line is whole"
        else:
            rest = reading.log[place:].split(b"\n", 1)[0]
            assert rest.decode().removesuffix("\r") == line, f"after {place} bytes"
            place = min(place + len(rest) + 1, len(reading.log))

    assert place == len(reading.log)


def test_a_full_size_that_is_the_limit_of_the_preview_is_not_taken_for_the_size_of_the_log() -> None:
    """The documented example: current_size 126548, full_size 5242880."""
    cursor = Cursor()

    assert cursor.feed(Preview.of("one\ntw", PREVIEW_LIMIT)) == ["one"]
    assert cursor.feed(Preview.of("one\ntwo\nthree\n", PREVIEW_LIMIT)) == ["two", "three"]


@pytest.mark.parametrize("full_size", [None, PREVIEW_LIMIT])
def test_a_sliding_window_is_found_by_what_was_read_last(full_size: int | None) -> None:
    """With no size of the log, or the documented limit in its place, only the last bytes say where it goes on."""
    log = "".join(f"line {number}\n" for number in range(2000))
    cursor = Cursor()

    first = cursor.feed(Preview.of(log[:9000], full_size))
    second = cursor.feed(Preview.of(log[-15000:], full_size))

    assert log.splitlines() == first + second


def test_a_preview_of_all_after_one_of_the_end_continues_where_that_ended() -> None:
    cursor, log = Cursor(), "x" * 9000 + "\nb\n"
    cursor.feed(Preview.of(log[6000:7000], 7000, 1000))
    notice, last = cursor.feed(Preview.of(log))

    assert ("9001 bytes of the log are not shown" in notice, last) == (True, "b")


def test_line_ends_of_windows_are_line_ends_and_progress_bars_stay_whole() -> None:
    assert Cursor().feed(Preview.of("a\r\n10%\r20%\r\n")) == ["a", "10%\r20%"]


NO_PAUSES = Clock(lambda: 0.0, lambda _: None)
SETTINGS: Settings = {"endpoint": "https://x.example.com", "token": "the-token", "project_id": PROJECT}


def log_service(log: bytes, preview_size: int = 100_000, tasks: tuple[str, ...] = ("worker-0",)) -> httpx.MockTransport:
    """A service with one ended job, whose previews hold the end of its log."""

    def respond(request: httpx.Request) -> httpx.Response:
        if request.url.host == "obs.example.com":
            first, last = map(int, request.headers["Range"].removeprefix("bytes=").split("-"))
            return httpx.Response(206, content=log[first : last + 1])
        if request.url.path.endswith("/logs/url"):
            return httpx.Response(200, json={"obs_url": "https://obs.example.com/log"})
        if request.url.path.endswith("/logs/preview"):
            content = log[-preview_size:].decode("utf-8", "replace")
            return httpx.Response(200, json={"content": content, "full_size": len(log)})
        return httpx.Response(200, json={"metadata": {"id": JOB}, "status": {"phase": "Completed", "tasks": tasks}})

    return httpx.MockTransport(respond)


def reading(log: bytes, cursor: LogCursor, **options: Any) -> Iterator[str]:
    kept = {name: options.pop(name) for name in ("preview_size", "tasks") if name in options}
    with ModelArts(transport=log_service(log, **kept), **SETTINGS) as ma:
        yield from Jobs(ma, clock=NO_PAUSES).get(JOB).logs(cursor=cursor, **options)


def test_a_cursor_that_is_used_again_continues_after_the_line_that_was_taken_last() -> None:
    cursor = LogCursor()
    first = reading(b"a\nb\nc\n", cursor)

    assert [next(first), next(first)] == ["a", "b"]
    assert list(reading(b"a\nb\nc\nd\n", cursor)) == ["c", "d"]
    assert list(reading(b"a\nb\nc\nd\ne\n", cursor)) == ["e"]


def test_a_cursor_belongs_to_one_job() -> None:
    cursor = LogCursor()
    cursor.bind("another")

    with pytest.raises(ValueError, match="for the logs of job another, not of job"):
        next(reading(b"a\n", cursor))


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"job": null, "tasks": []}', '{"job": null, "tasks": {"worker-0": {"offset": 1}}}']
)
def test_another_text_is_not_a_cursor(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a cursor: use the text that LogCursor.to_json\(\) returned"):
        LogCursor.from_json(text)


NUMBER_OF_LINES = 3 * PIECE_LINES
VERSION = {"job_id": 7, "version_id": 8, "status": 10, "worker_server_num": 1}


class Service:
    """A version with a log; the requests for pieces of these numbers fail."""

    FAILING = (3, 8)  # one for lines before the first piece, and one for lines after it

    def __init__(self) -> None:
        self.pieces = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path, query = request.url.path, request.url.params
        if path.endswith("/file-names"):
            return httpx.Response(200, json={"log_file_list": ["job-sum.0"]})
        if not path.endswith("/aom-log"):
            return httpx.Response(200, json=VERSION)
        self.pieces += 1
        if self.pieces in self.FAILING:
            raise ConnectionFailed("faulty")
        return httpx.Response(200, content=json.dumps(self.piece(query)))

    def piece(self, query: httpx.QueryParams) -> dict[str, object]:
        """The newest records, or those before or after the one that the cursor names."""
        first, last = NUMBER_OF_LINES - PIECE_LINES, NUMBER_OF_LINES
        if "base_line" in query and query["order"] == "asc":
            last = int(query["base_line"])
            first = max(0, last - PIECE_LINES)
        elif "base_line" in query:
            first, last = int(query["base_line"]), min(NUMBER_OF_LINES, int(query["base_line"]) + PIECE_LINES)
        lines = [f"line {number}" for number in range(first, last)]
        content = "".join(f"{line}\n\n" for line in lines)
        return {"content": content, "lines": len(lines), "start_line": str(first), "end_line": str(last)}


@pytest.mark.parametrize("follow", [False, True])
def test_a_piece_that_cannot_be_read_is_asked_for_again(follow: bool, virtual_time: VirtualTime) -> None:
    """Every line comes once, and in order."""
    service = Service()
    with ModelArts(transport=httpx.MockTransport(service), **SETTINGS | {"retries": 0}) as ma:
        lines = list(V1Jobs(ma, clock=virtual_time.blocking).get("7/8").logs(follow=follow))

    assert lines == [f"line {number}" for number in range(NUMBER_OF_LINES)]
