"""The database: opened or rejected as a whole, alike on SQLite and PostgreSQL, with one leader of many processes."""

from __future__ import annotations

import shutil
import socket
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, Index, create_engine, event, func, insert, select, text
from tests.databases import PASSWORD, PostgresqlServer
from tests.emulator.conftest import KnownLock, eventually

from modelarts_emulator.engine.database import Database, contains, open_database, schema_digest
from modelarts_emulator.engine.leadership import LEADER_KEY, LeaderElection, LeadershipLost
from modelarts_emulator.engine.tables import settings
from modelarts_emulator.errors import EmulatorError


def test_a_file_that_is_not_a_database_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "db").write_bytes(b"something else" * 100)

    with pytest.raises(EmulatorError, match=r"cannot use the database .*not a database.*: move it away, or"):
        open_database(tmp_path / "db")


def test_the_database_is_the_file_that_the_path_names(tmp_path: Path) -> None:
    """Nothing in a path is taken for a part of a URL, so nothing is written beside it."""
    names = ["a?b", "a%20b", "a#b", "a b", "?mode=ro", "ä"]
    for name in names:
        (tmp_path / name).mkdir()
        open_database(tmp_path / name / "emulator.db").dispose()
        assert [path.name for path in (tmp_path / name).iterdir()] == ["emulator.db"], name

    assert {path.name for path in tmp_path.iterdir()} == set(names)


def test_a_rejected_database_is_in_one_file_that_can_be_moved_away(tmp_path: Path) -> None:
    """Also after a kill, when SQLite's log lies beside the file: it would be taken for a part of the next database."""
    engine = open_database(tmp_path / "db")
    with engine.connect() as connection:
        connection.execute(text("update settings set value = 'x' where name = 'schema'"))
        connection.commit()
        assert (tmp_path / "db-wal").stat().st_size
        for path in tmp_path.iterdir():
            (tmp_path / "copy").mkdir(exist_ok=True)
            if path.is_file():
                shutil.copy(path, tmp_path / "copy" / path.name)
    engine.dispose()

    with pytest.raises(EmulatorError, match="another version"):
        open_database(tmp_path / "copy" / "db")

    assert [path.name for path in (tmp_path / "copy").iterdir()] == ["db"]


