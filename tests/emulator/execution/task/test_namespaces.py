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

from modelarts_emulator.execution.protocol import Channel

WRITTEN_PATHS = """
import json, os, pathlib, sys
data = pathlib.Path("/home/ma-user/modelarts/inputs/data_url_0/x.csv").read_text()
pathlib.Path("/cache/scratch").write_text(data)
seen = [data, os.getcwd(), __file__, os.environ["MA_JOB_DIR"], sys.argv[1:], sorted(os.listdir("/cache"))]
pathlib.Path("/home/ma-user/modelarts/outputs/train_url_0/seen.json").write_text(json.dumps(seen))
"""
HOME = "/home/ma-user/modelarts"


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


def test_exit_codes_and_signals_are_reported_as_without_namespaces(isolated: Bench) -> None:
    """The processes in between pass on how the script ended; neither the user nor other files change."""
    for end, code, message in (
        ("exit 7", 7, None),
        ("kill -9 $$", 137, "ended by signal SIGKILL"),
        ("kill -15 $$", 143, "ended by signal SIGTERM"),
        (f"id -u; test -d {isolated.folder} && cd /home/ma-user && pwd", 0, None),
    ):
        report = isolated.run(command=end)
        assert (report.exit_code, report.message) == (code, message), end
    assert f"{os.getuid()}\n/home/ma-user\n" in isolated.log()


def test_a_stopped_task_gets_one_signal_and_time_to_save(isolated: Bench) -> None:
    """Also a child of the script, whose parent ended at once."""
    script = """
import os, signal, sys, time
def save(*_):
    print("asked", flush=True)
    with open(sys.argv[-1].split("=")[1] + "/saved", "a") as stream:
        stream.write("x")
if os.fork() == 0:
    signal.signal(signal.SIGTERM, save)
    print("ready", flush=True)
    while not os.path.exists(os.environ["GATE"]):
        time.sleep(0.01)
    sys.exit(0)
time.sleep(600)
"""
    gate = isolated.folder / "gate"
    isolated.executor = isolated.new_executor(paths="namespace", grace=300)
    outputs = (Channel("out", "/data/out/"),)
    job_id = isolated.start(script, outputs=outputs, environments={"GATE": str(gate)})
    isolated.wait_for_log("ready")
    isolated.executor.cancel(job_id)
    isolated.wait_for_log("asked")
    gate.touch()

    assert isolated.end(job_id).exit_code == 143
    assert (isolated.folder / "objects" / "data" / "out" / "saved").read_bytes() == b"x"


def test_no_process_outlives_its_task_not_even_when_everything_around_it_is_killed(isolated: Bench) -> None:
    """The daemon has left the session and overwritten its environment: only its namespace knows it."""
    bench = isolated
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


REFUSING = """
import sys
from pathlib import Path
from modelarts_emulator.execution.task.namespaces import choose_path_mode, describe
from modelarts_emulator.errors import EmulatorError
print(describe(*choose_path_mode("auto", [Path("/home/ma-user/work/python")])))
Path("/proc/sys/user/max_mnt_namespaces").write_text("0")
print(describe(*choose_path_mode("auto", [Path("/tmp")])))
try:
    choose_path_mode("namespace", [Path("/tmp")])
except EmulatorError as error:
    print(error)
"""


def test_where_namespaces_are_not_possible_paths_are_mapped_unless_they_are_demanded() -> None:
    """All messages have the reason: a program that a task needs would be hidden, or the system forbids them."""
    command = ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-c", REFUSING]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.stderr.startswith("unshare: "):
        pytest.skip(done.stderr)
    reason = "(the task's directories cannot be mounted: the system allows no more namespaces"

    hidden, mapped, rejected = done.stdout.splitlines()
    assert hidden.endswith("(/home/ma-user/work/python would be hidden behind the task's own /home/ma-user)")
    assert mapped.startswith(f"tasks find /home/ma-user below $MA_HOME {reason}")
    assert rejected.startswith(f"tasks cannot have a /home/ma-user of their own here {reason}")
    assert rejected.endswith("): use --paths mapping")


