"""Snapshots: what an emulator keeps, in one file, by the command `modelarts emulator snapshot`."""

from __future__ import annotations

import json
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result

from modelarts_emulator.cli.emulator import emulator
from modelarts_emulator.server import Emulator
from modelarts_toolkit import JobRequest, ModelArts

SCRIPT = """\
import argparse, pathlib
parser = argparse.ArgumentParser()
parser.add_argument("--train_url")
pathlib.Path(parser.parse_args().train_url, "model.bin").write_text("weights")
print("loss: 0.5")
"""
BODY: JobRequest = {
    "kind": "job",
    "metadata": {"name": "digits"},
    "algorithm": {
        "code_dir": "obs://work/code/",
        "boot_file": "obs://work/code/train.py",
        "engine": {"engine_id": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"},
        "outputs": [{"name": "train_url", "remote": {"obs": {"obs_url": "obs://work/out/"}}}],
    },
    "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
}


def snapshot(action: str, file: Path, folder: Path, *options: str) -> Result:
    return CliRunner().invoke(emulator, [*options, "snapshot", action, str(file), "--data-dir", str(folder)])


def client(server: Emulator, monkeypatch: pytest.MonkeyPatch) -> ModelArts:
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    return ModelArts()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """The snapshot of an emulator with one object."""
    with Emulator(tmp_path / "old", executor="simulated") as server:
        server.objects.put("obs://work/code/train.py", SCRIPT)
    done = snapshot("save", tmp_path / "saved", tmp_path / "old")
    assert done.exit_code == 0, done.output
    return tmp_path / "saved"


def test_jobs_logs_outputs_and_users_are_there_after_a_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same credentials are valid, and objects of any name are as before."""
    with Emulator(tmp_path / "old", paths="mapping") as server, client(server, monkeypatch) as ma:
        server.objects.put("obs://work/code/train.py", SCRIPT)
        job = ma.jobs.submit(BODY).wait()
        for name in ("state.db", "state.db-wal", "a.lock", "b/"):
            server.objects.put(f"obs://work/odd/{name}", "" if name == "b/" else "content")
        before = ma.obs.list("obs://work/")
        password = server.identity.password

    done = snapshot("save", tmp_path / "saved", tmp_path / "old")
    loaded = snapshot("load", tmp_path / "saved", tmp_path / "new")

    assert (done.exit_code, loaded.exit_code) == (0, 0), done.output + loaded.output
    assert "holds the passwords and keys" in done.stderr
    assert (tmp_path / "saved").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "new" / "credentials.toml").stat().st_mode & 0o777 == 0o600
    with Emulator(tmp_path / "new") as server, client(server, monkeypatch) as ma:
        assert server.identity.password == password
        assert ma.jobs.get("digits").id == job.id
        assert "loss: 0.5" in [*ma.jobs.logs("digits")]
        assert ma.obs.list("obs://work/") == before
        assert server.objects.get("obs://work/odd/state.db-wal") == b"content"


def test_a_simulated_job_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Emulator(tmp_path / "old", executor="simulated") as server, client(server, monkeypatch) as ma:
        server.clock.freeze()
        server.objects.put("obs://work/code/train.py", "")
        server.plans.add(job="*", duration=3600, log=["@0 begun", "@3000 nearly"])
        ma.jobs.submit(BODY)
        server.clock.advance(60)
        now = server.clock.now

    assert snapshot("save", tmp_path / "saved", tmp_path / "old").exit_code == 0
    assert snapshot("load", tmp_path / "saved", tmp_path / "new").exit_code == 0

    with Emulator(tmp_path / "new", executor="simulated") as server, client(server, monkeypatch) as ma:
        assert (ma.jobs.get("digits").phase, server.clock.now) == ("Running", now)
        server.clock.advance(3600)
        assert ma.jobs.get("digits").phase == "Completed"
        assert "nearly" in [*ma.jobs.logs("digits")]


def test_a_running_emulator_and_one_without_state_are_not_saved(tmp_path: Path, saved: Path) -> None:
    file = tmp_path / "other"
    with Emulator(tmp_path / "old", executor="simulated"):
        assert "is already served by" in snapshot("save", file, tmp_path / "old").stderr
    assert "not the data folder of an emulator" in snapshot("save", file, tmp_path / "nowhere").stderr
    url = "--database-url=postgresql://me@127.0.0.1/none"
    assert "save it with pg_dump" in snapshot("save", file, tmp_path / "old", url).stderr
    assert "already exists" in snapshot("save", saved, tmp_path / "old").stderr
    assert "does not exist" in snapshot("save", tmp_path / "no" / "file", tmp_path / "old").stderr
    assert not file.exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_jobs_whose_processes_may_still_run_are_not_saved(tmp_path: Path) -> None:
    """As after the emulator was killed."""
    with Emulator(tmp_path / "old", executor="process"):
        pass
    with closing(sqlite3.connect(tmp_path / "old" / "emulator.db")) as connection, connection:
        columns = [row for row in connection.execute("PRAGMA table_info(runs)") if row[3] or row[5]]
        values = {row[1]: "Running" if row[1] == "phase" else 1 for row in columns} | {"phase": "Running"}
        names = ", ".join(values)
        marks = ", ".join("?" * len(values))
        connection.execute(f"INSERT INTO runs ({names}) VALUES ({marks})", [*values.values()])

    done = snapshot("save", tmp_path / "saved", tmp_path / "old")

    assert "1 of the jobs in" in done.stderr
    assert "have not ended" in done.stderr


def test_a_folder_with_anything_in_it_is_not_changed(tmp_path: Path, saved: Path) -> None:
    (tmp_path / "new").mkdir()
    assert snapshot("load", saved, tmp_path / "new").exit_code == 0, "an empty folder will do"
    before = sorted(path.name for path in (tmp_path / "new").iterdir())

    done = snapshot("load", saved, tmp_path / "new")

    assert (done.exit_code, "is not empty" in done.stderr) == (1, True)
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == before


def forged(source: Path, target: Path, change: Callable[[tarfile.TarInfo, bytes], list[tuple[Any, bytes]]]) -> Path:
    """A snapshot whose members a function has replaced."""
    with tarfile.open(source) as old, tarfile.open(target, "w:gz") as new:
        for member in old:
            content = old.extractfile(member)
            for each, data in change(member, content.read() if content else b""):
                each.size = len(data)
                new.addfile(each, BytesIO(data))
    return target


def member_of(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, link
    return made


HOSTILE = [
    *(member_of("../outside"), member_of("objects/../../outside"), member_of("/tmp/outside")),
    *(member_of("emulator.lock"), member_of("emulator.db"), member_of("objects")),
    member_of("objects/work/link", tarfile.SYMTYPE, "/etc"),
    member_of("objects/work/link", tarfile.LNKTYPE, "../../outside"),
    member_of("objects/work/pipe", tarfile.FIFOTYPE),
]


def test_a_file_with_foreign_members_changes_nothing(tmp_path: Path, saved: Path) -> None:
    """Links, devices, paths that leave the folder, and files that no data folder has."""
    for hostile in HOSTILE:

        def add(old: tarfile.TarInfo, data: bytes, extra: tarfile.TarInfo = hostile) -> list[tuple[Any, bytes]]:
            return [(old, data), *([(extra, b"")] if old.name == "objects" else [])]

        file = forged(saved, tmp_path / "forged", add)
        before = sorted(path.name for path in tmp_path.iterdir())

        done = snapshot("load", file, tmp_path / "new")

        assert (done.exit_code, "is not a snapshot of an emulator" in done.stderr) == (1, True), hostile.name
        assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_truncated_or_foreign_file_changes_nothing(tmp_path: Path, saved: Path) -> None:
    content = saved.read_bytes()
    broken = content[:-200] + bytes(100) + content[-100:]
    for data in (b"", b"hello", content[:-100], content[: len(content) // 2], broken):
        (tmp_path / "file").write_bytes(data)
        done = snapshot("load", tmp_path / "file", tmp_path / "new")
        assert (done.exit_code, "is not a snapshot of an emulator" in done.stderr) == (1, True), done.output
    assert not (tmp_path / "new").exists()


def test_another_version_is_named(tmp_path: Path, saved: Path) -> None:
    def change(member: tarfile.TarInfo, data: bytes) -> list[tuple[Any, bytes]]:
        is_header = member.name == "snapshot.json"
        return [(member, json.dumps({**json.loads(data), "schema": "old"}).encode() if is_header else data)]

    done = snapshot("load", forged(saved, tmp_path / "forged", change), tmp_path / "new")

    assert "was saved by another version of the emulator" in done.stderr
    assert not (tmp_path / "new").exists()


def test_a_loaded_emulator_does_not_take_the_place_of_the_old_one(tmp_path: Path, saved: Path) -> None:
    """Both serve at the same time, each its own folder."""
    assert snapshot("load", saved, tmp_path / "new").exit_code == 0

    with (
        Emulator(tmp_path / "old", executor="simulated") as old,
        Emulator(tmp_path / "new", executor="simulated") as new,
    ):
        old.reset()
        assert new.objects.get("obs://work/code/train.py") == SCRIPT.encode()
        assert httpx.get(f"{old.endpoint}/_emulator/health").is_success
