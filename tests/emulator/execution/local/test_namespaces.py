"""Tasks that see `/home/ma-user` and `/cache` as the documents say."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.emulator.execution.conftest import Bench, is_gone, wait_for

from modelarts_emulator.execution.local.namespaces import PathMode, choose_path_mode, describe, find_path_mode
from modelarts_emulator.execution.protocol import Channel
from modelarts_emulator.http.errors import EmulatorError
from modelarts_emulator.testing.executor_suite import reports_of

WRITTEN_PATHS = """
import json, os, pathlib, sys
data = pathlib.Path("/home/ma-user/modelarts/inputs/data_url_0/x.csv").read_text()
pathlib.Path("/cache/scratch").write_text(data)
seen = [data, os.getcwd(), __file__, os.environ["MA_JOB_DIR"], sys.argv[1:], sorted(os.listdir("/cache"))]
pathlib.Path("/home/ma-user/modelarts/outputs/train_url_0/seen.json").write_text(json.dumps(seen))
"""
HOME = "/home/ma-user/modelarts"


def _require(mode: PathMode, bench: Bench) -> None:
    """Let tasks have this mode; skip the test where the system forbids it."""
    best, reason = find_path_mode([bench.folder])
    if best == "mapping" or (mode == "namespace" and best != mode):
        pytest.skip(reason)
    bench.executor = bench.new_executor(paths=mode)


@pytest.fixture(params=["namespace", "namespace-without-pids"])
def isolated(request: pytest.FixtureRequest, bench: Bench) -> Bench:
    """A bench whose tasks have mounted directories."""
    _require(request.param, bench)
    return bench


def test_a_script_with_documented_paths_written_into_it_runs(isolated: Bench) -> None:
    """Inputs, outputs, /cache, arguments and variables are all where the documents say."""
    isolated.store.put("data", "in/x.csv", b"1,2")
    report = isolated.run(
        WRITTEN_PATHS,
        inputs=(Channel("data_url", "/data/in/"),),
        outputs=(Channel("train_url", "/data/out/"),),
        parameters=(("path", "/home/ma-user/x"),),
    )

    assert (report.exit_code, report.message) == (0, None), isolated.log()
    text = (isolated.folder / "objects" / "data" / "out" / "seen.json").read_text()
    assert text == (
        f'["1,2", "{HOME}/user-job-dir/code", "{HOME}/user-job-dir/code/train.py", "{HOME}/user-job-dir",'
        f' ["--path=/home/ma-user/x", "--data_url={HOME}/inputs/data_url_0", "--train_url={HOME}/outputs/train_url_0"],'
        ' ["scratch"]]'
    )
    assert not Path("/cache/scratch").exists()


def test_a_command_sees_the_same_and_keeps_its_user(isolated: Bench) -> None:
    """Neither the user nor the network changes, and other files are where they were."""
    command = f"id -u; test -d {isolated.folder} && cd /home/ma-user && pwd"
    assert isolated.run(command=command).exit_code == 0
    assert f"{os.getuid()}\n/home/ma-user\n" in isolated.log()


@pytest.mark.parametrize(("end", "code", "message"), [
    ("exit 7", 7, None),
    ("kill -9 $$", 137, "ended by signal SIGKILL"),
    ("kill -15 $$", 143, "ended by signal SIGTERM"),
    ("kill -36 $$", 164, "ended by signal SIGRTMIN+2"),
])  # fmt: skip
def test_exit_codes_and_signals_are_reported_as_without_namespaces(
    isolated: Bench, end: str, code: int, message: str | None
) -> None:
    """The processes in between pass on how the script ended."""
    report = isolated.run(command=end)

    assert (report.exit_code, report.message) == (code, message)


def test_a_stopped_task_gets_one_signal_and_time_to_save(isolated: Bench) -> None:
    """Also a child of the script, whose parent ended at once."""
    script = """
