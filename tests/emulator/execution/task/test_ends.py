"""How tasks end, wanted or not: truthfully, and nothing of them stays behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import psutil
import pytest
from tests.emulator.conftest import KnownLock
from tests.emulator.execution.conftest import Bench, fill, is_gone, wait_for
from tests.suites.executor_suite import reports_of

from modelarts_emulator.execution.process import ForkServer
from modelarts_emulator.execution.protocol import Channel, spec_from_json, spec_to_json
from modelarts_emulator.execution.task.records import TaskPlace

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
FORKS = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.write(1, f"pid {os.getpid()}\\n".encode())
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(1, f"pid {os.getpid()}\\n".encode())
            time.sleep(600)
        os._exit(0)
time.sleep(600)
"""
WAITING = """
import os, pathlib, sys, time
for argument in sys.argv[1:]:
    open(argument.split("=")[1] + "/model", "w").write("trained" * 2000)
print("ready", flush=True)
while not pathlib.Path(os.environ["GATE"]).exists():
    time.sleep(0.01)
sys.exit(int(os.environ["CODE"]))
"""


def _pids(log: str) -> list[int]:
    return [int(line.split()[1]) for line in log.splitlines() if line.startswith("pid ")]


def _number(log: str, word: str) -> int:
    return int(log.split(f"{word} ", 1)[1].split()[0])


def _files(folder: Path) -> list[str]:
    """The names of all files below a folder, of which some may be removed meanwhile."""
    return [name for _, _, names in os.walk(folder) for name in names]


def test_a_shell_s_child_may_still_save_when_the_shell_is_gone(bench: Bench) -> None:
    """SIGTERM ends the shell at once; its child gets the grace time, too."""
    child = """
import os, signal, sys, time
shell = f'/proc/{os.getppid()}'
def save(*_):
    while os.path.exists(shell):  # until the controller has taken the shell's exit status
        time.sleep(0.01)
    print('saved', flush=True)
    sys.exit()
signal.signal(15, save)
print('ready', flush=True)
time.sleep(600)
"""
    bench.executor = bench.new_executor(grace=300)
    job_id = bench.start(command=f'"{sys.executable}" -c "{child}"; true')
    bench.wait_for_log("ready")
    bench.executor.cancel(job_id)
    bench.end(job_id)

    assert "saved" in bench.log()


def test_a_killed_controller_takes_its_processes_with_it_and_the_task_has_ended(bench: Bench) -> None:
    """Only advancing records the end: a poll reports what the records say; it neither ends nor starts anything."""
    job_id = bench.start(DAEMON + FOREVER)
    bench.wait_for_log("pid")
    controller = bench.controller()
    controller.kill()
    wait_for(lambda: is_gone(controller.pid))
    polls = [cast(Any, bench.executor.poll([job_id])[job_id]) for _ in range(3)]
    assert [[report.state for report in reports] for reports in polls] == [["running"]] * 3
    assert not bench.place().exit.exists()
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
    start, started, lock, together = ForkServer.start_controller, [], KnownLock(), threading.Barrier(8, timeout=300)

    def start_last(server: ForkServer, place: TaskPlace) -> int:
        started.append(place)
        wait_for(lambda: len(lock.threads) == 8, within=30)  # every other thread waits for this one
        return start(server, place)

    def call(number: int) -> None:
        together.wait()
        if number % 2:
            bench.executor.submit(job)
        else:
            reports_of(bench.executor, job.job_id)

    monkeypatch.setattr(ForkServer, "start_controller", start_last)
    monkeypatch.setattr(bench.executor, "_lock", lock)
    job = bench.spec(FOREVER, node_count=2)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(call, range(8)))
    bench.executor.delete([job.job_id])

    assert len(started) == 2


