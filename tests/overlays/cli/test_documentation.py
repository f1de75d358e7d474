"""What the pages and the README show can be typed."""

import re
import shlex
from pathlib import Path

import click
import pytest

from modelarts_toolkit.cli import exit_status
from modelarts_toolkit.cli.commands import modelarts
from modelarts_toolkit.cli.job_options import NAMES
from modelarts_toolkit.jobfiles.file import parse_job_file
from modelarts_toolkit.jobfiles.plan import ALIASES, SETTINGS, settings_of

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "cli.md").read_text("utf-8")
PAGES = sorted({ROOT / "README.md", *(ROOT / "docs").rglob("*.md")})
LINES = [
    line.split("  #")[0].strip().removeprefix("$ ")
    for page in PAGES
    for block in re.findall(r"^```(?:sh|bash|console)\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    for line in block.replace("\\\n", "").splitlines()
    if line.removeprefix("$ ").startswith("modelarts ")
]


@pytest.mark.parametrize("line", LINES)
def test_a_command_that_is_shown_exists_with_its_options(line: str) -> None:
    """It is parsed, not run; files that it names need not exist."""
    command: click.Command = modelarts
    context = click.Context(modelarts, info_name="modelarts")
    words = shlex.split(line)[1:]
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words.pop(0))
        assert found is not None, line
        command, context = found, click.Context(found, parent=context, **found.context_settings)

    options, _, _ = command.make_parser(context).parse_args(words)

    known = {parameter.name for parameter in command.get_params(context)}
    assert set(options) <= known


def test_the_job_file_that_is_shown_is_valid() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)

    settings, wire, problems = settings_of(parse_job_file(text, "job.yaml"))

    assert settings["parameters"] == {"lr": "0.10"}
    assert (wire, problems) == ({}, [])


def test_every_exit_status_and_every_key_is_documented() -> None:
    numbers = {value for name, value in vars(exit_status).items() if name.isupper() and isinstance(value, int)}
    keys = {key.replace("_", "-") for key in ALIASES} - {"environments", "hyperparameters", "parameter"}

    assert numbers == {int(number) for number in re.findall(r"(?m)^\| (\d+) \|", PAGE)}
    for key in (*SETTINGS, *keys):
        assert f"`{key}`" in PAGE or f"`{key.replace('_', '-')}`" in PAGE or f"\n{key}:" in PAGE, key
    assert set(NAMES.values()) <= set(SETTINGS)
