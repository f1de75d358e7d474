"""What all commands have in common."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tests.overlays.cli.conftest import Run, Submit

from modelarts_emulator.server import Emulator
from modelarts_toolkit.cli import terminal
from modelarts_toolkit.cli.commands import OWN, Commands, modelarts
from modelarts_toolkit.cli.terminal import table

PROGRAM = "from modelarts_toolkit.cli import main; main()"


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All commands of the toolkit, with the words that lead to them."""
    context = click.Context(group)
    for name in group.list_commands(context):
        if not path and name not in OWN:
            continue
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        yield (*path, name), command


@pytest.mark.parametrize("width", [40, 100])
def test_every_help_has_an_example_and_fits_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples, which can be copied, may be wider, and names of options up to 48 columns."""
    monkeypatch.setenv("COLUMNS", str(width))
    for path, _ in commands(modelarts):
        text = CliRunner().invoke(modelarts, [*path, "--help"]).stdout

        help_text, _, examples = text.partition("Examples:\n")
        assert "modelarts" in examples, path
        assert max(map(len, help_text.splitlines())) <= max(width, 48), path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["jbo"], "No such command 'jbo'. Did you mean 'job'?"),
        (["job", "lst"], "No such command 'lst'. Did you mean 'list'?"),
        (["job", "list", "--phse", "x"], "No such option '--phse'. (Did you mean one of: '--help', '--phase'?)"),
        (["job", "list", "-o", "xml"], "'xml' is not one of 'table', 'json', 'yaml'"),
    ],
)
def test_a_typing_error_is_wrong_usage_with_a_suggestion(run: Run, arguments: list[str], said: str) -> None:
    done = run(*arguments)

    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.startswith("Error: ")
    assert re.fullmatch(r"Help: modelarts.* --help", done.stderr.splitlines()[-1])


def test_a_service_that_cannot_be_reached_has_a_status_of_its_own(run: Run, service: Emulator) -> None:
    done = run("job", "list", MODELARTS_ENDPOINT="http://127.0.0.1:9", MODELARTS_RETRIES="0")

    assert (done.exit_code, done.stdout) == (7, "")
    assert "no response from http://127.0.0.1:9" in done.stderr
    assert "start the emulator with: modelarts emulator" in done.stderr


def test_ctrl_c_has_the_status_of_the_shell(run: Run, service: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(terminal.Terminal, "connect", interrupt)

    done = run("job", "list")

    assert (done.exit_code, done.stdout) == (130, "")
    assert "Traceback" not in done.stderr


def test_a_closed_pipe_prints_no_error_message(submit: Submit, tmp_path: Path) -> None:
    """As of `modelarts job list | head -0`."""
    submit("digits")
    read, write = os.pipe()
    os.close(read)

    with os.fdopen(write, "w") as closed:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, "job", "list"],
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize(("variable", "is_coloured"), [("", True), ("1", False)])
def test_colours_come_on_terminals_only_and_not_against_the_users_will(
    submit: Submit, monkeypatch: pytest.MonkeyPatch, variable: str, is_coloured: bool
) -> None:
    submit("digits").stop()
    monkeypatch.setenv("NO_COLOR", variable)

    assert "\033" not in CliRunner().invoke(modelarts, ["job", "list"]).stdout
    assert ("\033" in CliRunner().invoke(modelarts, ["job", "list"], color=True).stdout) == is_coloured


def test_a_table_is_cut_to_the_terminal() -> None:
    """The widest columns first."""
    rows: list[dict[str, str | None]] = [{"name": "a" * 30, "id": "12345678"}, {"name": "b", "id": None}]

    assert max(map(len, table(rows, 20))) == 20
    assert list(table(rows, 20))[1].split() == ["aaaaaaaaa…", "12345678"]
    assert list(table(rows))[1].split() == ["a" * 30, "12345678"]


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("missing.yaml", "missing.yaml: No such file or directory: correct the path"),
        (".", ".: Is a directory: name a file instead"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_fact_with_a_remedy(
    run: Run, file: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also without any settings, because nothing is sent."""
    monkeypatch.chdir(tmp_path)

    done = run("job", "submit", file)

    assert (done.exit_code, done.stderr) == (1, f"Error: {said}\n")


def test_ctrl_c_at_a_question_has_the_same_status() -> None:
    """Click makes one exception of it and of the end of standard input."""
    group = Commands("modelarts")

    @group.command()
    def ask() -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise click.Abort from None

    done = CliRunner().invoke(group, ["ask"])

    assert (done.exit_code, done.stderr) == (130, "\nInterrupted.\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "trian.py"],
        ["run", "train.py", "--data", "dta"],
        ["run", "train.py", "--code", "./dta"],
        ["job", "check", "jb.yaml", "--offline"],
        ["obs", "sync", "dta", "obs://b/x/"],
    ],
)
def test_a_misspelt_file_names_the_nearest_one(
    run: Run, arguments: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    for name in ("train.py", "job.yaml"):
        (tmp_path / name).touch()

    (line, *_) = run(*arguments).stderr.splitlines()

    assert re.fullmatch(r"Error: .*[dD]id you mean (train.py|data|job.yaml)\?", line)
