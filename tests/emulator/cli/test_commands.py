"""`modelarts emulator start`, `status`, `stop`, `logs`, `reset`, `clock`, `faults` and `run`."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from modelarts_emulator.cli.emulator import emulator
from modelarts_emulator.server import Emulator
from modelarts_emulator.settings.client_env import shell_lines

Run = Callable[..., Result]


def invoke(*arguments: object, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(emulator, [str(each) for each in arguments], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with Emulator(tmp_path_factory.mktemp("commands") / "data", executor="simulated") as server:
        yield server


@pytest.fixture
def run(serving: Emulator) -> Run:
    """Runs a command about that emulator."""

    def run(name: str, *arguments: object, stdin: str | None = None) -> Result:
        return invoke(name, "--data-dir", serving.data_dir, *arguments, stdin=stdin)

    return run


def test_an_emulator_is_started_in_the_background_and_stopped(tmp_path: Path) -> None:
    """Its log has what it prints; a second one on its folder is rejected."""
    folder = tmp_path / "data"

    started = invoke("start", "--data-dir", folder, "--executor", "simulated", "--port", "0", "--obs-port", "0")
    try:
        assert started.exit_code == 0, started.output
        assert f'eval "$(modelarts emulator env --data-dir {folder})"' in started.stderr
        assert f"modelarts emulator stop --data-dir {folder}\n" in started.stderr
        assert "ModelArts emulator ready" in invoke("logs", "--data-dir", folder).stdout
        assert "serves" in invoke("start", "--data-dir", folder).stderr
        assert invoke("reset", "--yes", "--data-dir", folder).exit_code == 0, (
            "the log does not make it a foreign folder"
        )
    finally:
        assert invoke("stop", "--data-dir", folder).exit_code == 0

    assert "The emulator has ended." in invoke("logs", "--data-dir", folder, "-f", "--tail", "1").stdout
    assert invoke("status", "--data-dir", folder).exit_code == 3


def test_stop_has_the_status_of_status_where_no_emulator_runs(tmp_path: Path) -> None:
    stopped = invoke("stop", "--data-dir", tmp_path)

    assert stopped.exit_code == invoke("status", "--data-dir", tmp_path).exit_code == 3
    assert stopped.stderr == f"No emulator serves {tmp_path}: name the folder of another one with --data-dir.\n"


def test_an_emulator_that_does_not_start_says_why(tmp_path: Path) -> None:
    done = invoke("start", "--data-dir", tmp_path / "data", "--port", "none")

    assert done.exit_code == 1
    assert "the emulator did not start (exit status 2)" in done.stderr
    assert "Invalid value for '--port'" in done.stderr


def test_the_status_says_where_it_is(run: Run, serving: Emulator) -> None:
    found = json.loads(run("status", "-o", "json").stdout)

    assert (found["running"], found["endpoint"], found["executor"]) == (True, serving.endpoint, "simulated")
    assert serving.endpoint in run("status").stdout


def test_the_clock_is_shown_and_moved(run: Run, serving: Emulator) -> None:
    assert ", frozen" in run("clock", "freeze").stdout
    before = serving.clock.now

    run("clock", "advance", 3600)

    assert serving.clock.now == before + 3600
    assert "frozen" not in run("clock", "resume").stdout
    assert run("clock", "advance").exit_code == 2
    assert run("clock", "freeze", 3).exit_code == 2


def test_faults_are_added_listed_and_cleared(run: Run, serving: Emulator) -> None:
    def faults(*arguments: object) -> Result:
        return invoke("--data-dir", serving.data_dir, "faults", *arguments)

    added = faults("add", "status", "status=429", "count=3", "operations=showTrainingJobDetails,stopTrainingJob")

    assert json.loads(added.stdout)["operations"] == ["showTrainingJobDetails", "stopTrainingJob"]
    assert len(json.loads(faults().stdout)) == 1
    assert "status: " in faults("add", "status", "status=none").stderr
    assert faults("add", "status", "429").exit_code == 2
    faults("clear")
    assert json.loads(faults("list").stdout) == []


def test_a_reset_asks_for_confirmation_unless_an_option_gives_it(run: Run, serving: Emulator) -> None:
    serving.objects.put("obs://work/a", "a")

    assert run("reset", stdin="n\n").exit_code == 1
    assert serving.objects.list("obs://work/") != []
    assert run("reset", "--yes").exit_code == 0
    assert list((serving.data_dir / "objects").glob("[!.]*")) == []


def test_a_command_runs_with_the_variables_of_the_emulator(
    run: Run, serving: Emulator, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Variables of other logins are removed; the exit status is that of the command."""
    monkeypatch.setenv("OS_CLOUD", "another")
    program = "import os; print(os.environ['MODELARTS_ENDPOINT'], os.environ.get('OS_CLOUD')); raise SystemExit(7)"

    done = run("run", "--", sys.executable, "-c", program)

    assert done.exit_code == 7
    assert capfd.readouterr().out == f"{serving.endpoint} None\n"
    missing = run("run", "--", "a-command-nobody-has")
    assert (missing.exit_code, missing.stderr) == (127, "Error: a-command-nobody-has: No such file or directory\n")


@pytest.mark.parametrize("command", [["clock"], ["reset", "--yes"], ["run", "true"], ["faults", "list"]])
def test_without_an_emulator_a_sentence_says_how_to_start_one(tmp_path: Path, command: list[str]) -> None:
    done = invoke("--data-dir", tmp_path / "none", *command)

    assert done.exit_code == 1
    assert 'start it with "modelarts emulator start"' in done.stderr


@pytest.mark.parametrize(
    ("shell", "lines"),
    [
        ("posix", ["unset A B", "export C='it'\"'\"'s $x'"]),
        ("fish", ["set -e A B", "set -gx C 'it\\'s $x'"]),
        ("powershell", ["Remove-Item -ErrorAction SilentlyContinue Env:A,Env:B", "$Env:C = 'it''s $x'"]),
    ],
)
def test_variables_are_quoted_as_the_shell_wants(shell: str, lines: list[str]) -> None:
    assert shell_lines(shell, ["A", "B"], {"C": "it's $x"}) == lines


def test_the_variables_can_be_removed_from_the_shell(run: Run) -> None:
    """Nothing is set, and nothing that clients of the emulator read is left."""
    (line,) = run("env", "--unset").stdout.splitlines()

    names: Any = line.split()
    assert names[0] == "unset"
    assert {"MODELARTS_ENDPOINT", "AWS_ACCESS_KEY_ID", "OS_PASSWORD"} <= set(names)
