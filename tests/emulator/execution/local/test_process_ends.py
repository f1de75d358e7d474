"""How jobs of the process executor end, wanted or not, and that nothing of them stays behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import psutil
import pytest
from tests.emulator.execution.conftest import Bench, is_gone, wait_for

from modelarts_emulator.execution.local import records
from modelarts_emulator.execution.protocol import Channel, spec_from_json, spec_to_json
from modelarts_emulator.testing.executor_suite import reports_of

FOREVER = "import os, time\nprint('pid', os.getpid(), flush=True)\ntime.sleep(600)\n"
DAEMON = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", '''
import os, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
print("daemon", os.getpid(), flush=True)
time.sleep(600)
'''], stdout=subprocess.PIPE, text=True)
print(child.stdout.readline(), flush=True)
child.wait()
"""


def _number(log: str, word: str) -> int:
    return int(log.split(f"{word} ", 1)[1].split()[0])


def test_a_script_that_never_ends_is_stopped(bench: Bench) -> None:
    job_id = bench.start(FOREVER)
    bench.wait_for_log("pid")
    bench.executor.cancel(job_id)
    report = bench.end(job_id)

    assert (report.exit_code, report.message) == (143, "stopped")
    assert is_gone(_number(bench.log(), "pid"))


def test_a_script_that_ignores_sigterm_is_killed_after_the_grace_time(bench: Bench) -> None:
    job_id = bench.start("import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + FOREVER)
    bench.wait_for_log("pid")
    begin = time.monotonic()
    bench.executor.cancel(job_id)
    report = bench.end(job_id)

    assert (report.exit_code, report.message) == (137, "stopped")
    assert time.monotonic() - begin >= 0.4
    assert is_gone(_number(bench.log(), "pid"))


def test_a_script_that_saves_its_work_when_stopped_has_it_uploaded(bench: Bench) -> None:
    job_id = bench.start_saving(5)
    bench.executor.cancel(job_id)

    assert bench.end(job_id).exit_code == 5
    assert bench.store.read("data", "out/checkpoint") == b"saved"


def test_a_shell_s_child_may_still_save_when_the_shell_is_gone(bench: Bench) -> None:
    """SIGTERM ends the shell at once; its child gets the grace time, too."""
    child = """
import signal, sys, time
signal.signal(15, lambda *_: (time.sleep(0.1), print('saved', flush=True), sys.exit()))
print('ready', flush=True)
time.sleep(600)
"""
    job_id = bench.start(command=f'"{sys.executable}" -c "{child}"; true')
    bench.wait_for_log("ready")
    bench.executor.cancel(job_id)
    bench.end(job_id)

    assert "saved" in bench.log()


def test_a_log_that_cannot_be_exported_is_reported_and_fails_nothing(bench: Bench) -> None:
    report = bench.run("print('done')", log_export_url="/nowhere/log/")
    warnings = [note.message for note in report.events if note.level == "Warning"]

    assert (report.exit_code, len(warnings)) == (0, 1)
    assert warnings[0].startswith("[worker-0] log: cannot export to /nowhere/log/: bucket")
    assert "log: cannot export to /nowhere/log/" in bench.log()


def test_a_daemon_does_not_outlive_its_task(bench: Bench) -> None:
    report = bench.run(DAEMON)

    assert report.exit_code == 0
    assert is_gone(_number(bench.log(), "daemon"))


def test_stopping_reaches_a_daemon_that_left_the_group(bench: Bench) -> None:
    job_id = bench.start(DAEMON + FOREVER)
    bench.wait_for_log("pid")
    bench.executor.cancel(job_id)
    bench.end(job_id)

    assert is_gone(_number(bench.log(), "daemon"))
    assert is_gone(_number(bench.log(), "pid"))


def test_a_script_may_delete_its_own_directories(bench: Bench) -> None:
    report = bench.run(
        "import os, shutil\nshutil.rmtree(os.environ['MA_HOME'])\nprint('gone')",
        outputs=(Channel("train_url", "/data/out/"),),
    )

    assert report.exit_code == 0
    assert "gone" in bench.log()


def test_a_killed_controller_takes_its_processes_with_it_and_the_task_has_ended(bench: Bench) -> None:
    job_id = bench.start(DAEMON + FOREVER)
    bench.wait_for_log("pid")
    bench.controller().kill()
    report = bench.end(job_id)

    assert (report.exit_code, report.failure) == (137, "node_lost")
    assert "ended without a record" in (report.message or "")
    assert is_gone(_number(bench.log(), "pid"))
    assert is_gone(_number(bench.log(), "daemon"))


def test_a_process_that_has_a_dead_controller_s_number_is_another_one(bench: Bench) -> None:
    """A recorded number that now belongs to somebody else (here: to this test) neither runs the task nor is killed."""
    job = bench.spec("print(1)")
    place = bench.place(job.job_id)
    place.folder.mkdir(parents=True)
    place.spec.write_text(json.dumps({"job": spec_to_json(job), "settings": {}}))
    stranger = {"pid": os.getpid(), "start_id": "another-boot:1"}
    place.claim.write_text(json.dumps(stranger))
    place.process.write_text(json.dumps({"started_at": 1.0, "process": stranger}))

    assert reports_of(bench.executor, job.job_id)[0].exit_code == 137
    bench.executor.cancel(job.job_id)
    bench.executor.delete([job.job_id])


def test_a_task_is_started_once_however_often_it_is_asked_for(bench: Bench) -> None:
    """Also by other executors, and after its end, when nobody even starts a controller."""
    job = bench.spec("open(__import__('sys').argv[1][6:] + '/' + str(__import__('os').getpid()), 'w')")
    job = spec_from_json(spec_to_json(job) | {"outputs": [{"name": "out", "obs_url": "/data/out/"}]})
    for _ in range(3):
        bench.executor.submit(job)
        bench.new_executor().submit(job)
    bench.end(job.job_id)
    children = psutil.Process().children()
    bench.new_executor().submit(job)

    assert [child for child in psutil.Process().children() if child not in children] == []
    assert len(bench.store.list("data", "out/").objects) == 1
    assert bench.log().count("is starting") == 1


def test_threads_that_ask_for_a_task_at_once_get_one_controller(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever starts, polls and stops at the same moment: a second controller would run beside the first."""
    spawn, spawned = os.posix_spawn, []

    def spawn_slowly(*arguments: object, **options: object) -> int:
        time.sleep(0.05)  # long enough for every other thread to look at the records meanwhile
        spawned.append(arguments)
        return spawn(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "posix_spawn", spawn_slowly)
    job = bench.spec(FOREVER, node_count=2)
    calls = [lambda: bench.executor.submit(job), lambda: reports_of(bench.executor, job.job_id)] * 4
    with ThreadPoolExecutor(len(calls)) as threads:
        for done in [threads.submit(call) for call in calls]:
            done.result()
    bench.executor.delete([job.job_id])

    assert len(spawned) == 2


def test_a_job_outlives_the_emulator(bench: Bench) -> None:
    """The process that started the job is killed; the next one finds it running, then ended."""
    job = bench.spec("import time\nprint('begun', flush=True)\ntime.sleep(0.7)\nprint('finished')")
    starter = f"""
import json, os, pathlib
from modelarts_emulator.execution.protocol import spec_from_json
from modelarts_emulator.execution.local.executor import ProcessExecutor
from modelarts_emulator.execution.local.recorded_executor import controller_settings
from modelarts_emulator.storage.folder import FolderStore
folder = pathlib.Path({str(bench.folder)!r})
job = spec_from_json(json.loads({json.dumps(spec_to_json(job))!r}))
ProcessExecutor(folder / "jobs", controller_settings(FolderStore(folder / "objects"))).submit(job)
os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", starter], check=False)
    bench.wait_for_log("begun")
    bench.executor.submit(job)
    states = [report.state for report in reports_of(bench.executor, job.job_id)]
    report = bench.end(job.job_id)

    assert (states, report.exit_code) == (["running"], 0)
    assert bench.log().count("begun") == 1
    assert "finished" in bench.log()


def test_removing_a_running_job_leaves_nothing(bench: Bench) -> None:
    job_id = bench.start(DAEMON + FOREVER)
    bench.wait_for_log("pid")
    log = bench.log()
    bench.executor.delete([job_id])

    assert is_gone(_number(log, "pid"))
    assert is_gone(_number(log, "daemon"))
    assert reports_of(bench.executor, job_id) == []
    with pytest.raises(KeyError):
        bench.executor.log_file(job_id, "worker-0")
    wait_for(lambda: not _files(bench.folder / "jobs"))


def test_removing_a_job_that_has_just_been_started_leaves_nothing(bench: Bench) -> None:
    for _ in range(3):
        bench.executor.delete([bench.start("print(1)")])

    wait_for(lambda: not _files(bench.folder / "jobs"))


def _files(folder: Path) -> list[str]:
    """The names of all files below a folder, of which some may be removed meanwhile."""
    return [name for _, _, names in os.walk(folder) for name in names]


def test_a_job_that_is_stopped_before_its_start_never_runs(bench: Bench) -> None:
    job_id = bench.start("print('ran')")
    bench.executor.cancel(job_id)
    report = bench.end(job_id)

    assert report.exit_code == 143
    assert bench.log().count("ran\n") == 0


def test_stopping_interrupts_the_fetching_of_data(bench: Bench) -> None:
    with (bench.store.root / "data" / "huge").open("wb") as stream:
        stream.truncate(200 << 30)
    job_id = bench.start("print('ran')", inputs=(Channel("data_url", "/data/huge"),))
    bench.wait_for_log("fetching")
    bench.executor.cancel(job_id)

    assert bench.end(job_id).message == "stopped before it started"


def test_only_advancing_records_the_end_of_a_task_whose_controller_was_killed(bench: Bench) -> None:
    """A poll reports what the records say; it neither ends nor starts anything."""
    job_id = bench.start(FOREVER)
    bench.wait_for_log("is starting")
    wait_for(lambda: bench.place().process.exists())
    controller = bench.controller()
    controller.kill()
    wait_for(lambda: is_gone(controller.pid))

    for _ in range(3):
        assert [report.state for report in cast(Any, bench.executor.poll([job_id])[job_id])] == ["running"]
    assert not bench.place().exit.exists()
    assert [report.exit_code for report in reports_of(bench.executor, job_id)] == [137]


def test_an_exit_that_is_written_down_while_it_is_looked_for_is_not_damaged(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next look reads it: a job never ends with another exit code than its script's."""
    job_id = bench.start("import sys; sys.exit(2)")
    wait_for(bench.place().exit.exists)
    with monkeypatch.context() as patch:
        patch.setattr(records, "read", lambda path: None)
        too_early = records.read_exit(bench.place())

    assert too_early is None
    assert bench.end(job_id).exit_code == 2
