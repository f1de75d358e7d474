"""What a task finds when it runs, and what becomes of what it prints and writes."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import venv
from dataclasses import replace
from pathlib import Path

import pytest
from tests.accelerators import NOT_AVAILABLE, Machine, Process, gpus, npus
from tests.emulator.execution.conftest import Bench, is_gone, wait_for
from tests.suites.executor_suite import reports_of

from modelarts_emulator.execution.device_tools import find_devices
from modelarts_emulator.execution.devices import Device
from modelarts_emulator.execution.protocol import Channel
from modelarts_emulator.execution.task.namespaces import PathMode

ASK = "import sys; print('prefix', sys.prefix)"


def test_a_boot_file_gets_what_is_documented(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hyperparameters, then channels with their local directories, in the order of the request; code, data, outputs.

    The emulator's secrets do not reach it. What was delivered no longer fills the disk when the task has ended.
    """
    secrets = ("MODELARTS_SECRET_KEY", "AWS_SECRET_ACCESS_KEY", "OS_PASSWORD", "GITHUB_TOKEN", "HTTPS_PROXY")
    for name in (*secrets, "NVIDIA_API_KEY", "CUDA_TOKEN", "ASCEND_TOKEN", "LC_SECRET"):
        monkeypatch.setenv(name, "a-secret")
    bench.store.put("data", "in/train/x.csv", b"1,2")
    script = """
import json, os, pathlib, sys
values = dict(argument[2:].split("=", 1) for argument in sys.argv[1:])
data = pathlib.Path(values["data_url"], "train/x.csv").read_text()
pathlib.Path(values["train_url"], "deep").mkdir()
pathlib.Path(values["train_url"], "deep", "model.json").write_text(
    json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ), data])
)
"""
    report = bench.run(
        script,
        parameters=(("lr", "0.1"), ("text", "two words")),
        inputs=(Channel("data_url", "/data/in/"),),
        outputs=(Channel("train_url", "obs://data/out/"),),
        environments={"MINE": "yes", "MA_NUM_GPUS": "7"},
        service_environments={"S3_ENDPOINT": "http://here", "MA_NUM_GPUS": "3"},
        log_export_url="/data/log/",
    )
    job_id = bench.jobs[-1]
    arguments, folder, environ, data = json.loads(bench.store.read("data", "out/deep/model.json"))
    root = f"{bench.folder}/jobs/{job_id}/worker-0/home/ma-user"

    assert (report.state, report.exit_code, report.message) == ("ended", 0, None)
    assert report.started_at is not None
    assert report.ended_at is not None
    assert report.started_at <= report.ended_at
    assert arguments == [
        "--lr=0.1",
        "--text=two words",
        f"--data_url={root}/modelarts/inputs/data_url_0",
        f"--train_url={root}/modelarts/outputs/train_url_0",
    ]
    assert data == "1,2"
    assert folder == environ["WORKSPACE"] == f"{root}/modelarts/user-job-dir/code"
    assert environ["MA_JOB_DIR"] == environ["PYTHONPATH"].split(":")[0] == f"{root}/modelarts/user-job-dir"
    assert (environ["MINE"], environ["MA_NUM_GPUS"], environ["S3_ENDPOINT"]) == ("yes", "7", "http://here")
    assert "a-secret" not in environ.values()
    assert environ["MA_CURRENT_INSTANCE_NAME"] == f"modelarts-job-{job_id}-worker-0"
    exported = bench.store.read("data", f"log/modelarts-job-{job_id}-worker-0.log").decode()
    assert "[ModelArts Service Log][INFO]" in exported
    assert exported == bench.log()
    assert not bench.place().container.exists()
    wait_for(lambda: list((bench.folder / "jobs" / job_id).iterdir()) == [])


SURROUNDINGS = """
import json, os, signal, sys
handled = {signal.SIGINT: signal.default_int_handler, signal.SIGPIPE: signal.SIG_IGN, signal.SIGXFSZ: signal.SIG_IGN}
odd = [n.name for n in signal.Signals if signal.getsignal(n) != handled.get(n, signal.SIG_DFL)]
blocked = sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
files = [n for n in range(3, 1024) if os.path.exists(f"/dev/fd/{n}")]
print(json.dumps([odd, blocked, files, oct(os.umask(0)), sys.stdin.read(), os.getsid(0) == os.getpid()]))
"""


