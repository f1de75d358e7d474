"""The pictures of the terminal show the commands of their script, which exist."""

from __future__ import annotations

import re
import shlex
import sys
from html import unescape
from pathlib import Path

import click
import pytest

from modelarts_toolkit.cli.commands import modelarts

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def sessions():
    """The commands of each picture."""
    sys.path.insert(0, str(DOCS))
    try:
        from terminal_pictures import SESSIONS
    finally:
        sys.path.remove(str(DOCS))
    return SESSIONS


def test_each_picture_shows_the_commands_of_its_session_and_nothing_from_elsewhere(sessions) -> None:
    """Another command, or another picture, wants `python docs/terminal_pictures.py`."""
    assert {picture.stem for picture in (DOCS / "pictures").glob("*.svg")} == set(sessions)
    for name, commands in sessions.items():
        picture = (DOCS / "pictures" / f"{name}.svg").read_text("utf-8")
        lines = [unescape(line).replace("\xa0", " ") for line in re.findall(r"<text[^>]*>([^<]*)</text>", picture)]

        assert [line.removeprefix("$ ") for line in lines if line.startswith("$ ")] == list(commands)
        assert "url(http" not in picture
        assert str(Path.home()) not in picture


def test_the_commands_exist_with_their_options(sessions) -> None:
    for line in (command for commands in sessions.values() for command in commands if command.startswith("modelarts")):
        command: click.Command = modelarts
        context = click.Context(modelarts, info_name="modelarts")
        words = shlex.split(line)[1:]
        while isinstance(command, click.Group):
            found = command.get_command(context, words.pop(0))
            assert found is not None, line
            command, context = found, click.Context(found, parent=context)

        command.make_parser(context).parse_args(words)
