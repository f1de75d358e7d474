"""The emulator as a whole: started, rejected, stopped, killed and started again."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.emulator.conftest import Api, eventually, serve

from modelarts_emulator.server import Emulator, EmulatorError, Options

ENDLESS = b"import os, time\nprint('pid', os.getpid(), flush=True)\ntime.sleep(1000)"
ENDS_ON_SIGNAL = (
    b"import os, signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(5))\n"
    b"print('pid', os.getpid(), flush=True)\nwhile True:\n    signal.pause()"
)


def pid_of(api: Any, job_id: str) -> int:
    """The process that the job's script printed."""
    return int(api.printed(job_id, "pid")[0])


def test_an_emulator_serves_both_ports_for_the_time_of_a_block(tmp_path: Path, log_in: Any) -> None:
    with Emulator(data_dir=tmp_path / "data") as emulator:
        api = log_in(emulator)
        assert api.http.get("/v3").status_code == 200
        assert api.http.get(emulator.obs_endpoint).status_code == 403
        assert emulator.environment()["MODELARTS_ENDPOINT"] == emulator.endpoint
        ports = [int(url.rpartition(":")[2]) for url in (emulator.endpoint, emulator.obs_endpoint)]

    for port in ports:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), 1)


def test_a_port_in_use_is_rejected_with_the_remedy_and_the_folder_is_free_again(tmp_path: Path) -> None:
    with Emulator(data_dir=tmp_path / "one") as emulator:
        port = int(emulator.endpoint.rpartition(":")[2])
        for ports in ({"port": port}, {"obs_port": port}):
            with pytest.raises(EmulatorError, match=rf"port {port} cannot be used .*--port and --obs-port"):
                Emulator(data_dir=tmp_path / "two", **ports).__enter__()

    with Emulator(data_dir=tmp_path / "two"):
        pass


def test_a_clean_stop_ends_running_jobs_and_keeps_queued_ones(tmp_path: Path) -> None:
    with serve(data_dir=tmp_path, paths="mapping", max_running_jobs=1) as api:
        running, queued = api.run_script(ENDLESS), api.run_script(b"pass")
        pid = pid_of(api, running)

    assert not psutil.pid_exists(pid)
    with serve(data_dir=tmp_path, paths="mapping") as api:
        assert api.phase_of(running) == "Terminated"
        api.wait_for_phase(queued, "Completed")


def test_jobs_that_are_to_be_kept_go_on_without_the_emulator(tmp_path: Path) -> None:
    with serve(data_dir=tmp_path, paths="mapping", keep_jobs=True) as api:
        job_id = api.run_script(ENDLESS)
        pid = pid_of(api, job_id)
        api.wait_for_phase(job_id, "Running")

    assert psutil.pid_exists(pid)
    with serve(data_dir=tmp_path, paths="mapping") as api:
        assert api.phase_of(job_id) == "Running"
        assert pid_of(api, job_id) == pid
    assert not psutil.pid_exists(pid)


def test_a_job_that_ended_while_no_emulator_ran_has_ended_when_it_did(tmp_path: Path, log_in: Any) -> None:
    with serve(data_dir=tmp_path, paths="mapping", keep_jobs=True) as api:
        job_id = api.run_script(ENDS_ON_SIGNAL)
        process = psutil.Process(pid_of(api, job_id))
        controller = process.parent()
        assert controller is not None
    process.terminate()
    controller.wait(300)
    ended_by_ms = time.time() * 1000

    with Emulator(data_dir=tmp_path, paths="mapping") as emulator:
        status = log_in(emulator).wait_for_phase(job_id, "Failed")["status"]

    assert status["task_statuses"][0]["exit_code"] == 5
    assert status["start_time"] + status["duration"] <= ended_by_ms


def test_paths_and_one_allowed_host_may_be_texts(tmp_path: Path) -> None:
    """Of the data folder, seeds and the Pythons of engines, as the documentation writes them."""
    (tmp_path / "seeds" / "objects" / "seeded").mkdir(parents=True)
    (tmp_path / "seeds" / "objects" / "seeded" / "key").write_text("x")
    options: dict[str, Any] = {"seeds": str(tmp_path / "seeds"), "engines": {"*": sys.executable}}

    with Emulator(str(tmp_path / "data"), executor="simulated", **options) as emulator:
        assert emulator.objects.get("obs://seeded/key") == b"x"
    assert tuple(Options(tmp_path, allowed_hosts="modelarts").allowed_hosts) == ("modelarts",)


def test_an_option_or_choice_that_does_not_exist_is_rejected_with_those_that_do() -> None:
    """Also a number of running jobs that would be none at all, or be taken for the default."""
    for options, said in (
        ({"executor": "fake"}, "unknown executor 'fake': use one of process, simulated, slurm"),
        ({"offset_unit": "pages"}, "offset_unit must be page or record, not 'pages'"),
        ({"max_running_jobs": 0}, "max_running_jobs must be at least 1, not 0"),
    ):
        with pytest.raises(EmulatorError, match=f"^{said}"):
            Emulator(**options)
    with pytest.raises(TypeError, match=r"no option 'exec': did you mean 'executor'\?"):
        Emulator(exec="simulated")
    with pytest.raises(TypeError, match=r"no option 'colour': use one of data_dir, .*, seeds, "):
        Emulator(colour="red")


