"""Conditions on texts, orders and ids, as all lists have them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, insert, select

from modelarts_emulator.engine.queries import contains, is_id, ordered
from modelarts_emulator.engine.tables import settings

NAMES = ["Train", "train_2", "50%", "a\\b", "Ähre", "\ufffdx"]


@pytest.fixture
def connection(engine: Engine) -> Iterator[Connection]:
    with engine.begin() as opened:
        opened.execute(insert(settings), [{"name": name, "value": str(place)} for place, name in enumerate(NAMES)])
        yield opened


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", NAMES),
        ("TRAIN", ["Train", "train_2"]),
        ("n_2", ["train_2"]),
        ("_", ["train_2"]),
        ("%", ["50%"]),
        ("\\", ["a\\b"]),
        ("hre", ["Ähre"]),
        ("ä", []),
        ("\0x", ["\ufffdx"]),
        ("\0", ["\ufffdx"]),
    ],
)
def test_a_text_is_found_in_either_case_of_ascii_letters_and_no_character_is_a_wildcard(
    connection: Connection, text: str, found: list[str]
) -> None:
    """NUL, which PostgreSQL cannot hold and at which SQLite would end the text, is the character that replaces it."""
    condition = contains(connection, settings.c.name, text)
    names = connection.execute(select(settings.c.name).where(condition).order_by(settings.c.value)).scalars().all()

    assert [name for name in names if name in NAMES] == found


def test_an_order_goes_one_way_in_all_of_its_columns(connection: Connection) -> None:
    columns = [settings.c.value, settings.c.name]
    query = select(settings.c.name).where(settings.c.name.in_(NAMES))

    assert connection.execute(query.order_by(*ordered(columns, True))).scalars().all() == NAMES
    assert connection.execute(query.order_by(*ordered(columns, False))).scalars().all() == NAMES[::-1]


@pytest.mark.parametrize(
    ("number", "expected"), [(0, False), (1, True), (2**31 - 1, True), (2**31, False), (-1, False)]
)
def test_an_id_is_a_positive_number_that_every_database_can_hold(number: int, expected: bool) -> None:
    assert is_id(number) == expected
