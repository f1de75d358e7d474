"""What all commands have in common."""

import json
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
from modelarts_toolkit.cli import exit_status, terminal
from modelarts_toolkit.cli.commands import modelarts
from modelarts_toolkit.cli.job_submit import NAMES
from modelarts_toolkit.cli.terminal import Terminal, table
from modelarts_toolkit.jobfiles.settings import ALIASES, SETTINGS
from modelarts_toolkit.storage.uploads import UploadProgress

PROGRAM = "from modelarts_toolkit.cli import main; main()"


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All commands of the toolkit, with the words that lead to them."""
    context = click.Context(group)
    for name in group.list_commands(context):
        if not path and name in ("contract", "emulator"):
            continue
        command = group.get_command(context, name)
        assert command is not None, name
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


def test_a_service_that_cannot_be_reached_has_a_status_of_its_own(run: Run, service: Emulator) -> None:
    done = run("job", "list", MODELARTS_ENDPOINT="http://127.0.0.1:9", MODELARTS_RETRIES="0")

    assert (done.exit_code, done.stdout) == (7, "")
    assert "no response from http://127.0.0.1:9" in done.stderr
    assert "start the emulator with: modelarts emulator" in done.stderr


@pytest.mark.parametrize("words", [["job", "list"], ["obs", "ls"]])
def test_variables_that_an_emulator_left_lead_to_the_one_that_serves_now(
    run: Run, service: Emulator, words: list[str]
) -> None:
    """The sentence is true whether one serves or not; what it says helps."""
    left = {"MODELARTS_ENDPOINT": "http://127.0.0.1:9", "MODELARTS_OBS_ENDPOINT": "http://127.0.0.1:9"}
    done = run(*words, **left, MODELARTS_RETRIES="0")

    assert "start the emulator with: modelarts emulator; if it runs, its address is another one" in done.stderr
    assert 'eval "$(modelarts emulator env)"' in done.stderr


@pytest.mark.parametrize("is_question", [False, True])
def test_ctrl_c_has_the_status_of_the_shell(
    run: Run, service: Emulator, monkeypatch: pytest.MonkeyPatch, is_question: bool
) -> None:
    """At a question, Click makes one exception of it and of the end of standard input."""

    def interrupt(_: object) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            if is_question:
                raise click.Abort from None
            raise

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


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every update is shown."""
    monkeypatch.setattr(terminal, "SILENT_S", 0.0)
    monkeypatch.setattr(terminal, "LINE_INTERVAL_S", 0.0)


def test_a_line_has_sizes_in_the_unit_that_fits(capsys: pytest.CaptureFixture[str]) -> None:
    with terminal.upload_bar(Terminal(), "data") as update:
        update(UploadProgress("obs://work/a", 0, 1_700, 2, 6_691))
        update(UploadProgress("obs://work/a", 2, 6_691, 2, 6_691))
    with terminal.upload_bar(Terminal(), "data") as update:  # whose first report is its last
        update(UploadProgress("obs://work/a", 2, 6_691, 2, 6_691))

    assert capsys.readouterr().err == "Uploading data: 25%, 1.7 kB of 6.7 kB\nUploading data: 100%, 6.7 kB of 6.7 kB\n"


KEY = "\x1b[31mRED\x1b]0;title\x07\n\x9b\u202e"
SHOWN = r"\x1b[31mRED\x1b]0;title\x07\n\x9b\u202e"


def test_control_characters_of_keys_are_shown_escaped(run: Run, service: Emulator) -> None:
    """Each object has one line; JSON has the key as it is, and still no control character."""
    service.objects.put(f"obs://work/odd/{KEY}", "1")

    done = run("obs", "ls", "obs://work/odd/")

    assert [line.split(maxsplit=4)[-1] for line in done.stdout.splitlines()] == ["URL", f"obs://work/odd/{SHOWN}"]
    done = run("obs", "ls", "obs://work/odd/", "-o", "json")
    assert [each["url"] for each in json.loads(done.stdout)] == [f"obs://work/odd/{KEY}"]
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(done.stdout)


def test_a_log_is_printed_as_the_script_wrote_it(run: Run, service: Emulator, submit: Submit) -> None:
    service.plans.add(job="bell", duration=1, log=["done\x07"])
    job = submit("bell")
    service.clock.advance(60)

    assert "done\x07" in run("job", "logs", job.id).stdout


ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "cli.md").read_text("utf-8")


def test_every_exit_status_and_every_key_is_documented() -> None:
    numbers = {value for name, value in vars(exit_status).items() if name.isupper() and isinstance(value, int)}
    keys = {key.replace("_", "-") for key in ALIASES} - {"environments", "hyperparameters", "parameter"}

    assert numbers == {int(number) for number in re.findall(r"(?m)^\| (\d+) \|", PAGE)}
    for key in (*SETTINGS, *keys):
        assert f"`{key}`" in PAGE or f"`{key.replace('_', '-')}`" in PAGE or f"\n{key}:" in PAGE, key
    assert set(NAMES.values()) <= set(SETTINGS)