REFUSED = """
import os, sys
from modelarts_emulator.execution.task import namespaces

def refuse(*_):
    raise PermissionError(1, "no overlays here")

namespaces._overlay = refuse
for name in ("root", "changes", "home", "covered"):
    os.mkdir(name)
here = os.getcwd()
mounts = [(f"{here}/home", "/home/ma-user")]
plan = namespaces.Launch(here, mounts, f"{here}/root", [f"{here}/covered"], f"{here}/changes")
os.waitpid(namespaces.start(plan, ["/bin/sh", "-c", "touch covered/x || touch beside"], os.environ, 2), 0)
"""


def test_where_the_system_has_no_overlays_packages_cannot_be_changed_and_the_log_says_what_to_do(
    isolated: Bench, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("refused")
    done = subprocess.run([sys.executable, "-c", REFUSED], cwd=folder, stderr=subprocess.PIPE, text=True, check=True)

    assert f"{folder}/covered is read-only here (no overlays here): name packages in pip-requirements" in done.stderr
    assert (list((folder / "covered").iterdir()), (folder / "beside").exists()) == ([], True)


CARDS = """
set -e
mount -t tmpfs none /proc/driver
for number in 0 1 2 3; do
    mkdir -p /proc/driver/nvidia/gpus/0000:0$number:00.0
    printf 'Model: \\t\\t X\\nGPU UUID: \\t GPU-%s\\nDevice Minor: \\t %s \\n' "$number" "$number" \
        > /proc/driver/nvidia/gpus/0000:0$number:00.0/information
done
sed -i 's/GPU-2/GPU-????????/' /proc/driver/nvidia/gpus/0000:02:00.0/information
mkdir old
mount --rbind /dev old
mount -t tmpfs -o nosuid none /dev
for file in null:null zero:zero urandom:urandom full:nvidia0 full:nvidia1 full:nvidia2 full:nvidiactl; do
    touch /dev/${file#*:}
    mount --bind old/${file%:*} /dev/${file#*:}
done
exec "$0" -c "$1"
"""
OPENING = """
import os
from pathlib import Path
from modelarts_emulator.execution.container import Container
from modelarts_emulator.execution.devices import Device
from modelarts_emulator.execution.protocol import JobSpec
from modelarts_emulator.execution.task.task_process import TaskLog, TaskProcess

TRY = "for file in 0 1 2 ctl; do (: < /dev/nvidia$file) 2>/dev/null && printf $file || printf -- -; done; echo"
card, slice = Device("GPU-1"), Device("MIG-5", index="0.0", card="GPU-0")
given = [None, (), (card,), (slice,), (card, slice)]
for number, devices in enumerate(given):
    folder = Path(str(number)).absolute()
    job = JobSpec("job", "job", devices=None if devices is None else (devices,))
    container = Container(job, 0, folder, has_true_paths=True)
    for mounted in container.mounted:
        container.map(mounted).mkdir(parents=True)
    log = TaskLog(folder / "log")
    process = TaskProcess(container, ["/bin/sh", "-c", TRY], dict(os.environ), "namespace", log)
    os.set_blocking(process.output, True)
    while process.copy_output():
        pass
    print((folder / "log").read_text(), end="")
"""


def test_a_task_can_open_the_device_files_of_its_own_cards_only(tmp_path: Path) -> None:
    """Without cards none; a slice is of a card; a card that cannot be told from its own stays open; one has no file."""
    if os.getuid() != 0:
        pytest.skip("only root can show other device files")
    command = ["unshare", "--mount", "/bin/sh", "-c", CARDS, sys.executable, OPENING]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    if "mount: " in done.stderr or done.stderr.startswith("unshare: "):
        pytest.skip(done.stderr)

    assert done.stderr == ""
    assert done.stdout.splitlines() == ["012ctl", "--2ctl", "-12ctl", "0-2ctl", "012ctl"]