@pytest.mark.parametrize("paths", ["mapping", "namespace"])
def test_a_script_begins_as_in_a_container_whatever_the_emulator_was_started_with(
    bench: Bench, paths: PathMode
) -> None:
    """No signal is ignored or blocked, no file is open; nohup, a shell's `&` and a umask leave no trace."""
    bench.use_paths(paths)
    ignored = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR1, signal.SIGTSTP)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in ignored}
    mask, umask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2, signal.SIGALRM}), os.umask(0o077)
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    try:
        report = bench.run(SURROUNDINGS)
    finally:
        os.close(reader)
        os.close(writer)
        os.umask(umask)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in before.items():
            signal.signal(number, handler)

    assert report.exit_code == 0, bench.log()
    assert '[[], [], [], "0o22", "", true]' in bench.log()


FOLDERS = """
import os, pathlib, sys
for argument in sys.argv[1:]:
    name, path = argument[2:].split("=", 1)
    if name.startswith("in"):
        print(name, pathlib.Path(path, "x").read_text())
    else:
        pathlib.Path(path, "made").write_text(name)
print("seen", [argument.split("=", 1)[1] for argument in sys.argv[1:]], os.getcwd())
"""


@pytest.mark.parametrize("paths", ["mapping", "namespace"])
@pytest.mark.parametrize(
    ("inputs", "outputs", "working_dir"),
    [
        (["/data/in"], ["/data/in/deep/out", "/data/out"], "/data"),
        (["/cache"], ["/cache/out", "/home/ma-user/x"], "/"),
        (["/home/ma-user"], ["/home/ma-user/modelarts/user-job-dir/code/out", "/home/work/x"], "/usr"),
        (["/b c/é\n"], ["/b c//.//\t", "/root-only/" + "x" * 255], "/b c"),
        (["/tmp"], ["/opt/ml/model", "/opt/ml"], "/opt/ml"),
    ],
)
def test_channels_lie_where_the_job_asks_for_them(
    bench: Bench, paths: PathMode, inputs: list[str], outputs: list[str], working_dir: str
) -> None:
    """One within another, too, at odd names, and where this machine has other things or none."""
    bench.use_paths(paths)
    bench.store.put("data", "in/x", b"content")
    report = bench.run(
        FOLDERS,
        inputs=tuple(Channel(f"in{number}", "/data/in/", path) for number, path in enumerate(inputs)),
        outputs=tuple(Channel(f"out{number}", f"/data/{number}/", path) for number, path in enumerate(outputs)),
        working_dir=working_dir,
    )

    assert (report.exit_code, report.message) == (0, None), bench.log()
    assert "in0 content" in bench.log()
    assert [bench.store.read("data", f"{number}/made") for number in range(2)] == [b"out0", b"out1"]
    if paths == "namespace" and "/tmp" not in inputs:
        assert f"seen {[os.path.normpath(path) for path in (*inputs, *outputs)]} {working_dir}\n" in bench.log()
    assert not Path("/data/in").exists()


def test_what_is_missing_before_the_start_is_named(bench: Bench) -> None:
    cases: list[tuple[dict[str, object], str]] = [
        ({"code_dir": "/data/none/", "boot_file": "/data/none/train.py"}, "code directory: there is nothing at"),
        ({"boot_file": "/data/other/train.py"}, "not below the code directory"),
        ({"inputs": (Channel("data_url", "/data/missing/"),)}, "input data_url: there is nothing at /data/missing/"),
        ({"working_dir": "/home/ma-user/nowhere"}, "working_dir /home/ma-user/nowhere"),
        ({"parameters": (("name", "null \0 byte"),)}, "null byte"),
        ({"code_dir": None, "boot_file": None}, "neither a command nor a boot file"),
    ]
    for members, message in cases:
        report = bench.run("print(1)", **members)
        assert (report.state, report.exit_code, report.started_at) == ("ended", 1, None), members
        assert message in (report.message or ""), members
        assert message in bench.log(), members
    bench.executor = bench.new_executor(interpreter=lambda _: "/no/such/python")
    assert "/no/such/python" in (bench.run("print(1)").message or "")