def cancel(emulator: Emulator, name: str) -> None:
    """End a task of the emulator, as an error in it would."""

    def find_and_cancel() -> None:
        for task in asyncio.all_tasks():
            coroutine: Any = task.get_coro()
            if coroutine.__qualname__.endswith(name):
                task.cancel()

    emulator._loop.call_soon_threadsafe(find_and_cancel)
    emulator._thread.join(300)
    assert not emulator._thread.is_alive()


@pytest.mark.parametrize("name", ["Server.serve", "Supervisor.run"])
def test_a_part_of_the_emulator_that_ends_by_itself_ends_the_emulator(name: str) -> None:
    """Its ports would accept calls that get no response, or jobs that nobody starts."""
    emulator = Emulator(executor="simulated").__enter__()

    cancel(emulator, name)

    with pytest.raises(EmulatorError, match=r"the emulator has ended: .*ended by itself"):
        emulator.reset()
    with pytest.raises(EmulatorError, match="ended by itself"):
        emulator.__exit__(None, None, None)


JOBS, DAMAGED = 6, 4
TERMINAL = {"Completed", "Failed", "Terminated", "Abnormal"}
WAITING = """
import os, pathlib, time
deadline = time.monotonic() + 300
while not pathlib.Path(os.environ["GATE"]).exists() and time.monotonic() < deadline:
    time.sleep(0.05)
print("through the gate")
"""


def damage(folder: Path, job_id: str, chance: random.Random, kind: str = "") -> str:
    """Damage one of the job's files, in a way drawn by chance if none is given; say what was done."""
    files = [path for path in sorted(folder.rglob("*")) if job_id in str(path) and path.is_file()]
    path = chance.choice(files)
    content = path.read_bytes()
    contents = {
        "random bytes": chance.randbytes(1 + len(content)),
        "zeros": bytes(len(content)),
        "its beginning": content[: chance.randrange(1 + len(content))],
        "null": b"null\n",
        "a list": b"[]\n",
        "other members": b'{"job": 1, "pid": "x", "ended_at": []}\n',
    }
    kind = kind or chance.choice((*contents, "unreadable", "missing", "a directory"))
    if kind in contents:
        path.write_bytes(contents[kind])
    elif kind == "unreadable":
        path.chmod(0)
    else:
        path.unlink()
        if kind == "a directory":
            (path / "within").mkdir(parents=True)
    return f"{path.relative_to(folder)}: {kind}"


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
        with serve(self.folder / "data", executor=self.executor, keep_jobs=True, max_running_jobs=99) as api:
            yield api

    def submit(self, api: Api) -> str:
        """A job that runs until `end`."""
        if self.executor == "process":
            return api.run_script(WAITING.encode(), environments={"GATE": str(self.gate)})
        return api.submit({"emulator/log": "through the gate", "emulator/duration": "100"})

    def end(self, api: Api) -> None:
        """Let all jobs end."""
        self.gate.touch()
        if self.executor == "simulated":
            api.emulator.clock.advance(200)


@pytest.mark.parametrize("executor", ["simulated", "process"])
@pytest.mark.parametrize("rounds", [1, pytest.param(25, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])])
def test_a_damaged_file_hinders_no_other_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executor: str, rounds: int
) -> None:
    """The others complete with their logs; the job itself ends, and can be deleted."""
    monkeypatch.setattr("modelarts_emulator.engine.worker.GIVE_UP_S", 2)  # instead of a minute
    for number in range(rounds):
        life = Life(tmp_path / str(number), executor)
        life.folder.mkdir()
        check_round(life, random.Random(f"{number} {executor}"))
        shutil.rmtree(life.folder)


def check_round(life: Life, chance: random.Random) -> None:
    with life.serve() as api:
        jobs = [life.submit(api) for _ in range(JOBS)]
        for job in jobs:
            api.wait_for_phase(job, "Running")
    # The journal of a simulated job that is a directory cannot be read, nor written anew.
    kinds = ["a directory", *[""] * (DAMAGED - 1)]
    done = {job: damage(life.folder / "data/jobs", job, chance, kind) for job, kind in zip(jobs, kinds, strict=False)}
    with life.serve() as api:
        jobs.append(life.submit(api))
        api.wait_for_phase(jobs[-1], "Running")
        life.end(api)
        for job in jobs[DAMAGED:]:
            assert api.wait_for_phase(job, *TERMINAL)["status"]["phase"] == "Completed", done
            log = api.call("GET", f"/training-jobs/{job}/tasks/worker-0/logs/preview").json()
            assert "through the gate" in log["content"], done
        eventually(lambda: all(api.phase_of(job) in TERMINAL for job in done))
        if life.executor == "simulated":
            assert api.phase_of(jobs[0]) == "Abnormal", done  # it was given up
        for job in jobs:
            assert api.call("DELETE", f"/training-jobs/{job}").status_code == 202, done
        eventually(lambda: not remains(life.folder / "data/jobs", jobs))