def test_writers_of_one_process_wait_for_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if one of them takes longer than SQLite would let the others wait."""
    engine = open_database(tmp_path / "db")
    event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA busy_timeout = 1"))
    database = Database(engine)
    order: list[str] = []
    lock = KnownLock()
    monkeypatch.setattr(database, "_write_lock", lock)

    def write_late() -> None:
        with database.writing() as second:
            second.execute(settings.insert().values(name="second", value=""))
            order.append("second")

    thread = threading.Thread(target=write_late)
    with database.writing() as first:
        first.execute(settings.insert().values(name="first", value=""))
        thread.start()
        eventually(lambda: len(lock.threads) == 2 or not thread.is_alive())
        order.append("first")
    thread.join()
    engine.dispose()

    assert order == ["first", "second"]


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        (f"mysql://root:{PASSWORD}@localhost/x", "the database URL begins with mysql: write it as postgresql"),
        (
            f"postgresql+psycopg://root:{PASSWORD}@localhost",
            "the database URL names no database: write it as postgresql",
        ),
        (f"postgresql://root:{PASSWORD}@localhost:port/x", "the database URL cannot be read: write it as postgresql"),
        (PASSWORD, "the database URL cannot be read: write it as postgresql"),
    ],
)
def test_a_wrong_url_is_rejected_without_the_password(url: str, problem: str) -> None:
    with pytest.raises(EmulatorError, match=problem) as error:
        open_database(url)

    assert PASSWORD not in str(error.value)
    assert error.value.__cause__ is None


def test_a_database_that_cannot_be_reached_is_named_in_one_sentence(postgresql_server: PostgresqlServer) -> None:
    """Whether nothing listens there, or the password is wrong; the password is not shown."""
    wrong_password = postgresql_server.url("postgres", password="a-wrong-one")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        nobody_there = postgresql_server.url("postgres").replace(str(postgresql_server.port), str(port))

        for url in (wrong_password, nobody_there, postgresql_server.url("missing")):
            remedy = "check that it runs and that --database-url is right; the state is unchanged$"
            with pytest.raises(
                EmulatorError, match=rf"^cannot use the database postgresql\S+:\*\*\*@.*: {remedy}"
            ) as error:
                open_database(url)
            shown = "".join(traceback.format_exception(error.value))
            assert PASSWORD not in shown, url
            assert "a-wrong-one" not in shown, url
            assert "\n" not in str(error.value), url


def test_texts_are_stored_and_sorted_alike_in_every_database(engine: Engine) -> None:
    """Of any length, with NUL, and by code point."""
    names = ["a", "B", "ä", "\U0001f600", "z" * 300, "nul\0"]
    with engine.begin() as connection:
        connection.execute(settings.insert(), [{"name": name, "value": ""} for name in names])
        found = connection.execute(select(settings.c.name).order_by(settings.c.name)).scalars().all()
        by_name = connection.execute(select(settings.c.name).where(settings.c.name == "nul\0")).scalar()

    expected = sorted(name for name in names if "\0" not in name)
    assert [name for name in found if name in expected] == expected
    assert by_name in ("nul\0", "nul\ufffd")


@pytest.mark.parametrize(
    "changes",
    [
        ["update settings set value = 'x' where name = 'schema'"],
        ["delete from settings where name = 'schema'"],
        ["drop table settings"],
    ],
)
def test_a_database_with_another_schema_is_rejected_unchanged(database: Path | str, changes: list[str]) -> None:
    """In one sentence, with a remedy that keeps the objects."""
    open_database(database).dispose()
    open_database(database).dispose()
    engine = create_engine(database if isinstance(database, str) else f"sqlite:///{database}")
    with engine.begin() as connection:
        for change in changes:
            connection.execute(text(change))
    engine.dispose()
    before = database.read_bytes() if isinstance(database, Path) else None

    remedy = "(move the folder away|drop it) .*objects.*, or (choose another one with --data-dir|name another one with)"
    with pytest.raises(EmulatorError, match=rf" was written by another version .* was not changed: {remedy}") as error:
        open_database(database)

    assert PASSWORD not in str(error.value)
    if isinstance(database, Path):
        assert before == database.read_bytes()
        assert f"the data folder {database.parent} was written" in str(error.value)


NAMES = ["Train", "train_2", "50%", "a\\b", "Ähre", "\ufffdx"]


@pytest.fixture
def connection(engine: Engine) -> Iterator[Connection]:
    with engine.begin() as opened:
        opened.execute(insert(settings), [{"name": name, "value": str(place)} for place, name in enumerate(NAMES)])
        yield opened


def test_a_text_is_found_in_either_case_of_ascii_letters_and_no_character_is_a_wildcard(connection: Connection) -> None:
    """NUL, which PostgreSQL cannot hold and at which SQLite would end the text, is the character that replaces it."""
    for part, found in [
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
    ]:
        condition = contains(connection, settings.c.name, part)
        names = connection.execute(select(settings.c.name).where(condition).order_by(settings.c.value)).scalars().all()

        assert [name for name in names if name in NAMES] == found, part


class Process:
    """What a process has of the database."""

    def __init__(self, url: str) -> None:
        self.engine: Engine = open_database(url)
        self.leadership = LeaderElection(self.engine, {})
        self.leadership.start(lambda: None)
        self.database = Database(self.engine, self.leadership)

    def write(self, name: str) -> None:
        with self.database.writing_as_leader() as connection:
            connection.execute(settings.insert().values(name=name, value=""))

    def close(self) -> None:
        self.leadership.close()
        self.engine.dispose()


def test_all_statements_of_a_block_that_reads_see_one_state(engine: Engine) -> None:
    """So a list and its total are about the same entries, whatever is created meanwhile."""
    database, number = Database(engine), select(func.count()).select_from(settings)
    with database.reading() as connection:
        before = connection.execute(number).scalar_one()
        with database.writing() as writer:
            writer.execute(insert(settings).values(name="meanwhile", value=""))
        after = connection.execute(number).scalar_one()

    with database.reading() as connection:
        assert (after, connection.execute(number).scalar_one()) == (before, before + 1)


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


def test_only_the_leader_writes_what_only_the_leader_may(processes: Callable[[], Process]) -> None:
    """One that lost its session without knowing it writes nothing: another one has begun an epoch of its own."""
    first, second = processes(), processes()
    first.write("first")

    with pytest.raises(LeadershipLost):
        second.write("second")

    with first.database.reading() as connection:
        found = set(connection.execute(select(settings.c.name)).scalars())
    assert "first" in found
    assert "second" not in found

    lost = first.leadership.epoch
    with first.engine.begin() as connection:
        held = "locktype = 'advisory' AND CAST(objid AS bigint) = :low"
        end = text(f"SELECT pg_terminate_backend(pid) FROM pg_locks WHERE {held}")
        connection.execute(end, {"low": LEADER_KEY & 0xFFFFFFFF})
    eventually(lambda: first.leadership.epoch != lost and (first.leadership.epoch or second.leadership.epoch))
    first.leadership.epoch = lost  # as if it had not noticed

    with pytest.raises(LeadershipLost):
        first.write("late")


def test_writers_of_several_processes_wait_for_each_other(processes: Callable[[], Process]) -> None:
    """What a transaction reads stays true until its end: so a quota of one is kept, whoever asks."""
    barrier, begun = threading.Barrier(2), []
    database = "(SELECT oid FROM pg_database WHERE datname = current_database())"
    waiters = text(f"SELECT count(*) FROM pg_locks WHERE NOT granted AND database = {database}")

    def add(process: Process) -> None:
        barrier.wait(300)
        with process.database.writing() as connection:
            count = connection.execute(select(func.count()).select_from(settings)).scalar_one()
            begun.append(process)
            if len(begun) == 1:
                eventually(lambda: connection.execute(waiters).scalar_one(), within=30)
            connection.execute(settings.insert().values(name=f"number {count}", value=""))

    with ThreadPoolExecutor(2) as pool:
        for written in [pool.submit(add, process) for process in (processes(), processes())]:
            written.result()


def test_another_index_is_another_schema() -> None:
    before = schema_digest()
    added = Index("added_by_a_test", settings.c.value)
    try:
        assert schema_digest() != before
    finally:
        settings.indexes.discard(added)
    assert schema_digest() == before
