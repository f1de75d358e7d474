"""The help of `modelarts emulator` shows its options in groups."""

from __future__ import annotations

from click.testing import CliRunner

from modelarts_emulator.cli.emulator import emulator
from modelarts_emulator.cli.option_groups import GROUPS, OTHERS


def test_every_option_is_in_one_group_and_every_group_has_options() -> None:
    """A new option finds its group here; only --help is left for the others."""
    grouped = [name for names in GROUPS.values() for name in names]
    options = {str(parameter.name) for parameter in emulator.params}

    assert len(grouped) == len(set(grouped))
    assert set(grouped) == options


def test_help_shows_the_groups_in_their_order() -> None:
    text = CliRunner().invoke(emulator, ["--help"]).stdout

    places = [text.index(f"{title}:") for title in (*GROUPS, OTHERS, "Commands")]
    assert places == sorted(places)
