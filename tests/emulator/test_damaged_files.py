"""Files of a job are damaged while no emulator runs: no other job notices, whoever runs them."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.emulator.conftest import Api, eventually

from modelarts_emulator.server import Emulator

JOBS, DAMAGED = 6, 4
TERMINAL = {"Completed", "Failed", "Terminated", "Abnormal"}
WAITING = """
import os, pathlib, time
deadline = time.monotonic() + 300
while not pathlib.Path(os.environ["GATE"]).exists() and time.monotonic() < deadline:
    time.sleep(0.05)
print("through the gate")
"""


def make_directory(path: Path, _: random.Random) -> None:
    path.unlink()
    path.mkdir()
    (path / "within").write_text("x")


def make_garbage(path: Path, chance: random.Random) -> None:
    path.write_bytes(chance.randbytes(1 + path.stat().st_size))


def make_other_json(path: Path, chance: random.Random) -> None:
    path.write_text(
        chance.choice(["null\n", "[]\n", '{"kind": "started"}\n', '{"job": 1, "pid": "x", "ended_at": []}\n'])
    )


def truncate(path: Path, chance: random.Random) -> None:
    path.write_bytes(path.read_bytes()[: chance.randrange(1 + path.stat().st_size)])


def zero(path: Path, _: random.Random) -> None:
    path.write_bytes(bytes(path.stat().st_size))


KINDS: tuple[Callable[[Path, random.Random], object], ...] = (
    make_directory,
    make_garbage,
    make_other_json,
    truncate,
    zero,
    lambda path, _: path.chmod(0),
    lambda path, _: path.unlink(),
)


def damage(folder: Path, job_id: str, chance: random.Random) -> str:
    """Damage one of the job's files; say what was done."""
    files = [path for path in sorted(folder.rglob("*")) if job_id in str(path) and path.is_file()]
    path, kind = chance.choice(files), chance.choice(KINDS)
    kind(path, chance)
    return f"{kind.__name__} {path.relative_to(folder)}"


def remains(folder: Path, job_ids: list[str]) -> bool:
    """Whether there are files of deleted jobs."""
    names = [name for _, folders, files in os.walk(folder) for name in (*folders, *files)]
    return any(job_id in name for job_id in job_ids for name in names)


class Life:
    """Emulators of one data folder, one after the other."""

    def __init__(self, folder: Path, executor: str) -> None:
        self.folder, self.executor, self.gate = folder, executor, folder / "gate"

    @contextmanager
    def serve(self) -> Iterator[Api]:
        with Emulator(self.folder / "data", executor=self.executor, keep_jobs=True, max_running_jobs=99) as emulator:
            api = Api(emulator)
            yield api
            api.close()

    def submit(self, api: Api) -> str:
        """A job that runs until `end`."""
        if self.executor == "process":
            return api.run_script(WAITING.encode(), environments={"GATE": str(self.gate)})
        body = api.job_body()
        body["metadata"]["annotations"] = {"emulator/log": "through the gate", "emulator/duration": "100"}
        return str(api.create_job(body)["metadata"]["id"])

    def end(self, api: Api) -> None:
        """Let all jobs end."""
        self.gate.touch()
        if self.executor == "simulated":
            api.emulator.clock.advance(200)


@pytest.mark.parametrize("executor", ["simulated", "process"])
@pytest.mark.parametrize("rounds", [1, pytest.param(25, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])])
def test_a_damaged_file_hinders_no_other_job(tmp_path: Path, executor: str, rounds: int) -> None:
    """The others complete with their logs; the job itself ends, and can be deleted."""
    for number in range(rounds):
        life = Life(tmp_path / str(number), executor)
        life.folder.mkdir()
        check_round(life, random.Random(f"{executor} {number}"))
        shutil.rmtree(life.folder)


def check_round(life: Life, chance: random.Random) -> None:
    with life.serve() as api:
        jobs = [life.submit(api) for _ in range(JOBS)]
        for job in jobs:
            api.wait_for_phase(job, "Running")
    done = {job: damage(life.folder / "data/jobs", job, chance) for job in jobs[:DAMAGED]}
    with life.serve() as api:
        jobs.append(life.submit(api))
        api.wait_for_phase(jobs[-1], "Running")
        life.end(api)
        for job in jobs[DAMAGED:]:
            assert api.wait_for_phase(job, *TERMINAL)["status"]["phase"] == "Completed", done
            log = api.call("GET", f"/training-jobs/{job}/tasks/worker-0/logs/preview").json()
            assert "through the gate" in log["content"], done
        eventually(lambda: all(api.phase_of(job) in TERMINAL for job in done))
        for job in jobs:
            assert api.call("DELETE", f"/training-jobs/{job}").status_code == 202, done
        eventually(lambda: not remains(life.folder / "data/jobs", jobs))
