"""The command `modelarts emulator`, and the lines that it prints for shells."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelarts_emulator.cli.emulator import emulator
from modelarts_emulator.server import Emulator, Options, serve

SOME_PORTS = ("--port", "7001", "--obs-port", "7002")


@dataclass(frozen=True)
class Response:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


def modelarts(_command: str, *arguments: str, **environment: str) -> Response:
    """Run `modelarts emulator` in this process, which saves its start; it must not get so far that it serves."""
    result = CliRunner().invoke(emulator, arguments, env=environment)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return Response(result.exit_code, result.stdout, result.stderr)


def variables(response: Response) -> dict[str, str]:
    """What a shell makes of the lines."""
    assert response.returncode == 0, response.stderr
    printed = subprocess.run(
        ["/bin/sh", "-c", 'eval "$1"; env', "sh", response.stdout],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.environ["PATH"]},
    )
    return dict(line.split("=", 1) for line in printed.stdout.splitlines() if "=" in line)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_other_signals_stop_it_as_well(tmp_path: Path, number: signal.Signals) -> None:
    lines: list[str] = []

    def announce(line: str) -> None:
        lines.append(line)
        os.kill(os.getpid(), number)

    serve(Options(tmp_path / "data", 0, 0), announce)

    assert len(lines) == 1
    assert modelarts("emulator", "status", "--data-dir", str(tmp_path / "data")).returncode == 3


def test_a_library_that_is_not_installed_is_reported_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In one sentence instead of a traceback; the command line alone can be installed without the emulator."""
    for name in ("server", "runtime", "http.server"):
        monkeypatch.delitem(sys.modules, f"modelarts_emulator.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)

    response = modelarts("emulator")

    assert (response.returncode, response.stdout) == (1, "")
    install = "pip install 'modelarts-toolkit[emulator]'"
    assert response.stderr == f"Error: the emulator needs more libraries (uvicorn): {install}\n"


@pytest.mark.parametrize(
    ("place", "content", "said"),
    [
        ("jobs/one.json", "{}", "the seed {seeds}/jobs is not known: use objects/"),
        ("training-jobs/one.json", "{", "{seeds}/training-jobs/one.json"),
        ("training-jobs/one.json", "{}", "{seeds}/training-jobs/one.json"),
        ("objects/Not_A_Bucket/key", "x", "{seeds}/objects/Not_A_Bucket"),
    ],
)
def test_a_seed_that_cannot_be_loaded_is_an_error_without_a_traceback(
    tmp_path: Path, place: str, content: str, said: str
) -> None:
    seed = tmp_path / "seeds" / place
    seed.parent.mkdir(parents=True)
    seed.write_text(content)

    ports = ("--port", "0", "--obs-port", "0", "--data-dir", str(tmp_path / "data"))
    response = modelarts("emulator", *ports, "--seeds", str(tmp_path / "seeds"))

    assert (response.returncode, response.stdout) == (1, "")
    assert response.stderr.startswith("Error: ")
    assert said.format(seeds=tmp_path / "seeds") in response.stderr
    assert "Traceback" not in response.stderr


def test_env_names_the_emulator_that_serves_the_folder(tmp_path: Path) -> None:
    with Emulator(tmp_path / "data") as running:
        found = variables(modelarts("emulator", "env", "--data-dir", str(tmp_path / "data")))

    assert found["MODELARTS_ENDPOINT"] == running.endpoint
    assert found["OS_AUTH_URL"] == f"{running.endpoint}/v3"
    assert len([name for name in found if name.startswith(("MODELARTS_", "OS_", "HUAWEICLOUD_", "AWS_"))]) == 23


def test_env_prints_the_region_of_the_emulator_or_the_one_given(tmp_path: Path) -> None:
    """The project of the data folder's user is that of the region."""
    folder = ("--data-dir", str(tmp_path / "data"))
    with Emulator(tmp_path / "data", region="eu-nl"):
        served = variables(modelarts("emulator", "env", *folder))
    given = variables(modelarts("emulator", "env", *folder, *SOME_PORTS, "--region", "eu-ch2"))

    assert (served["OS_REGION_NAME"], served["OS_PROJECT_NAME"]) == ("eu-nl", "eu-nl")
    assert (given["OS_REGION_NAME"], given["OS_PROJECT_NAME"]) == ("eu-ch2", "eu-ch2")
    assert served["OS_PROJECT_NAME"] != given["OS_PROJECT_NAME"]
    assert served["MODELARTS_PROJECT_ID"] == given["MODELARTS_PROJECT_ID"]


def test_env_names_the_default_ports_or_those_given_if_no_emulator_runs(tmp_path: Path) -> None:
    folder = ("--data-dir", str(tmp_path))

    assert variables(modelarts("emulator", "env", *folder))["MODELARTS_ENDPOINT"] == "http://127.0.0.1:9180"
    assert variables(modelarts("emulator", "env", *folder))["AWS_ENDPOINT_URL_S3"] == "http://127.0.0.1:9181"
    given = variables(modelarts("emulator", "env", *folder, *SOME_PORTS))
    assert (given["MODELARTS_ENDPOINT"], given["MODELARTS_OBS_ENDPOINT"]) == (
        "http://127.0.0.1:7001",
        "http://127.0.0.1:7002",
    )
    assert (
        variables(modelarts("emulator", "--port", "7001", "env", *folder))["OS_AUTH_URL"] == "http://127.0.0.1:7001/v3"
    )


def test_env_says_so_if_no_emulator_runs_yet_and_is_of_use_nonetheless(tmp_path: Path) -> None:
    """What a shell evaluates stays clean; nobody is bothered who named the ports, or whose emulator runs."""
    early = modelarts("emulator", "env", "--data-dir", str(tmp_path / "data"))
    ports = modelarts("emulator", "env", "--data-dir", str(tmp_path / "data"), *SOME_PORTS)
    with Emulator(tmp_path / "data"):
        late = modelarts("emulator", "env", "--data-dir", str(tmp_path / "data"))

    assert variables(early)["MODELARTS_ENDPOINT"] == "http://127.0.0.1:9180"
    assert early.stderr.startswith(f"no emulator serves {tmp_path / 'data'} yet: these lines lead to ports 9180 and")
    assert 'Start it ("modelarts emulator")' in early.stderr
    assert (ports.stderr, late.stderr) == ("", "")
    assert (
        "lead to ports 7001 and 7002" in modelarts("emulator", "env", *SOME_PORTS, XDG_DATA_HOME=str(tmp_path)).stderr
    )


def test_env_prints_the_same_credentials_before_and_after_the_first_start(tmp_path: Path) -> None:
    """The credentials that env makes before the first start log in afterwards, and a later start keeps them."""
    folder = ("--data-dir", str(tmp_path / "data"))
    early = variables(modelarts("emulator", "env", *folder))
    with Emulator(tmp_path / "data") as running:
        late = variables(modelarts("emulator", "env", *folder))
    with Emulator(tmp_path / "data"):
        again = variables(modelarts("emulator", "env", *folder))

    prefixes = ("MODELARTS_", "OS_", "AWS_")
    secrets = {name: value for name, value in early.items() if "://" not in value and name.startswith(prefixes)}
    assert len(secrets) == 14
    assert late["OS_AUTH_URL"] == f"{running.endpoint}/v3"
    assert [secrets.items() - found.items() for found in (late, again)] == [set(), set()]


def test_env_quotes_for_the_shell(credentials: Path, tmp_path: Path) -> None:
    nasty = 'a\'b $(touch hacked) \\ "c"'
    text = credentials.read_text().replace('"anna-password"', f"'''{nasty}'''")
    credentials.write_text(text)

    in_folder = ("--data-dir", str(tmp_path / "data"))
    found = variables(modelarts("emulator", "env", *in_folder, "--credentials", str(credentials)))

    assert found["OS_PASSWORD"] == nasty
    assert found["OS_USERNAME"] == "anna"


def test_env_needs_a_port_that_can_be_named(tmp_path: Path) -> None:
    response = modelarts("emulator", "env", "--data-dir", str(tmp_path), "--port", "0")

    assert response.returncode == 2
    assert "port 0 stands for any port" in response.stderr


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--metrics-period", "nan", "nan is not a finite number of seconds"),
        ("--metrics-period", "inf", "inf is not a finite number of seconds"),
        ("--metrics-period", "0", "0.0 is not in the range"),
        ("--data-dir", "", "it is empty: name a folder"),
    ],
)
def test_an_option_that_makes_no_sense_is_wrong_usage(tmp_path: Path, option: str, value: str, said: str) -> None:
    response = modelarts(
        "emulator", "--port", "0", "--obs-port", "0", "--data-dir", str(tmp_path / "data"), option, value
    )

    assert (response.returncode, response.stdout) == (2, "")
    assert f"Invalid value for '{option}': {said}" in response.stderr


