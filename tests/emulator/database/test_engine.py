"""The database is opened or rejected as a whole."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from sqlalchemy import text

from modelarts_emulator.database.engine import open_database, token_key, transaction
from modelarts_emulator.http.errors import EmulatorError
from modelarts_emulator.jobs.tables import settings


def test_the_key_of_the_tokens_stays_the_same(tmp_path: Path) -> None:
    keys = []
    for _ in range(2):
        engine = open_database(tmp_path / "db")
        keys.append(token_key(engine))
        engine.dispose()

    assert keys[0] == keys[1]
    assert len(keys[0]) == 32


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
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
        connection.execute(text("update alembic_version set version_num = '9999'"))
        connection.commit()
        assert (tmp_path / "db-wal").stat().st_size
        for path in tmp_path.iterdir():
            (tmp_path / "copy").mkdir(exist_ok=True)
            if path.is_file():
                shutil.copy(path, tmp_path / "copy" / path.name)
    engine.dispose()

    with pytest.raises(EmulatorError, match="newer version"):
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
    order: list[str] = []
    with engine.connect() as first, engine.connect() as second:
        second.exec_driver_sql("PRAGMA busy_timeout = 1")
        second.rollback()
        is_writing = threading.Event()

        def write_late() -> None:
            is_writing.wait()
            with transaction(second):
                second.execute(settings.insert().values(name="second", value=""))
                order.append("second")

        thread = threading.Thread(target=write_late)
        thread.start()
        with transaction(first):
            first.execute(settings.insert().values(name="first", value=""))
            is_writing.set()
            thread.join(0.1)
            order.append("first")
        thread.join()
    engine.dispose()

    assert order == ["first", "second"]