import os, signal, sys, time
def save(*_):
    time.sleep(0.1)
    with open(sys.argv[-1].split("=")[1] + "/saved", "a") as stream:
        stream.write("x")
    sys.exit(0)
if os.fork() == 0:
    signal.signal(signal.SIGTERM, save)
    print("ready", flush=True)
    time.sleep(600)
time.sleep(600)
"""
    job_id = isolated.start(script, outputs=(Channel("out", "/data/out/"),))
    isolated.wait_for_log("ready")
    isolated.executor.cancel(job_id)

    assert isolated.end(job_id).exit_code == 143
    assert (isolated.folder / "objects" / "data" / "out" / "saved").read_bytes() == b"x"


def test_a_hung_task_is_stopped(isolated: Bench) -> None:
    """Its processes stand still, and get the signal all the same."""
    job_id = isolated.start("print('ready', flush=True)\nimport time\ntime.sleep(600)")
    isolated.wait_for_log("ready")
    isolated.executor.inject_fault(job_id, "worker-0", "hung")
    wait_for(lambda: reports_of(isolated.executor, job_id)[0].failure == "hung")
    isolated.executor.cancel(job_id)

    assert isolated.end(job_id).exit_code == 143


def test_no_process_outlives_its_task_not_even_when_everything_around_it_is_killed(bench: Bench) -> None:
    """The daemon has left the session and overwritten its environment: only its namespace knows it."""
    _require("namespace", bench)
    daemon = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(12345)"], {})
    os._exit(0)
print("begun", flush=True)
time.sleep(600)
"""
    bench.start(daemon)
    bench.wait_for_log("begun")
    controller = bench.controller()

    def daemons() -> list[psutil.Process]:
        found = []
        for process in psutil.Process(controller.pid).children(recursive=True):
            with suppress(psutil.Error):
                if process.cmdline()[-1:] == ["import time; time.sleep(12345)"]:
                    found.append(process)
        return found

    wait_for(daemons)
    (process,) = daemons()
    os.kill(controller.pid, signal.SIGKILL)

    wait_for(lambda: is_gone(process.pid))


def test_directories_that_would_be_hidden_forbid_it() -> None:
    """What a task needs lies below a directory that it would get for itself."""
    mode, reason = find_path_mode([Path("/home/ma-user/work/python")])

    assert (mode, reason) == (
        "mapping",
        "/home/ma-user/work/python would be hidden behind the task's own /home/ma-user",
    )
    assert describe(mode, reason).endswith(f"$MA_HOME ({reason})")


FORBIDDEN = """
import sys
from pathlib import Path
from modelarts_emulator.execution.local.namespaces import choose_path_mode, describe
from modelarts_emulator.http.errors import EmulatorError
Path("/proc/sys/user/max_mnt_namespaces").write_text("0")
print(describe(*choose_path_mode("auto", [Path("/tmp")])))
try:
    choose_path_mode("namespace", [Path("/tmp")])
except EmulatorError as error:
    print(error)
"""


def test_where_the_system_forbids_namespaces_paths_are_mapped_unless_they_are_demanded() -> None:
    """Both messages have the reason, the second has a remedy."""
    command = ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-c", FORBIDDEN]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.stderr.startswith("unshare: "):
        pytest.skip(done.stderr)
    reason = "(the task's directories cannot be mounted: the system allows no more namespaces"

    mapped, rejected = done.stdout.splitlines()
    assert mapped.startswith(f"tasks find /home/ma-user below $MA_HOME {reason}")
    assert rejected.startswith(f"tasks cannot have a /home/ma-user of their own here {reason}")
    assert rejected.endswith("): use --paths mapping")


def test_a_choice_that_does_not_exist_is_rejected() -> None:
    """The message names those that do."""
    with pytest.raises(EmulatorError, match="paths must be auto, namespace or mapping, not 'bwrap'"):
        choose_path_mode("bwrap", [])  # type: ignore[arg-type]
