"""`modelarts contract`: a module for each command, which is loaded when the command is used.

So `diff` works, as `python -m modelarts_contract diff`, while the toolkit and the generated client cannot be loaded.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from modelarts_contract.declarations import OverlayError

__all__ = ["contract"]

COMMANDS = ("run", "evidence", "clean", "record", "check", "diff")


class Commands(click.Group):
    """A group whose commands are in modules of their names."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature of the base class
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - the same
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = getattr(import_module(f"{__name__}.{cmd_name}"), cmd_name)
        return found

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an overlay that is not understood ends it with a message."""
        try:
            return super().invoke(ctx)
        except OverlayError as error:
            raise click.ClickException(str(error)) from None


@click.group(cls=Commands)
def contract() -> None:
    """Check clients and services against the documents.

    \b
    Examples:
      modelarts contract run --report contract-report
      modelarts contract record https://modelarts.eu-de.otc.t-systems.com session.har
      modelarts contract check session.har
    """