def test_a_command_runs_in_a_shell_and_finds_the_documented_paths(bench: Bench) -> None:
    """The service's own example, `cd /home/ma-user/ddp_demo && sh run_ddp.sh`, whose script gets the arguments."""
    script = b"""echo here: $(pwd) $NAME; python -c 'print(6 * 7)'; printf '<%s>' "$@" """
    bench.store.put("data", "ddp_demo/run_ddp.sh", script)
    report = bench.run(
        command="cd /home/ma-user/ddp_demo && sh run_ddp.sh",
        code_dir="/data/ddp_demo/",
        local_code_dir="/home/ma-user/",
        environments={"NAME": "of:/home/ma-user/x"},
        parameters=(("lr", "0.1"), ("note", "it's $HOME")),
        outputs=(Channel("train_url", "/data/out/"),),
    )
    root = bench.folder / "jobs" / bench.jobs[-1] / "worker-0"

    assert report.exit_code == 0
    assert f"here: {root}/home/ma-user/ddp_demo of:{root}/home/ma-user/x\n42\n" in bench.log()
    assert f"<--lr=0.1><--note=it's $HOME><--train_url={root}/home/ma-user/modelarts/outputs/train" in bench.log()


FOREVER = "print('go', flush=True)\nwhile True: pass"


def _machine(folder: Path, monkeypatch: pytest.MonkeyPatch, gpu_count: int = 0, npu_count: int = 0) -> Machine:
    """A machine with GPUs of which the first is half busy and a quarter full, and so on."""
    machine = Machine(folder / "machine", gpus(gpu_count), npus(npu_count, chips=2))
    for index in range(gpu_count):
        machine.set_gpu(index, utilization=50 * (index + 1), used_mib=10240 * (index + 1))
    for index in range(npu_count):
        machine.set_npu(index, utilization=10 * (index + 1), used_mib=16384 * (index + 1))
    monkeypatch.setenv("PATH", machine.path)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return machine


def _measured(bench: Bench, job_id: str, task: str = "worker-0", *names: str) -> dict[str, float]:
    """The averages of the first period but one that has values of these names."""
    found: list[dict[str, float]] = []

    def look() -> bool:
        values = bench.executor.usage(job_id, task) or {}
        rows = [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]
        found[:] = [row for row in rows[1:] if all(row[name] >= 0 for name in names)]
        return bool(found)

    wait_for(look)
    return found[0]


def _of_devices(values: dict[str, float]) -> tuple[float, ...]:
    return tuple(values[name] for name in ("gpuUtil", "gpuMemUsage", "npuUtil", "npuMemUsage"))