def test_controllers_have_nothing_in_common_but_the_process_that_forks_them(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has the emulator's variables as they are then and a session of its own; none that has ended is a zombie."""
    for place in ("Asia/Shanghai", "Asia/Tokyo"):
        monkeypatch.setenv("TZ", place)
        bench.run("import os\nprint('in', os.environ['TZ'])")
        assert f"in {place}\n" in bench.log(), place
    bench.start(FOREVER)
    bench.wait_for_log("pid")
    controller = bench.controller()
    server = psutil.Process(controller.ppid())
    wait_for(lambda: all(child == controller or is_gone(child.pid) for child in server.children()))

    assert server.children() == [controller]
    assert os.getsid(controller.pid) == controller.pid


def test_a_killed_fork_server_is_replaced(bench: Bench) -> None:
    """Tasks that it has started go on, and others start."""
    sleeping = bench.start(FOREVER)
    bench.wait_for_log("pid", sleeping)
    server = psutil.Process(bench.controller(sleeping).ppid())
    server.kill()
    server.wait()

    assert bench.run("print(1)").exit_code == 0
    assert [report.state for report in reports_of(bench.executor, sleeping)] == ["running"]


@pytest.mark.parametrize("sent", [b"", b'[["jobs', b'[["jobs", "1", "0", "worker-0"], "/none/log", {}]\n'])
def test_a_fork_server_says_nothing_when_its_emulator_is_killed(sent: bytes) -> None:
    """Before, while and after it gets a task, whose job may be gone by then; nobody waits for its answer."""
    command = [sys.executable, "-m", "modelarts_emulator.execution.task.controller"]
    answers, answer = os.pipe()
    os.close(answers)
    server = subprocess.run(command, input=sent, stdout=answer, stderr=subprocess.PIPE, check=False)
    os.close(answer)

    assert (server.returncode, server.stderr) == (0, b"")


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


def test_a_job_that_is_stopped_before_its_start_never_runs(bench: Bench) -> None:
    """Stopping interrupts the fetching of data."""
    job_id = bench.start("print('ran')")
    bench.executor.cancel(job_id)
    assert bench.end(job_id).exit_code == 143
    assert bench.log().count("ran\n") == 0

    with (bench.store.root / "data" / "huge").open("wb") as stream:
        stream.truncate(200 << 30)
    job_id = bench.start("print('ran')", inputs=(Channel("data_url", "/data/huge"),))
    bench.wait_for_log("fetching")
    bench.executor.cancel(job_id)

    assert bench.end(job_id).message == "stopped before it started"


def test_failures_of_the_machine_kill_all_processes_of_a_task(bench: Bench) -> None:
    """Without a word in the log, as the kernel does; what a lost node had not uploaded is lost."""
    job_id = bench.start(FORKS)
    wait_for(lambda: len(_pids(bench.log())) == 4)
    bench.executor.inject_fault(job_id, "worker-0", "out_of_memory")
    report = bench.end(job_id)

    assert (report.exit_code, report.failure, report.message) == (137, "out_of_memory", "killed, out of memory")
    assert all(is_gone(pid) for pid in _pids(bench.log()))

    bench.executor = bench.new_executor(upload_period=600)
    script = FORKS.replace("time.sleep(600)\n", "open('file', 'w'); time.sleep(600)\n")
    job_id = bench.start(script, outputs=(Channel("train_url", "/data/out"),))
    wait_for(lambda: len(_pids(bench.log())) == 4)
    bench.executor.inject_fault(job_id, "worker-0", "node_lost")

    assert reports_of(bench.executor, job_id)[0].message == (
        "the node of worker-0 was lost; outputs written since the last upload are not in object storage"
    )
    assert all(is_gone(pid) for pid in _pids(bench.log()))
    assert not bench.place(job_id).container.exists()


def test_a_preempted_script_may_save_its_work(bench: Bench) -> None:
    script = """
import signal, sys, time
def save(*_):
    open(sys.argv[-1].split("=")[1] + "/checkpoint", "w").write("saved")
    sys.exit(0)
signal.signal(signal.SIGTERM, save)
print("ready", flush=True)
time.sleep(600)
"""
    job_id = bench.start(script, outputs=(Channel("train_url", "/data/out"),))
    bench.wait_for_log("ready", job_id)
    bench.executor.inject_fault(job_id, "worker-0", "preempted")
    report = bench.end(job_id)

    assert (report.exit_code, report.message, report.failure) == (0, "preempted", "preempted")
    assert bench.store.read("data", "out/checkpoint") == b"saved"


def test_a_node_that_was_lost_while_the_emulator_crashed_is_lost_after_the_restart(bench: Bench) -> None:
    job_id = bench.start(FORKS)
    wait_for(lambda: len(_pids(bench.log())) == 4)
    bench.place(job_id).failure.write_text('{"kind": "node_lost"}')
    bench.executor = bench.new_executor()

    assert reports_of(bench.executor, job_id)[0].failure == "node_lost"
    wait_for(lambda: all(is_gone(pid) for pid in _pids(bench.log())))


def test_a_task_that_was_written_down_and_never_begun_is_begun_after_the_restart(bench: Bench) -> None:
    job_id = bench.spec("print('ran')").job_id
    bench.run("print('another')")
    place, other = bench.place(job_id), bench.place()
    for folder in (place.folder, place.log.parent, place.container.parent):
        folder.mkdir(parents=True)
    spec = json.loads(other.spec.read_bytes()) | {"job": spec_to_json(bench.spec("print('ran')"))}
    place.spec.write_text(json.dumps(spec))

    assert bench.end(job_id).exit_code == 0
    assert bench.log(job_id).count("ran\n") == 1


def test_a_script_that_floods_its_log_fills_neither_disk_nor_memory(bench: Bench) -> None:
    bench.executor = bench.new_executor(log_limit=1_000_000)
    gate = bench.folder / "gate"
    script = f"""
import os
while not os.path.exists({str(gate)!r}):
    os.write(1, (b"x" * 99 + b"\\n") * 1000)
"""
    job_id = bench.start(script)
    bench.wait_for_log("running silently")

    assert bench.controller().memory_info().rss < 100_000_000
    gate.touch()
    assert bench.end(job_id).exit_code == 0
    assert bench.executor.log_file(job_id, "worker-0").stat().st_size < 1_010_000


@pytest.mark.parametrize("target", ["$MA_JOB_DIR", "$MA_HOME/../..", "."])
def test_a_script_that_deletes_what_it_sees_is_reported_and_removed_as_any_other(bench: Bench, target: str) -> None:
    bench.store.put("data", "code/x", b"1")
    job_id = bench.start(
        command=f'echo before; rm -rf "{target}" 2>/dev/null; rm -rf {target}/* $MA_HOME; echo after; exit 4',
        code_dir="/data/code/",
        outputs=(Channel("train_url", "/data/out/"),),
    )
    report = bench.end(job_id)

    assert (report.exit_code, report.failure) == (4, None)
    assert "before\nafter\n" in bench.log()
    assert "Exit code 4" in report.events[-3].message
    again = bench.new_executor()
    assert reports_of(again, job_id) == [report]
    again.delete([job_id])
    assert reports_of(again, job_id) == []


def test_an_attempt_may_not_overtake_the_one_before(bench: Bench) -> None:
    job = bench.spec("import time\ntime.sleep(600)")
    bench.executor.submit(job)

    with pytest.raises(ValueError, match=f"attempt 0 of job {job.job_id} has not ended"):
        bench.executor.submit(replace(job, attempt=1))


@pytest.mark.parametrize(("content", "more"), [("{}", "time.sleep(600)"), ("[" * 100_000, "")])
def test_a_script_that_damages_its_exit_record_has_failed(bench: Bench, content: str, more: str) -> None:
    """Whether it goes on, or ends before its controller notices."""
    script = f"""
import os, pathlib, time
container = pathlib.Path(os.environ["MA_HOME"]).parents[1]
job = container.parent
(job.parent / ".records" / job.name / "0" / container.name / "exit.json").write_text({content!r})
{more}
"""
    report = bench.run(script)

    assert (report.exit_code, report.message) == (1, "the task's exit record was altered or damaged")


def test_a_stopped_controller_ends_its_task_when_the_job_is_stopped(bench: Bench) -> None:
    """A script that sends SIGSTOP to its controller keeps it from working, but not the user from stopping the job."""
    recorded = bench.folder / "recorded"  # before, the controller has still to write its record
    script = f"import os, signal, time\nwhile not os.path.exists({str(recorded)!r}): time.sleep(0.01)\n"
    job_id = bench.start(script + "os.kill(os.getppid(), signal.SIGSTOP)\n" + FOREVER)
    wait_for(lambda: bench.place().process.exists())
    recorded.touch()
    wait_for(lambda: bench.controller().status() == psutil.STATUS_STOPPED)
    bench.executor.cancel(job_id)

    assert bench.end(job_id).exit_code == 143


FAILING_CONTROLLER = """
import sys, time
from pathlib import Path
from modelarts_emulator.execution.task import controller, records
family, write = Path(sys.argv.pop()), records.write
def fail_late(path, value):
    while path.name == "process.json":
        if family.exists() and family.read_text().count("\\n") == 4:
            raise OSError("no place for it")
        time.sleep(0.01)
    write(path, value)
records.write = fail_late
controller.main(sys.argv[1:])
"""


def test_an_error_after_the_start_leaves_no_process(bench: Bench) -> None:
    """Here: the start cannot be recorded. The script, its child, and the child that left its session are ended."""
    family = bench.folder / "family"
    script = f"""
import os, time
for _ in range(2):
    os.fork()
    os.setsid() if os.getpid() != os.getsid(0) else None
with open({str(family)!r}, "a") as pids:
    pids.write(f"{{os.getpid()}}\\n")
time.sleep(600)
"""
    job = bench.spec(script)
    with bench.executor._lock:
        bench.executor._begin_attempt(job)
    task = [str(bench.folder / "jobs"), job.job_id, "0", "worker-0", str(family)]
    subprocess.run([sys.executable, "-c", FAILING_CONTROLLER, *task], check=True)
    report = bench.end(job.job_id)

    assert (report.exit_code, report.started_at is None, report.message) == (1, False, "no place for it")
    assert [is_gone(int(pid)) for pid in family.read_text().split()] == [True] * 4


def _start(bench: Bench, gate: Path, code: int = 0, **members: Any) -> psutil.Process:
    """Start a job that has written its outputs and ends with the code as soon as there is a gate; its controller."""
    job_id = bench.start(WAITING, environments={"GATE": str(gate), "CODE": str(code)}, **members)
    bench.wait_for_log("ready", job_id)
    return bench.controller()


@pytest.mark.parametrize("code", [0, 5])
def test_the_end_of_a_task_is_recorded_although_the_disk_is_full(
    bench_on_small_disk: Bench, tmp_path: Path, code: int
) -> None:
    """Its controller has kept room for the record, so a training that succeeded is not repeated."""
    bench = bench_on_small_disk
    controller = _start(bench, tmp_path / "gate", code)
    filler = fill(bench.folder)
    (tmp_path / "gate").touch()
    wait_for(lambda: is_gone(controller.pid))
    filler.unlink()
    report = bench.end(bench.jobs[-1])

    assert (report.exit_code, report.failure) == (code, None)


def test_a_job_can_be_stopped_while_the_disk_is_full(bench_on_small_disk: Bench, tmp_path: Path) -> None:
    """Its processes end at once, although the wish to stop it cannot be written down."""
    bench = bench_on_small_disk
    controller = _start(bench, tmp_path / "gate", outputs=(Channel("train_url", "/data/out/"),))
    filler = fill(bench.folder)
    (script,) = controller.children()
    with suppress(OSError):
        bench.executor.cancel(bench.jobs[-1])
    wait_for(lambda: is_gone(script.pid))
    filler.unlink()

    assert bench.end(bench.jobs[-1]).exit_code in (143, 137)
