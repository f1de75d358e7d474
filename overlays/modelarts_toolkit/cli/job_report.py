"""`modelarts job report`: write a job's report as a file to share."""

from pathlib import Path

import click

from modelarts_toolkit.cli.groups import Command
from modelarts_toolkit.cli.job_choice import chosen_by_argument, find_handle
from modelarts_toolkit.cli.options import with_sources
from modelarts_toolkit.cli.terminal import Terminal
from modelarts_toolkit.install import install_command

LOG_LINES = 1000


@click.command(cls=Command)
@chosen_by_argument
@click.option(
    "--html", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="FILE", help="The file to write."
)
@click.option(
    "--lines", type=click.IntRange(0), default=LOG_LINES, show_default=True, help="Number of last lines of the log."
)
@with_sources
def report(terminal: Terminal, job: str | None, last: bool, html: Path, lines: int) -> None:
    """Write an offline page with verdict, curves, log and request of a job."""
    try:
        from modelarts_toolkit.ui.report import report as render
    except ModuleNotFoundError as error:
        raise click.ClickException(f"modelarts job report needs {error.name}: {install_command('ui')}") from error
    text = render(find_handle(terminal.connect(), job, last=last), lines)
    html.write_text(text, encoding="utf-8", errors="replace")
    terminal.note(f"Wrote {html}.")
