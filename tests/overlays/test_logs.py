"""The log cursor: no line twice, none lost, and a word where the service dropped some."""

import json
from collections.abc import Iterator
from itertools import count, islice, pairwise
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.overlays.conftest import JOB, PROJECT, VirtualTime

from modelarts_toolkit import Jobs, LogCursor, ModelArts, V1Jobs
from modelarts_toolkit.errors import ConnectionFailed
from modelarts_toolkit.jobs._sync.version_logs import PIECE_LINES
from modelarts_toolkit.jobs.log_cursor import PREVIEW_LIMIT, Cursor
from modelarts_toolkit.jobs.polling import Clock
from modelarts_toolkit.settings.config import Settings

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine
HALF = st.sampled_from([b"", b"the", b"a log"])  # of a line

LINES = st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=12), max_size=40)


def read(chunks: list[bytes], window: int) -> tuple[list[str], int]:
    """The lines a cursor returns if it looks after each chunk at the newest `window` bytes; how often it lost some."""
    cursor, log, lines = Cursor(), b"", []
    for chunk in chunks:
        log += chunk
        lines += cursor.feed(log[-window:].decode("utf-8", "ignore"), len(log))
    lines += cursor.flush()
    notices = [line for line in lines if line.startswith("[modelarts-toolkit]")]
    return [line for line in lines if line not in notices], len(notices)


def split(data: bytes, places: list[int]) -> list[bytes]:
    bounds = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[first:last] for first, last in pairwise(bounds)]


@UNHURRIED
@given(LINES, st.lists(st.integers(0, 10_000), max_size=8))
def test_whatever_the_log_and_whenever_we_look_each_line_comes_once(lines: list[str], places: list[int]) -> None:
    log = "".join(f"{number} {line}\n" for number, line in enumerate(lines))
    characters = [piece.decode("utf-8", "ignore") for piece in split(log.encode(), places)]
    pieces = [piece.encode() for piece in characters]  # a preview never shows half a character

    returned, notices = read(pieces, 10**9)

    assert b"".join(pieces).decode().split("\n")[:-1] == returned[: len(b"".join(pieces).decode().split("\n")) - 1]
    assert notices == 0


def test_a_window_that_slides_too_far_says_how_much_was_lost_and_goes_on_with_a_whole_line() -> None:
    log = "".join(f"line {number:05}\n" for number in range(1000)).encode()
    cursor = Cursor()
    cursor.feed(log[:1100].decode(), 1100)  # 100 lines

    lines = cursor.feed(log[-2207:].decode(), len(log))  # 200 lines and a bit

    assert lines[0] == "[modelarts-toolkit] 7693 bytes of the log are not shown: a preview holds 5 MB"
    assert lines[1:] == [f"line {number:05}" for number in range(800, 1000)]


def test_a_full_size_that_is_the_limit_of_the_preview_is_not_taken_for_the_size_of_the_log() -> None:
    """The documented example: current_size 126548, full_size 5242880."""
    cursor = Cursor()

    assert cursor.feed("one\ntw", PREVIEW_LIMIT) == ["one"]
    assert cursor.feed("one\ntwo\nthree\n", PREVIEW_LIMIT) == ["two", "three"]


@pytest.mark.parametrize("full_size", [None, PREVIEW_LIMIT])
def test_a_sliding_window_is_found_by_what_was_read_last(full_size: int | None) -> None:
    """With no size of the log, or the documented limit in its place, only the last bytes say where it goes on."""
    log = "".join(f"line {number}\n" for number in range(2000))
    cursor = Cursor()

    first = cursor.feed(log[:9000], full_size)
    second = cursor.feed(log[-15000:], full_size)

    assert log.splitlines() == first + second


def test_bytes_that_are_not_text_and_so_arrive_longer_do_not_shift_the_place() -> None:
    log = b"\xff\xfe\xff start\n" + b"".join(b"%d\n" % number for number in range(50))
    cursor = Cursor()

    first = cursor.feed(log[:40].decode("utf-8", "replace"), 40)
    second = cursor.feed(log.decode("utf-8", "replace"), len(log))

    assert log.decode("utf-8", "replace").splitlines() == first + second


def test_line_ends_of_windows_are_line_ends_and_progress_bars_stay_whole() -> None:
    assert Cursor().feed("a\r\n10%\r20%\r\n") == ["a", "10%\r20%"]


