"""Which emulator a command is about: one rule for every command of `modelarts emulator`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import click
import httpx
import pytest
from click.testing import CliRunner, Result

from modelarts_emulator.server import Emulator
from modelarts_toolkit.cli.commands import modelarts
from modelarts_toolkit.local_emulator import local_emulator

DATA_DIR = "MODELARTS_EMULATOR_DATA_DIR"
STARTED = ["--if-needed", "--executor", "simulated", "--port", "0", "--obs-port", "0"]
ARGUMENTS: Mapping[str, Sequence[str]] = {
    "start": STARTED,
    "clock": ["freeze"],
    "faults add": ["kind=status", "status=429"],
    "plans add": ["job=x", "duration=3"],
    "reset": ["--yes"],
    "run": ["--", sys.executable, "-c", "import os; os.write(1, os.environ['MODELARTS_ENDPOINT'].encode())"],
}


def commands_of(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of all commands in the group, and in the groups in it."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands_of(command, (*path, name))
        else:
            yield (*path, name)


EMULATOR = modelarts.get_command(click.Context(modelarts), "emulator")
assert isinstance(EMULATOR, click.Group)
# "stop" comes last, because the others need the emulator.
COMMANDS = sorted(commands_of(EMULATOR), key=lambda words: words == ("stop",))


class Folders:
    """A user with two emulators: the one that is meant, and another one; each writes an access log."""

    def __init__(self, root: Path) -> None:
        self.data_home, self.mine, self.none = root / "home", root / "mine", root / "none"
        self.other = self.data_home / "modelarts-emulator"  # the default folder

    def invoke(self, words: Sequence[str], variable: object = None) -> Result:
        """Run `modelarts emulator` with this value of MODELARTS_EMULATOR_DATA_DIR."""
        changed = {DATA_DIR: None if variable is None else str(variable), "XDG_DATA_HOME": str(self.data_home)}
        return CliRunner(env=changed).invoke(modelarts, ["emulator", *words])

    def start(self, folder: Path) -> None:
        log = ["--access-log", str(folder.with_suffix(".log"))]
        done = self.invoke(["start", "--data-dir", str(folder), *STARTED, *log])
        assert done.exit_code == 0, done.output

    def calls(self, folder: Path) -> str:
        """The requests that the emulator of this folder has got."""
        log = folder.with_suffix(".log")
        return log.read_text() if log.exists() else ""

    def stop(self) -> None:
        for folder in (self.mine, self.other, self.none):
            self.invoke(["stop", "--data-dir", str(folder)])


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folders]:
    found = Folders(tmp_path_factory.mktemp("folders"))
    found.start(found.other)
    yield found
    found.stop()


Way = Callable[[Folders, Sequence[str], Sequence[str]], Result]
WAYS: Mapping[str, Way] = {
    "after the command": lambda user, words, more: user.invoke(
        [*words, "--data-dir", str(user.mine), *more], user.other
    ),
    "before the command": lambda user, words, more: user.invoke(
        ["--data-dir", str(user.mine), *words, *more], user.other
    ),
    "the variable": lambda user, words, more: user.invoke([*words, *more], user.mine),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_command_is_about_the_emulator_that_is_named(
    folders: Folders, way: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The option, on either side of the command, goes before the variable, and the variable before the default."""
    folders.start(folders.mine)
    announced = {folder: (folder / "emulator.json").read_text() for folder in (folders.mine, folders.other)}
    other_calls = folders.calls(folders.other)

    for words in COMMANDS:
        before = folders.calls(folders.mine)
        done = WAYS[way](folders, words, ARGUMENTS.get(" ".join(words), ()))
        said = done.output + capfd.readouterr().out

        assert done.exit_code == 0, (words, done.output)
        is_asked = folders.calls(folders.mine) != before
        is_ended = not (folders.mine / "emulator.json").exists()
        assert is_asked or is_ended or endpoint(announced[folders.mine]) in said, words
        assert endpoint(announced[folders.other]) not in said, words
        assert folders.calls(folders.other) == other_calls, words
        assert (folders.other / "emulator.json").read_text() == announced[folders.other], words
    assert is_ended


