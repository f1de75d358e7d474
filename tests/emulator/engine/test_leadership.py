"""Of all processes that use a PostgreSQL database, one supervises, and no other can write what only that one may."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, select, text
from tests.databases import PostgresqlServer

from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.leadership import SUPERVISOR_KEY, SharedSupervision, SupervisionLost
from modelarts_emulator.engine.opening import open_database
from modelarts_emulator.engine.tables import settings
from modelarts_emulator.http.errors import EmulatorError


class Process:
    """What a process has of the database."""

    def __init__(self, url: str, region: str = "here") -> None:
        self.engine: Engine = open_database(url, {"--region": region, "--max-jobs": 10})
        self.supervision = SharedSupervision(self.engine)
        self.changed = threading.Event()
        self.supervision.changed = self.changed.set
        self.supervision.start()
        self.database = Database(self.engine, True).supervised(self.supervision.check)

    def write(self, name: str) -> None:
        with self.database.writing() as connection:
            connection.execute(settings.insert().values(name=name, value=""))

    def close(self) -> None:
        self.supervision.close()
        self.engine.dispose()


def test_a_supervision_that_is_never_started_opens_nothing() -> None:
    """An emulator that cannot begin, because a file of its options cannot be opened, has nothing to close."""
    engine = create_engine("postgresql+psycopg://127.0.0.1/state")
    before = sorted(Path("/dev/fd").iterdir())
    supervision = SharedSupervision(engine)

    assert sorted(Path("/dev/fd").iterdir()) == before
    assert supervision.term == ""


@pytest.fixture
def processes(postgresql_server: PostgresqlServer) -> Iterator[Callable[[], Process]]:
    """Makes processes that use one database."""
    url, made = postgresql_server.new_database(), []

    def make() -> Process:
        made.append(Process(url))
        return made[-1]

    yield make
    for process in made:
        process.close()


def wait_for_term(process: Process) -> None:
    assert process.changed.wait(5)
    assert process.supervision.term


def test_the_first_process_supervises_and_the_second_one_after_it(postgresql_server: PostgresqlServer) -> None:
    """As soon as the first one has ended."""
    url = postgresql_server.new_database()
    first, second = Process(url), Process(url)
    assert (bool(first.supervision.term), second.supervision.term) == (True, "")
    assert (first.supervision.count_others(), second.supervision.count_others()) == (1, 1)

    first.close()
    wait_for_term(second)

    assert second.supervision.count_others() == 0
    second.close()


def test_only_the_process_that_supervises_writes(processes: Callable[[], Process]) -> None:
    first, second = processes(), processes()
    first.write("first")

    with pytest.raises(SupervisionLost):
        second.write("second")

    with first.database.reading() as connection:
        found = set(connection.execute(select(settings.c.name)).scalars())
    assert "first" in found
    assert "second" not in found


def test_a_process_that_lost_its_session_without_knowing_it_writes_nothing(processes: Callable[[], Process]) -> None:
    """Another one has begun a term of its own."""
    first, second = processes(), processes()
    lost = first.supervision.term
    with first.engine.begin() as connection:
        held = "locktype = 'advisory' AND CAST(objid AS bigint) = :low"
        end = text(f"SELECT pg_terminate_backend(pid) FROM pg_locks WHERE {held}")
        connection.execute(end, {"low": SUPERVISOR_KEY & 0xFFFFFFFF})
    deadline = time.monotonic() + 5
    while not (first.supervision.term or second.supervision.term) or first.supervision.term == lost:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    first.supervision._term = lost  # as if it had not noticed

    with pytest.raises(SupervisionLost):
        first.write("late")


def test_processes_with_other_options_are_rejected_with_what_differs(postgresql_server: PostgresqlServer) -> None:
    """Once nobody uses the database any more, the options are the next one's."""
    url = postgresql_server.new_database()
    first = Process(url, "here")
    other = {"--region": "there", "--max-jobs": 10, "machine": "another"}
    with pytest.raises(EmulatorError, match="is used by an emulator with another --region, machine: start all"):
        open_database(url, other)
    first.close()

    open_database(url, other).dispose()


def test_who_needs_a_connection_that_others_have_waits(postgresql_server: PostgresqlServer) -> None:
    """A front end never has more connections than its administrators are told of: six, and two for its locks."""
    process = Process(postgresql_server.new_database())
    count = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
    begin = threading.Barrier(30)

    def ask(_: int) -> int:
        begin.wait()
        with process.database.reading() as connection:
            connection.execute(text("SELECT pg_sleep(0.02)"))
            return int(connection.execute(count).scalar_one())

    with ThreadPoolExecutor(30) as pool:
        found = list(pool.map(ask, range(30)))
    process.close()

    assert max(found) <= 8


def test_what_a_transaction_of_one_process_has_read_stays_true_until_its_end(
    processes: Callable[[], Process],
) -> None:
    """Two front ends that look for room, and then take it, take it once."""
    first, second = processes(), processes()
    first_has_read, second_has_read = threading.Event(), threading.Event()
    others = Database(second.engine, True)

    def take(database: Database, name: str, has_read: threading.Event, is_to_wait_for: threading.Event) -> None:
        with database.writing() as connection:
            count = connection.execute(text("SELECT count(*) FROM settings WHERE name LIKE 'room%'")).scalar_one()
            has_read.set()
            is_to_wait_for.wait(0.5)  # the other one, which cannot read before this has ended
            if not count:
                connection.execute(settings.insert().values(name=name, value=""))

    def take_after_the_first() -> None:
        first_has_read.wait(10)
        take(others, "room-2", second_has_read, first_has_read)

    with ThreadPoolExecutor(2) as pool:
        later = pool.submit(take_after_the_first)
        take(first.database, "room-1", first_has_read, second_has_read)
        later.result()
    with first.database.reading() as connection:
        found = connection.execute(text("SELECT name FROM settings WHERE name LIKE 'room%'")).scalars().all()

    assert found == ["room-1"]