@UNHURRIED
@given(st.binary(max_size=400), st.integers(0, 400), st.integers(1, 50))
def test_parts_of_a_file_give_the_lines_of_the_whole(log: bytes, read: int, part: int) -> None:
    """Wherever the preview ended and the parts are cut, also within a character or in bytes that are not UTF-8."""
    text = log.decode("utf-8", "replace").replace("\r", "")
    log = text.encode()
    seen = log[:read].decode("utf-8", "ignore")
    cursor = Cursor()

    lines = cursor.feed(seen, len(seen.encode()))
    while cursor.offset < len(log):
        start = max(0, cursor.offset - 2000)
        lines += cursor.feed_file(log[start : cursor.offset + part + 4], start) or []
    lines += cursor.flush()

    assert lines == text.removesuffix("\n").split("\n") if text else lines == []


def test_a_cursor_reports_a_gap_without_reading_over_it() -> None:
    """`is_behind` changes nothing; the next preview that fits is read as if nothing had been."""
    cursor = Cursor()
    cursor.feed("a\nb\n", 4)

    assert cursor.is_behind("y\nz\n", 100)
    assert not cursor.is_behind("a\nb\nc\n", 6)
    assert cursor.feed("a\nb\nc\n", 6) == ["c"]


@UNHURRIED
@given(st.integers(1, 300), st.integers(20, 400), st.integers(1, 60))
def test_a_window_that_slides_by_less_than_its_size_loses_nothing(count: int, window: int, step: int) -> None:
    log = "".join(f"epoch {number}\n" for number in range(count)).encode()
    pieces = [log[place : place + min(step, window)] for place in range(0, len(log), min(step, window))]

    returned, notices = read(pieces, window)

    assert log.decode().splitlines() == returned
    assert notices == 0


@UNHURRIED
@given(
    st.lists(st.tuples(st.sampled_from(["preview", "newest", "saved"]), st.integers(0, 90), HALF), max_size=30),
    st.sampled_from([b"a log with \xe2\x82\xac, %d", b"with \xff, %d", b"the same", b"block %d"]),
)
@example([("preview", 0, b"the"), ("saved", 0, b"")], b"the same")
def test_newest_lines_and_previews_together_give_each_line_once(
    looks: list[tuple[str, int, bytes]], line: bytes
) -> None:
    """Lines of a response are used or left to the next preview; lines that repeat themselves mislead nobody.

    A preview may end within a line, and the cursor may be saved there.
    """
    cursor, log, lines, numbers = Cursor(), b"", [], count()
    for kind, more, half in [("preview", 300, b""), *looks, ("preview", 5, b"")]:
        for number in islice(numbers, more):
            log += (line % (number % 70 if b"block" in line else number) if b"%d" in line else line) + b" \n"
        log += half
        if kind == "preview":
            lines += cursor.feed(log.decode("utf-8", "replace"), len(log))
        elif kind == "newest":
            newest = b"".join(log.splitlines(keepends=True)[-100:])
            lines += cursor.feed_newest(newest.decode("utf-8", "replace")) or []
        else:
            cursor = Cursor.from_dict(cursor.to_dict())

    assert lines == log.decode("utf-8", "replace").splitlines()


def test_newest_lines_count_only_where_the_last_ones_stand_once() -> None:
    log = "".join(f"line {number:05}\n" for number in range(900))
    cursor = Cursor()
    cursor.feed(log[:5000])

    assert cursor.feed_newest(log[4000:]) is None
    assert cursor.feed_newest(log + log) is None
    assert cursor.feed_newest(log.replace("00899", "0089\ufffd")) is None
    assert cursor.feed_newest(log) == log[:9900].splitlines()[454:]
    assert cursor.feed(log + "end\n", 9904) == ["end"]


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


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 4), max_size=8), st.sampled_from([100_000, 40]))
def test_lines_come_once_however_often_reading_is_interrupted(counts: list[int], preview_size: int) -> None:
    """A process takes some lines, saves the cursor and ends; the last one reads the rest, also from the log's file."""
    log = "".join(f"épreuve {number}\n" for number in range(12)).encode() + b"no line end"
    text, lines = LogCursor().to_json(), []
    for taken in [*counts, 100]:
        cursor = LogCursor.from_json(text)
        lines += list(islice(reading(log, cursor, preview_size=preview_size), taken))
        text = cursor.to_json()

    assert lines == log.decode().splitlines()


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
