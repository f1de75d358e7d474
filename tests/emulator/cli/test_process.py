"""`modelarts emulator` as a process: its output, its signals, and what outlives it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
import tomllib
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import psutil
import pytest
from click.testing import CliRunner, Result
from tests.emulator.conftest import eventually
from tests.local_servers import free_ports

from modelarts_emulator.server import Emulator, EmulatorError, Options, serve
from modelarts_toolkit.cli.commands import modelarts

MODELARTS = str(Path(sys.executable).with_name("modelarts"))
READY = re.compile(
    r"ModelArts emulator ready: (http://127\.0\.0\.1:\d+) \(objects (http://127\.0\.0\.1:\d+)\),"
    r" project (?:eu-de 6a0c2f4e8b1d4c3f9e5a7b2d1c8f0e34|project-anna a{32}), data in (.+?)(?:; tasks .+)?\n"
)
Start = Callable[..., tuple[Any, str]]
ENDLESS = b"""
import os, signal, time
signal.signal(signal.SIGTERM, lambda *_: print("asked to end", flush=True))
print("pid", os.getpid(), flush=True)
time.sleep(1000)
"""


def test_a_lack_of_file_descriptors_is_said_once_a_minute(start: Start) -> None:
    """Not with a traceback for each of the connections that wait; afterwards requests are served again."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
    try:
        process, url = start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    address = ("127.0.0.1", int(url.rpartition(":")[2]))
    with contextlib.ExitStack() as stack:
        for _ in range(150):
            stack.enter_context(socket.create_connection(address))
        time.sleep(2.5)
    assert httpx.get(f"{url}/v3", timeout=300).status_code == 200
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=300)

    assert errors.count("no connection can be accepted") == 1
    assert "Traceback" not in errors


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts `modelarts emulator`; returns the process and its URL."""
    started: list[subprocess.Popen[str]] = []

    def run(*options: str) -> tuple[Any, str]:
        arguments = [MODELARTS, "emulator", "--port", "0", "--obs-port", "0", "--data-dir", str(tmp_path / "data")]
        arguments += ["--paths", "mapping"]  # tests look for processes by their numbers
        process = subprocess.Popen([*arguments, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        line = process.stdout.readline()
        ready = READY.fullmatch(line)
        assert ready, line + (process.stderr.read() if process.stderr else "")
        return process, ready[1]

    yield run
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise


def test_simulated_jobs_and_their_clock_survive_a_killed_emulator(start: Start, connect: Callable[[str], Any]) -> None:
    process, url = start("--executor", "simulated")
    api = connect(url)
    api.http.post("/_emulator/clock", json={"freeze": True})
    api.http.post("/_emulator/clock", json={"advance": 3600})  # a clock that is held does not stay behind real time
    job_id = api.create_job()["metadata"]["id"]
    held = api.http.post("/_emulator/clock", json={"advance": 4}).json()
    process.kill()
    process.wait()
    _, url = start("--executor", "simulated")
    api = connect(url)

    assert api.http.get("/_emulator/clock").json() == held
    assert api.phase_of(job_id) == "Running"
    api.http.post("/_emulator/clock", json={"advance": 6})
    status = api.job(job_id)["status"]
    assert (status["phase"], status["duration"]) == ("Completed", 10_000)


@pytest.fixture
def connect(tmp_path: Path, log_in: Any) -> Callable[[str], Any]:
    """Logs in to the emulator at a URL with the credentials of its data folder."""

    def connect(url: str) -> Any:
        folder = tmp_path / "data"
        found = tomllib.loads((folder / "credentials.toml").read_text("utf-8"))
        identity = SimpleNamespace(project="eu-de", **found["identity"][0])
        served = {"endpoint": url, "data_dir": folder, "control_token": found["control_token"], "identity": identity}
        return log_in(SimpleNamespace(**served))

    return connect


def test_a_second_signal_does_not_wait_for_jobs_that_will_not_end(start: Start, connect: Callable[[str], Any]) -> None:
    """The controllers of jobs go on, and end them after their grace time: this one, which is stopped, never does."""
    process, url = start()
    api = connect(url)
    job_id = api.run_script(ENDLESS)
    script = psutil.Process(int(api.printed(job_id, "pid")[0]))
    controller = script.parent()

    process.send_signal(signal.SIGINT)
    assert api.printed(job_id, "asked") == ["to", "end"]
    assert controller is not None
    controller.suspend()
    process.send_signal(signal.SIGINT)
    process.wait(timeout=300)

    assert (process.returncode, script.is_running()) == (0, True)
    script.kill()
    controller.kill()


def invoke(*arguments: object) -> Result:
    """Run `modelarts emulator` in this process, which saves its start; it must not get so far that it serves."""
    result = CliRunner().invoke(modelarts, ["emulator", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_an_emulator_is_started_in_the_background_and_stopped(tmp_path: Path) -> None:
    """Its log has what it prints; a second one on its folder is rejected."""
    folder = tmp_path / "data"

    started = invoke("start", "--data-dir", folder, "--executor", "simulated", "--port", "0", "--obs-port", "0")
    try:
        assert started.exit_code == 0, started.output
        assert f'eval "$(modelarts emulator env --data-dir {folder})"' in started.stderr
        assert f"modelarts emulator stop --data-dir {folder}\n" in started.stderr
        assert f"{folder}/emulator.log" in started.stderr
        assert "stop it first, or keep it with --if-needed" in invoke("start", "--data-dir", folder).stderr
        assert invoke("start", "--if-needed", "--data-dir", folder).output == started.output
        assert "Its Python:   none, because jobs are simulated\n" in started.stderr
        assert "scripts run with" not in invoke("status", "--data-dir", folder).stdout
        assert invoke("reset", "--yes", "--data-dir", folder).exit_code == 0, "its log makes it no foreign folder"
    finally:
        assert invoke("stop", "--data-dir", folder).exit_code == 0

    eventually(lambda: (folder / "emulator.log").read_text().endswith("The emulator has ended.\n"))
    assert "ModelArts emulator ready" in (folder / "emulator.log").read_text()
    assert invoke("status", "--data-dir", folder).exit_code == 3


def test_an_emulator_says_which_python_it_found_where_it_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On its line, at its start in the background and in its status; `--engine` for all goes first."""
    for name in ("active", "project/.venv"):
        venv.create(tmp_path / name)
    active, dotted = (tmp_path / name / "bin" / "python" for name in ("active", "project/.venv"))
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    stale = f".venv; VIRTUAL_ENV={tmp_path / 'gone'} has no Python"
    cases = [(active, "VIRTUAL_ENV", []), (dotted, stale, []), (active, "--engine", ["--engine", f"*={active}"])]
    for number, (python, why, options) in enumerate(cases):
        monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / ("active" if why == "VIRTUAL_ENV" else "gone")))
        folder = tmp_path / str(number)
        started = invoke("start", "--data-dir", folder, "--port", "0", "--obs-port", "0", *options)
        try:
            shown = invoke("status", "--data-dir", folder)
            found = json.loads(invoke("status", "--data-dir", folder, "-o", "json").stdout)
        finally:
            invoke("stop", "--data-dir", folder)

        assert f"Its Python:   {python} ({why})\n" in started.stderr, why
        assert f"scripts run with {python} ({why}), where neither --engine nor" in shown.stdout, why
        assert f"; scripts run with {python} ({why})" in (folder / "emulator.log").read_text(), why
        assert (found["python"], found["python_why"]) == (str(python), why), number


