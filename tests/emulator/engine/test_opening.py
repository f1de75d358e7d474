"""The database is opened or rejected as a whole."""

from __future__ import annotations

import shutil
import socket
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, select, text
from tests.databases import PASSWORD, PostgresqlServer

from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.opening import open_database, token_key
from modelarts_emulator.engine.tables import settings
from modelarts_emulator.http.errors import EmulatorError


def test_the_key_of_the_tokens_stays_the_same(tmp_path: Path) -> None:
    keys = []
    for _ in range(2):
        engine = open_database(tmp_path / "db")
        keys.append(token_key(engine))
        engine.dispose()

    assert keys[0] == keys[1]
    assert len(keys[0]) == 32


def test_a_file_that_is_not_a_database_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "db").write_bytes(b"something else" * 100)

    with pytest.raises(EmulatorError, match=r"cannot use the database .*not a database.*: move it away, or"):
        open_database(tmp_path / "db")


@pytest.mark.parametrize("name", ["a?b", "a%20b", "a#b", "a b", "?mode=ro", "ä"])
def test_the_database_is_the_file_that_the_path_names(tmp_path: Path, name: str) -> None:
    """Nothing in a path is taken for a part of a URL, so nothing is written beside it."""
    folder = tmp_path / name
    folder.mkdir()

    open_database(folder / "emulator.db").dispose()

    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert [path.name for path in folder.iterdir()] == ["emulator.db"]


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


def test_a_commit_survives_the_end_of_the_process(tmp_path: Path) -> None:
    engine = open_database(tmp_path / "db")
    with engine.connect() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 1
    engine.dispose()


def test_writers_of_one_process_wait_for_each_other(tmp_path: Path) -> None:
    """Even if one of them takes longer than SQLite would let the others wait."""
    engine = open_database(tmp_path / "db")
    event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA busy_timeout = 1"))
    database = Database(engine)
    order: list[str] = []
    is_writing = threading.Event()

    def write_late() -> None:
        is_writing.wait()
        with database.writing() as second:
            second.execute(settings.insert().values(name="second", value=""))
            order.append("second")

    thread = threading.Thread(target=write_late)
    thread.start()
    with database.writing() as first:
        first.execute(settings.insert().values(name="first", value=""))
        is_writing.set()
        thread.join(0.1)
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
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    nobody_there = postgresql_server.url("postgres").replace(str(postgresql_server.port), str(port))

    for url in (wrong_password, nobody_there, postgresql_server.url("missing")):
        remedy = "check that it runs and that --database-url is right; the state is unchanged$"
        with pytest.raises(
            EmulatorError, match=rf"^cannot use the database postgresql\S+:\*\*\*@.*: {remedy}"
        ) as error:
            open_database(url)
        shown = "".join(traceback.format_exception(error.value))
        assert PASSWORD not in shown
        assert "a-wrong-one" not in shown
        assert "\n" not in str(error.value)


def test_a_database_has_one_emulator_at_a_time(
    postgresql_server: PostgresqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modelarts_emulator.engine.postgresql.LOCK_TIMEOUT_S", 0.1)
    url = postgresql_server.new_database()
    engine = open_database(url)

    with pytest.raises(EmulatorError, match="is used by another emulator: stop it, or name another database"):
        open_database(url)

    engine.dispose()
    open_database(url).dispose()


def test_threads_that_connect_at_once_after_an_outage_renew_the_lock_once(postgresql_server: PostgresqlServer) -> None:
    engine = open_database(postgresql_server.new_database())
    try:
        for _ in range(3):
            with engine.connect() as connection:
                connection.execute(
                    text(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    )
                )
                connection.invalidate()
            with ThreadPoolExecutor(6) as pool:
                list(pool.map(lambda _: engine.raw_connection().close(), range(6)))
        with engine.connect() as connection:
            locks = connection.execute(text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")).scalar()
    finally:
        engine.dispose()

    assert locks == 1


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