def test_metrics_appear_period_by_period(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of GPUs are of the whole machine, where the emulator gives none out and the task's variables show all."""
    _machine(tmp_path, monkeypatch, gpu_count=2)
    job_id = bench.start(FOREVER)
    bench.wait_for_log("go")
    assert bench.executor.usage(job_id, "worker-0") is None
    values = _measured(bench, job_id, "worker-0", "gpuUtil")

    assert list(values) == ["cpuUsage", "memUsage", "npuUtil", "npuMemUsage", "gpuUtil", "gpuMemUsage"]
    assert 0 < values["cpuUsage"] <= 100
    assert 0 < values["memUsage"] < 100
    assert _of_devices(values) == (75.0, 37.5, -1.0, -1.0)


def test_the_metrics_of_a_task_are_those_of_its_own_devices(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Means over all of them; a task without devices has no such values, whatever the machine has."""
    machine = _machine(tmp_path, monkeypatch, gpu_count=2, npu_count=4)
    one, two, *chips = find_devices({"PATH": machine.path})
    job_id = bench.start(FOREVER, node_count=4, devices=((one,), (two, one), tuple(chips[2:]), ()))
    expected = {
        "worker-0": (50.0, 25.0, -1.0, -1.0),
        "worker-1": (75.0, 37.5, -1.0, -1.0),
        "worker-2": (-1.0, -1.0, 35.0, 87.5),
        "worker-3": (-1.0, -1.0, -1.0, -1.0),
    }
    waited = {"worker-0": ["gpuUtil"], "worker-1": ["gpuUtil"], "worker-2": ["npuUtil"], "worker-3": []}
    found = {task: _of_devices(_measured(bench, job_id, task, *names)) for task, names in waited.items()}

    assert found == expected


def test_a_task_that_is_given_no_devices_is_measured_on_those_that_its_variables_show(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Slurm, which gives out the devices itself."""
    machine = _machine(tmp_path, monkeypatch, gpu_count=3, npu_count=2)
    visible = {"CUDA_VISIBLE_DEVICES": "1", "ASCEND_RT_VISIBLE_DEVICES": ""}
    job_id = bench.start(FOREVER, environments=visible)

    assert _of_devices(_measured(bench, job_id, "worker-0", "gpuUtil")) == (100.0, 50.0, -1.0, -1.0)
    wait_for(lambda: {tool for tool, *_ in machine.calls} == {"nvidia-smi", "npu-smi"})


def test_a_value_that_a_tool_does_not_give_is_a_gap(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if only one of the task's devices has none; the other value stays. Of a slice of a GPU nothing is known."""
    machine = _machine(tmp_path, monkeypatch, gpu_count=2)
    machine.set_gpu(1, utilization=NOT_AVAILABLE)
    one, two = find_devices({"PATH": machine.path})
    part = Device("MIG-x", "gpu", "1.0", card=two.id)
    job_id = bench.start(FOREVER, node_count=3, devices=((one, two), (one, part), (part,)))
    wait_for(lambda: len(machine.calls) > 9)  # three of each task
    waited = {"worker-0": ["gpuMemUsage"], "worker-1": [], "worker-2": []}
    found = {task: _of_devices(_measured(bench, job_id, task, *names))[:2] for task, names in waited.items()}

    assert found == {"worker-0": (-1.0, 37.5), "worker-1": (-1.0, -1.0), "worker-2": (-1.0, -1.0)}


def test_a_tool_that_hangs_delays_only_its_own_values(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither other metrics nor the end of a task that is stopped; no process of the tool is left behind."""
    machine = _machine(tmp_path, monkeypatch, gpu_count=1)
    bench.executor = bench.new_executor(grace=60.0)
    machine.hang()
    job_id = bench.start(FOREVER)
    values = _measured(bench, job_id)
    wait_for(lambda: machine.calls)
    tools = [each for each in bench.controller().children() if "nvidia-smi" in " ".join(each.cmdline())]
    began = time.monotonic()
    bench.executor.cancel(job_id)
    bench.end(job_id)

    assert time.monotonic() - began < 6
    assert (values["cpuUsage"] > 0, values["gpuUtil"]) == (True, -1.0)
    assert len(tools) == 1
    wait_for(lambda: is_gone(tools[0].pid))


ALLOCATES = """
import os, pathlib, sys, time
pathlib.Path("TRIED").write_text(str(os.getpid()))
while not pathlib.Path("GATE").exists(): time.sleep(0.01)
sys.exit("out of memory")
"""


def test_a_task_that_fails_on_a_full_device_names_who_had_its_memory(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other tasks by job and task, other programs by name and number, most first, never their arguments."""
    machine = _machine(tmp_path, monkeypatch, gpu_count=2)
    one, two = find_devices({"PATH": machine.path})
    other = bench.spec("print('go', flush=True)\nimport time\ntime.sleep(600)", devices=((),))
    bench.executor.submit(replace(other, name="digits"))
    bench.wait_for_log("go")
    tried, gate = tmp_path / "tried", tmp_path / "gate"
    script = ALLOCATES.replace("TRIED", str(tried)).replace("GATE", str(gate))
    job_id = bench.start(script, devices=((two, one),))
    wait_for(lambda: tried.exists() and tried.read_text())
    processes = [
        Process(int(tried.read_text()), "/opt/bin/python3", 1024),
        Process(os.getpid(), "/usr/bin/python3.11 --token=secret", 2048),
        Process(json.loads(bench.place(other.job_id).process.read_bytes())["process"]["pid"], memory_mib=30720),
        Process(2**22 + 1, "[Not Found]", 512),
        Process(2**22 + 2, "python", NOT_AVAILABLE),
    ]
    machine.set_gpu(0, used_mib=38000, processes=processes)
    wait_for(lambda: "--query-compute-apps" in str(machine.calls))
    machine.set_gpu(0, used_mib=38100)
    count = len(machine.calls)
    wait_for(lambda: len(machine.calls) > count + 3)
    machine.set_gpu(0, used_mib=1000, processes=())
    gate.touch()
    bench.end(job_id)
    (report,) = reports_of(bench.executor, job_id)
    said = [event.message for event in report.events if event.level == "Warning"]

    assert said == [
        "[worker-0] GPU 0 (NVIDIA A100-SXM4-40GB, 40 GB) was almost full: 37.2 GB were in use at most;"
        f" digits/worker-0 had 30.0 GB of it, python3.11 (process {os.getpid()}) 2.0 GB, process {2**22 + 1} 0.5 GB."
    ]
    assert [call[1] for call in machine.calls if "compute-apps" in call[1]] == [
        "--query-compute-apps=gpu_uuid,pid,used_memory,process_name"
    ]


@pytest.mark.parametrize("code", [0, 1])
def test_only_a_failed_task_says_that_its_device_was_full(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """An NPU is named as such."""
    machine = _machine(tmp_path, monkeypatch, npu_count=2)
    _, chip = find_devices({"PATH": machine.path})
    machine.set_npu(1, used_mib=65000)
    gate = tmp_path / "gate"
    script = f"import pathlib, sys, time\nwhile not pathlib.Path({str(gate)!r}).exists(): time.sleep(0.01)\n"
    job_id = bench.start(f"{script}sys.exit({code})", devices=((chip,),))
    _measured(bench, job_id, "worker-0", "npuUtil")
    gate.touch()
    bench.end(job_id)
    (report,) = reports_of(bench.executor, job_id)
    said = [event.message for event in report.events if event.level == "Warning"]

    assert said == ["[worker-0] NPU 1 (Ascend 910B3, 64 GB) was almost full: 63.5 GB were in use at most."][:code]


def test_an_output_is_uploaded_again_only_after_it_has_changed(bench: Bench, tmp_path: Path) -> None:
    """The periodic upload copies what is new, not gigabytes of old checkpoints."""
    script = f"""
import pathlib, sys, time
output = pathlib.Path(sys.argv[-1].split("=")[1])
(output / "old").write_text("1")
while not pathlib.Path({str(tmp_path / "gate")!r}).exists(): time.sleep(0.01)
(output / "new").write_text("2")
"""
    job_id = bench.start(script, outputs=(Channel("train_url", "/data/out/"),))
    wait_for(lambda: bench.store.list("data", "out/").objects)
    wait_for(lambda: bench.store.read("data", "out/old") == b"1")
    bench.store.delete("data", "out/old")
    (tmp_path / "gate").touch()
    bench.end(job_id)

    assert [info.key for info in bench.store.list("data", "out/").objects] == ["out/new"]


def test_what_an_attempt_could_not_deliver_stays_beside_the_next_one_s_directories(bench: Bench) -> None:
    """The attempt has not succeeded, and the log says where its outputs are."""
    script = "import sys\nopen(sys.argv[-1].split('=')[1] + '/x', 'w').write('1')"
    job = bench.spec(script, outputs=(Channel("train_url", "/late/out/"),))
    folder = bench.folder / "jobs" / job.job_id
    bench.executor.submit(job)
    first = bench.end(job.job_id)
    assert str(folder / "worker-0") in bench.log()
    bench.store.create_bucket("late")
    bench.executor.submit(replace(job, attempt=1))
    second = bench.end(job.job_id)

    assert (first.exit_code, second.exit_code) == (1, 0)
    assert "train_url" in (first.message or "")
    assert [path.read_text() for path in (folder / "worker-0.0").rglob("outputs/train_url_0/x")] == ["1"]


def test_a_log_that_cannot_be_exported_is_reported_and_fails_nothing(bench: Bench) -> None:
    report = bench.run("print('done')", log_export_url="/nowhere/log/")
    warnings = [note.message for note in report.events if note.level == "Warning"]

    assert (report.exit_code, len(warnings)) == (0, 1)
    assert warnings[0].startswith("[worker-0] log: cannot export to /nowhere/log/: bucket")
    assert "log: cannot export to /nowhere/log/" in bench.log()


def test_the_log_s_limit_holds_over_all_attempts(bench: Bench) -> None:
    bench.executor = bench.new_executor(log_limit=10_000)
    job = bench.spec("print('x' * 7000)")
    for attempt in range(3):
        bench.executor.submit(replace(job, attempt=attempt))
        bench.end(job.job_id)

    assert bench.log().count("x" * 7000) == 1
    assert bench.log().count("running silently") == 1
    assert len(bench.log()) < 12_000


def test_odd_output_is_kept_and_ends_well(bench: Bench) -> None:
    """Byte for byte; a long line, closed streams, a child that holds the pipe; and the code of a signal."""
    content = bytes(range(256)) * 1000
    bench.run("import sys\nsys.stdout.buffer.write(bytes(range(256)) * 1000)\nsys.stderr.write('no line end')")
    log = bench.executor.log_file(bench.jobs[-1], "worker-0").read_bytes()

    assert content in log
    assert b"no line end\n[ModelArts Service Log]" in log

    for script, code in (
        ("import os\nos.write(1, b'x' * 50_000_000)", 0),
        ("import os\nos.close(1)\nos.close(2)\nimport time\ntime.sleep(0.3)", 0),
        ("import os, sys, time\nif os.fork() == 0:\n    time.sleep(600)\nprint('parent')", 0),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", 139),
    ):
        assert bench.run(script).exit_code == code, script
        assert bench.log().rstrip().endswith(f"worker-0 exit with {code}"), script


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux makes a pipe larger on demand")
def test_everything_that_a_script_wrote_before_it_ended_is_in_the_log(bench: Bench) -> None:
    """A megabyte in the pipe when the script is already gone: more than the controller reads at a time.

    The script holds its controller until it has ended.
    """
    script = """
import fcntl, os, signal
F_SETPIPE_SZ = 1031
fcntl.fcntl(1, F_SETPIPE_SZ, 1 << 20)
controller, script = os.getppid(), os.getpid()
if os.fork() == 0:
    while open(f"/proc/{script}/stat").read().rpartition(")")[2].split()[0] != "Z":
        pass
    os.kill(controller, signal.SIGCONT)
    os._exit(0)
os.kill(controller, signal.SIGSTOP)
os.write(1, b"x" * ((1 << 20) - 5) + b"last\\n")
os._exit(0)
"""
    report = bench.run(script)

    assert report.exit_code == 0
    assert f"{'x' * ((1 << 20) - 5)}last\n" in bench.log()


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """An environment of its own, as an engine would have it."""
    folder = tmp_path / "engine with a space"
    venv.create(folder, with_pip=False, symlinks=True)
    return folder


@pytest.mark.parametrize("name", ["python", "other-name"])
def test_a_command_finds_it_by_both_names_whatever_its_own(bench: Bench, environment: Path, name: str) -> None:
    """A Python that is called otherwise, or lies beside another one, is not mistaken for that."""
    python = environment / "bin/python"
    if name != "python":
        for other in ("python", "python3"):
            (environment / "bin" / other).unlink()
            (environment / "bin" / other).write_text("#!/bin/sh\necho another Python\n")
            (environment / "bin" / other).chmod(0o755)
        python = environment / "bin" / name
        python.symlink_to(Path(sys.executable).resolve())
    bench.executor = bench.new_executor(interpreter=lambda _: str(python))

    command = f'python -c "{ASK}" && python3 -c "{ASK}"'
    assert bench.run(command=command).exit_code == 0, bench.log()
    assert bench.log().count(f"prefix {environment}\n") == 2


def test_an_output_that_is_prefetched_begins_with_what_earlier_attempts_delivered(bench: Bench) -> None:
    """Before the first attempt, too, and on every node; a restored file that nobody changes is not uploaded again."""
    bench.store.put("data", "out/deep/step.txt", b"7")
    script = """
import os, pathlib, sys
values = dict(argument[2:].split("=", 1) for argument in sys.argv[1:])
for name in ("kept", "fresh"):
    print(name, sorted(path.name for path in pathlib.Path(values[name]).rglob("*")))
step = pathlib.Path(values["kept"], "deep", "step.txt")
if os.environ["VC_TASK_INDEX"] == "0":
    step.write_text(str(int(step.read_text()) + 1))
"""
    outputs = (Channel("kept", "/data/out/", prefetch_to_local=True), Channel("fresh", "/data/fresh/"))
    bench.store.put("data", "fresh/old.txt", b"")
    job = bench.spec(script, outputs=outputs, node_count=2)

    for attempt, step in enumerate((b"8", b"9")):
        bench.executor.submit(replace(job, attempt=attempt))
        assert bench.end(job.job_id).exit_code == 0, bench.log()
        assert bench.store.read("data", "out/deep/step.txt") == step, attempt

    for task in ("worker-0", "worker-1"):
        assert bench.log(task=task).count("kept ['deep', 'step.txt']") == 2, task
        assert bench.log(task=task).count("fresh []") == 2, task