def test_where_no_emulator_runs_a_sentence_says_so_and_how_to_start_one(tmp_path: Path) -> None:
    """The exit status of `stop` is that of `status`. One that does not start says why."""
    stopped = invoke("stop", "--data-dir", tmp_path)

    assert stopped.exit_code == invoke("status", "--data-dir", tmp_path).exit_code == 3
    assert stopped.stderr == f"Error: no emulator serves {tmp_path}: name the folder of another one with --data-dir\n"
    for command in (["clock"], ["reset", "--yes"], ["run", "true"]):
        done = invoke("--data-dir", tmp_path / "none", *command)

        assert done.exit_code == 1, command
        assert f'start it with "modelarts emulator start --data-dir {tmp_path / "none"}"' in done.stderr, command
    done = invoke("start", "--data-dir", tmp_path / "data", "--port", "none")
    assert done.exit_code == 1
    assert "the emulator did not start (exit status 2)" in done.stderr
    assert "Invalid value for '--port'" in done.stderr


def test_a_command_runs_with_the_variables_of_the_emulator(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Variables of other logins are removed; the exit status is that of the command."""
    monkeypatch.setenv("OS_CLOUD", "another")
    program = "import os; print(os.environ['MODELARTS_ENDPOINT'], os.environ.get('OS_CLOUD')); raise SystemExit(7)"

    with Emulator(tmp_path, executor="simulated") as emulator:
        done = invoke("run", "--data-dir", tmp_path, "--", sys.executable, "-c", program)
        missing = invoke("run", "--data-dir", tmp_path, "--", "a-command-nobody-has")

    assert done.exit_code == 7
    assert capfd.readouterr().out == f"{emulator.endpoint} None\n"
    assert (missing.exit_code, missing.stderr) == (127, "Error: a-command-nobody-has: No such file or directory\n")


def variables(result: Result) -> dict[str, str]:
    """What a shell makes of the lines."""
    assert result.exit_code == 0, result.stderr
    shell = ["/bin/sh", "-c", 'eval "$1"; env', "sh", result.stdout]
    printed = subprocess.run(shell, capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]})
    return dict(line.split("=", 1) for line in printed.stdout.splitlines() if "=" in line)


def test_env_names_the_emulator_that_serves_the_folder_quoted_for_the_shell(tmp_path: Path, credentials: Path) -> None:
    """Its region, too; on another machine, by a name of it. `--unset` removes the variables from the shell."""
    nasty = 'a\'b $(touch hacked) \\ "c"'
    credentials.write_text(credentials.read_text().replace('"anna-password"', f"'''{nasty}'''"))
    folder = tmp_path / "data"
    with Emulator(folder, region="eu-nl", executor="simulated", credentials=credentials) as running:
        found = variables(invoke("env", "--data-dir", folder))
        named = variables(invoke("env", "--data-dir", folder, "--host", "modelarts"))
        unset = invoke("env", "--unset", "--data-dir", folder).stdout.split()

    assert found == running.environment() | {name: found[name] for name in ("PATH", "PWD") if name in found}
    assert (found["OS_REGION_NAME"], found["OS_USERNAME"], found["OS_PASSWORD"]) == ("eu-nl", "anna", nasty)
    assert named["MODELARTS_ENDPOINT"] == running.endpoint.replace("127.0.0.1", "modelarts")
    assert unset[0] == "unset"
    assert {"MODELARTS_ENDPOINT", "AWS_ACCESS_KEY_ID", "OS_PASSWORD"} <= set(unset)


def test_without_an_emulator_env_prints_no_lines(tmp_path: Path) -> None:
    """They would lead to any emulator at the default ports. One that was killed has left its announcement."""
    with Emulator(tmp_path, executor="simulated"):
        left = (tmp_path / "emulator.json").read_text()
    (tmp_path / "emulator.json").write_text(left)

    done = invoke("env", "--data-dir", tmp_path)

    assert (done.exit_code, done.stdout) == (3, "")
    start = f'start it with "modelarts emulator start --data-dir {tmp_path}"'
    assert done.stderr == f"Error: no emulator serves {tmp_path}: {start}\n"
    assert invoke("env", "--unset", "--data-dir", tmp_path).stdout.startswith("unset ")


def test_an_emulator_that_listens_can_be_used_at_once(tmp_path: Path) -> None:
    """It has announced where, although a killed one had left its announcement, and its object store listens, too."""
    for number in range(4):
        port, obs_port = free_ports(2)
        options = ["--executor", "simulated", "--port", str(port), "--obs-port", str(obs_port)]
        command = [MODELARTS, "emulator", "--quiet", "--data-dir", str(tmp_path), *options]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process, contextlib.ExitStack() as ends:
            ends.callback(process.kill)
            while process.poll() is None and not is_open(port):
                time.sleep(0.0001)
            found, is_complete = json.loads((tmp_path / "emulator.json").read_text()), is_open(obs_port)

        assert (found["port"], found["obs_port"], is_complete) == (port, obs_port, True), number


def is_open(port: int) -> bool:
    """Whether something accepts a connection to the port."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


def test_an_emulator_starts_where_connections_of_another_one_are_closing(tmp_path: Path) -> None:
    """Right after it has ended; while it serves, its port is taken."""
    (port,) = free_ports(1)
    for number in range(2):
        with Emulator(tmp_path, port, executor="simulated") as running:
            headers = {"Connection": "close"}  # the server closes first, so its end stays for a minute in TIME_WAIT
            assert httpx.get(f"{running.endpoint}/v3", headers=headers).status_code == 200, number
            with pytest.raises(EmulatorError, match=f"port {port} cannot be used on 127.0.0.1"):
                Emulator(tmp_path / "other", port).__enter__()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_other_signals_stop_it_as_well(tmp_path: Path, number: signal.Signals) -> None:
    lines: list[str] = []

    def announce(line: str) -> None:
        lines.append(line)
        os.kill(os.getpid(), number)

    serve(Options(tmp_path / "data", 0, 0), announce)

    assert len(lines) == 1
    assert invoke("status", "--data-dir", tmp_path / "data").exit_code == 3


def test_a_library_that_is_not_installed_is_reported_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In one sentence instead of a traceback; the command line alone can be installed without the emulator."""
    for name in ("server", "runtime", "http.server"):
        monkeypatch.delitem(sys.modules, f"modelarts_emulator.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)

    result = invoke()

    assert (result.exit_code, result.stdout) == (1, "")
    install = "pip install 'modelarts-toolkit[emulator]'"
    assert result.stderr == f"Error: the emulator needs more libraries (uvicorn): {install}\n"


WRONG: list[tuple[list[str], int, str]] = [
    (["--metrics-period", "inf"], 2, "Invalid value for '--metrics-period': inf is not in the range"),
    (["--metrics-period", "0"], 2, "Invalid value for '--metrics-period': 0.0 is not in the range"),
    (["--data-dir", ""], 2, "Invalid value for '--data-dir': it is empty: name a folder"),
    (["--engine", "PyTorch"], 2, "'PyTorch' is not of the form PATTERN=PYTHON"),
    (["--engine", "=python"], 2, "'=python' is not of the form PATTERN=PYTHON"),
    (["--capacity", "modelarts.vm.cpu.8u"], 2, "is not of the form FLAVOR=NODES"),
    (["--capacity", "modelarts.vm.cpu.8u=some"], 2, "is not of the form FLAVOR=NODES"),
    (["--capacity", "unknown=1"], 1, "flavor unknown does not exist"),
    (["--capacity", "modelarts.vm.cpu.8u=0"], 1, "must be at least 1 node"),
    (["--seeds", "/dev/null/none"], 1, "the seeds in /dev/null/none cannot be read"),
]


def test_a_wrong_option_is_reported_without_a_traceback(tmp_path: Path) -> None:
    for options, code, said in WRONG:
        done = invoke("--port", 0, "--obs-port", 0, "--data-dir", tmp_path / "data", *options)

        assert (done.exit_code, done.stdout) == (code, ""), options
        assert said in done.stderr, options
        assert "Traceback" not in done.stderr, options
