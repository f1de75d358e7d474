"""The log cursor: no line twice, none lost, and a word where the service dropped some."""

from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modelarts_toolkit.jobs.log_cursor import PREVIEW_LIMIT, Cursor

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine

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


def test_without_a_full_size_a_sliding_window_is_found_by_what_was_read_last() -> None:
    log = "".join(f"line {number}\n" for number in range(2000))
    cursor = Cursor()

    first = cursor.feed(log[:9000])
    second = cursor.feed(log[-15000:])

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


def test_a_file_continues_although_the_preview_was_longer_than_what_it_shows() -> None:
    """Bytes that are not UTF-8 arrive longer; the last bytes read are found where the size does not lead."""
    log = b"\xff\xfe one\ntwo\nthree\n"
    cursor = Cursor()

    first = cursor.feed(log[:9].decode("utf-8", "replace"))
    second = cursor.feed_file(log, 0)

    assert [first, second] == [["\ufffd\ufffd one"], ["two", "three"]]