def test_a_variable_that_names_a_folder_without_an_emulator_leads_to_no_other_one(folders: Folders) -> None:
    """A sentence names the variable. `env` prints nothing on standard output, and --unset needs no emulator."""
    other_calls = folders.calls(folders.other)

    for words in COMMANDS:
        if words == ("start",):
            continue
        done = folders.invoke([*words, *ARGUMENTS.get(" ".join(words), ())], variable=folders.none)

        assert done.exit_code in (1, 3), words
        assert f"no emulator serves {folders.none}, which {DATA_DIR} names: " in done.output, words
        assert words == ("status",) or not done.stdout, words
    assert folders.invoke(["env", "--unset"], variable=folders.none).stdout.startswith("unset ")
    assert folders.calls(folders.other) == other_calls


def test_an_empty_folder_is_an_error_and_an_empty_variable_names_none(folders: Folders) -> None:
    """Both come from a shell's variable that is not set; the default folder is that of the other emulator."""
    empty = folders.invoke(["status", "--data-dir", ""])

    assert (empty.exit_code, "it is empty: name a folder" in empty.stderr) == (2, True)
    assert f"An emulator serves {folders.other}:" in folders.invoke(["status"], variable="").stdout


def test_the_command_that_serves_takes_the_folder_of_the_variable(folders: Folders) -> None:
    served = folders.invoke(["--port", "0", "--obs-port", "0"], variable=folders.other)

    assert served.exit_code == 1
    assert f"the data folder {folders.other} is already served by http://" in served.stderr


def test_an_option_of_the_start_before_another_command_is_an_error(folders: Folders) -> None:
    """It would have no effect: the emulator runs already, or starts with the options behind `start`."""
    for words in (["--executor", "simulated", "start"], ["--port", "9", "status"], ["-v", "faults", "list"]):
        done = folders.invoke(words)

        assert done.exit_code == 2, words
        assert f"{words[0]} is an option of the start: write it behind modelarts emulator start" in done.stderr, words


def test_env_waits_for_an_emulator_that_is_starting(folders: Folders, tmp_path: Path) -> None:
    """Its lines lead to a port that accepts connections; without one, it prints none when the time is over."""
    begin = time.monotonic()
    missing = folders.invoke(["env", "--wait", "0.3", "--data-dir", str(tmp_path)])
    waited = time.monotonic() - begin
    serve = [sys.executable, "-m", "modelarts_toolkit", "emulator", *STARTED[1:], "--data-dir", str(tmp_path)]
    with subprocess.Popen(serve, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            found = folders.invoke(["env", "--wait", "60", "--data-dir", str(tmp_path)])
            url = re.findall(r"MODELARTS_ENDPOINT=(\S+)", found.stdout)[0]
            is_listening = httpx.get(f"{url}/v3").status_code == 200
        finally:
            process.terminate()

    assert (missing.exit_code, missing.stdout, waited >= 0.3) == (3, "", True)
    assert f"no emulator serves {tmp_path}: start it with" in missing.stderr
    assert (found.exit_code, is_listening) == (0, True)


def test_a_run_on_this_machine_takes_no_other_emulator_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`modelarts run` then starts one of its own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with Emulator(tmp_path / "modelarts-emulator") as running:
        monkeypatch.delenv(DATA_DIR, raising=False)
        found = local_emulator()
        assert found is not None
        default = found.own_environment()
        monkeypatch.setenv(DATA_DIR, str(tmp_path / "none"))
        stale = found.own_environment()

    assert default is not None
    assert (default["MODELARTS_ENDPOINT"], stale) == (running.endpoint, None)


def endpoint(announced: str) -> str:
    return str(json.loads(announced)["endpoint"])