@pytest.mark.parametrize("given", ["PyTorch", "=python", "PyTorch="])
def test_an_engine_without_a_python_is_wrong_usage(tmp_path: Path, given: str) -> None:
    response = modelarts("emulator", "--data-dir", str(tmp_path), "--engine", given)

    assert response.returncode == 2
    assert f"{given!r} is not of the form PATTERN=PYTHON" in response.stderr


def test_a_port_in_use_is_an_error_without_a_traceback(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        response = modelarts("emulator", "--port", str(port), "--data-dir", str(tmp_path / "data"))

    assert (response.returncode, response.stdout) == (1, "")
    assert response.stderr.startswith(f"Error: port {port} cannot be used")
    assert "Traceback" not in response.stderr


@pytest.mark.parametrize(
    ("capacity", "code", "said"),
    [
        ("modelarts.vm.cpu.8u", 2, "is not of the form FLAVOR=NODES"),
        ("modelarts.vm.cpu.8u=some", 2, "is not of the form FLAVOR=NODES"),
        ("unknown=1", 1, "flavor unknown does not exist"),
        ("modelarts.vm.cpu.8u=0", 1, "must be at least 1 node"),
    ],
)
def test_a_capacity_names_a_flavor_and_a_number_of_nodes(tmp_path: Path, capacity: str, code: int, said: str) -> None:
    response = modelarts(
        "emulator", "--data-dir", str(tmp_path), "--port", "0", "--obs-port", "0", "--capacity", capacity
    )

    assert response.returncode == code
    assert said in response.stderr
