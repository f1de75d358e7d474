"""Records of logs: read forwards and backwards from any of them, whatever lines look like."""

from __future__ import annotations

import random

import pytest

from modelarts_emulator.v1 import log_records
from modelarts_emulator.v1.log_records import BEFORE_FIRST, Cursors, LogReader, Record

LINES = [f"line {number}" for number in range(10)]
LOG = "".join(f"{line}\n" for line in LINES).encode()


def reader(log: bytes, is_complete: bool = True) -> LogReader:
    return LogReader(lambda place, size: log[place : place + size], len(log), is_complete)


def texts(records: list[Record]) -> list[str]:
    return [record.text for record in records]


def test_the_newest_records_are_the_last_lines() -> None:
    assert texts(reader(LOG).newest(3)) == LINES[-3:]
    assert texts(reader(LOG).newest(100)) == LINES
    assert reader(LOG).newest(0) == reader(b"").newest(5) == []


def test_records_follow_and_precede_the_one_that_a_place_names() -> None:
    place = reader(LOG).newest(5)[0].place  # that of line 5

    assert texts(reader(LOG).after(place, 2)) == ["line 6", "line 7"]
    assert texts(reader(LOG).before(place, 2)) == ["line 3", "line 4"]
    assert reader(LOG).after(reader(LOG).newest(1)[0].place, 5) == []
    assert reader(LOG).before(0, 5) == []


def test_before_the_first_record_is_a_place_to_read_on_from() -> None:
    assert texts(reader(LOG).after(BEFORE_FIRST, 2)) == ["line 0", "line 1"]
    assert reader(LOG).before(BEFORE_FIRST, 2) == []


def test_a_line_that_is_not_finished_is_not_a_record_until_the_task_has_ended() -> None:
    log = b"one\ntwo\nhal"

    assert texts(reader(log, is_complete=False).newest(5)) == ["one", "two"]
    assert texts(reader(log, is_complete=True).newest(5)) == ["one", "two", "hal"]
    assert reader(b"hal", is_complete=False).newest(5) == []


def test_empty_lines_are_records_and_carriage_returns_are_kept() -> None:
    assert texts(reader(b"a\n\n1%\r2%\r3%\nb").newest(9)) == ["a", "", "1%\r2%\r3%", "b"]


def test_bytes_that_are_not_text_are_replaced() -> None:
    assert texts(reader(b"\xff\xe4\n").newest(1)) == ["\ufffd\ufffd"]


@pytest.mark.parametrize("seed", range(5))
def test_a_whole_log_is_read_in_both_directions_by_pieces_of_any_size(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is lost or read twice, also if lines are longer than what is read at once."""
    monkeypatch.setattr(log_records, "CHUNK_BYTES", 16)
    monkeypatch.setattr(log_records, "PIECE_BYTES", 64)
    chance = random.Random(seed)
    log = b"".join(bytes(chance.choices(b"ab", k=chance.choice([0, 1, 5, 30, 200]))) + b"\n" for _ in range(60))
    whole = reader(log)
    forwards: list[Record] = []
    place = BEFORE_FIRST
    while found := whole.after(place, chance.randint(1, 9)):
        forwards += found
        place = found[-1].place
    backwards: list[Record] = []
    place = whole.size
    while found := whole.before(place, chance.randint(1, 9)):
        backwards = found + backwards
        place = found[0].place

    assert b"".join(record.line for record in forwards) == log
    assert b"".join(record.line for record in backwards) == log


def test_cursors_have_19_digits_and_lead_back_to_their_places() -> None:
    cursors = Cursors(1_609_121_886_518)

    assert cursors.at(0) == "1609121886518000000"
    assert cursors.place(cursors.at(42)) == 42
    for wrong in ("", "-1", "1e9", "٣", "cursor"):
        with pytest.raises(ValueError, match="is not a cursor"):
            cursors.place(wrong)
