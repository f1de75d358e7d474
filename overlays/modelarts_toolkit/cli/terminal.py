"""What commands print, and the options for it: results on standard output, everything else on standard error."""

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial, reduce, wraps
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast

import click

from modelarts_api.phases import ABNORMAL, COMPLETED, FAILED, RUNNING, TERMINATED, TERMINATING
from modelarts_toolkit.cli.escapes import LINES, escaped, escaped_json
from modelarts_toolkit.cli.groups import COMMON, Option
from modelarts_toolkit.curves.sparklines import BARS, curve_lines
from modelarts_toolkit.texts import number_text, shortened, size_text

if TYPE_CHECKING:
    from modelarts_toolkit import ModelArts
    from modelarts_toolkit.curves.curves import Curve
    from modelarts_toolkit.storage.uploads import OnUpload, UploadProgress

F = TypeVar("F", bound=Callable[..., Any])
Format: TypeAlias = Literal["table", "json", "yaml"]

COLOURS = {
    COMPLETED: "green",
    RUNNING: "cyan",
    FAILED: "red",
    ABNORMAL: "red",
    TERMINATED: "yellow",
    TERMINATING: "yellow",
    "Error": "red",
    "Warning": "yellow",
}
CLIENT = "modelarts_toolkit.cli.client"
NARROWEST_COLUMN = 10  # characters; a wider column can be cut to this
FEWEST_COLUMNS = 2
SILENT_S = 1.0  # before the progress of an upload is shown, as a bar on a terminal, as lines elsewhere
BAR_INTERVAL_S = 0.1
LINE_INTERVAL_S = 10.0
BAR_WIDTH = 24  # characters
STYLE = re.compile(r"\x1b\[[0-9;]*[mKA-D]")  # colours of progress bars, and moves to their line


class LiveLine:
    """The newest text of a line that is not finished, at the bottom of a terminal; elsewhere nothing."""

    to_stderr: bool | None = None  # where it is, if it is shown

    def show(self, text: str, *, to_stderr: bool) -> None:
        """Show the text without control characters, cut to one line, until `clear`."""
        if text and is_terminal(to_stderr=to_stderr):
            self.to_stderr = to_stderr
            shown = cut_to(escaped(STYLE.sub("", text)), shutil.get_terminal_size().columns - 1)
            click.echo(shown, nl=False, err=to_stderr)

    def clear(self) -> None:
        """Remove the text, before something else is printed."""
        if self.to_stderr is not None:
            click.echo("\r\x1b[K", nl=False, err=self.to_stderr)
            self.to_stderr = None


@dataclass(frozen=True, slots=True)
class Terminal:
    """Where a command's output goes, and in which format; connects to the service with the options of the command."""

    format: Format = "table"
    profile: str | None = None
    cloud: str | None = None
    quiet: bool = False
    live: LiveLine = field(default_factory=LiveLine, compare=False)

    def connect(self) -> "ModelArts":
        """Return the client for the options: one per command, closed at the command's end."""
        from modelarts_toolkit import ModelArts

        context = click.get_current_context()
        if CLIENT not in context.meta:
            context.meta[CLIENT] = context.with_resource(ModelArts(profile=self.profile, cloud=self.cloud))
        client: ModelArts = context.meta[CLIENT]
        return client

    def note(self, message: str) -> None:
        """Print a message on standard error, unless the command is quiet."""
        self.live.clear()
        if not self.quiet:
            click.echo(escaped(message, kept=LINES), err=True)

    def show_document(self, document: Any) -> bool:
        """Print the document as JSON or YAML; returns False if the format is table."""
        if self.format == "json":
            click.echo(escaped_json(json.dumps(document, indent=2, ensure_ascii=False)))
        elif self.format == "yaml":
            import yaml

            click.echo(yaml.safe_dump(document, sort_keys=False, allow_unicode=True), nl=False)
        return self.format != "table"

    def show_rows(self, rows: Sequence[Mapping[str, Any]], documents: Any, empty: str) -> None:
        """Print a table of the rows, or the documents in another format; without rows, note `empty`."""
        if self.show_document(documents):
            return
        if rows:
            for line in table(rows, shutil.get_terminal_size().columns if sys.stdout.isatty() else None):
                click.echo(line)
        else:
            self.note(empty)

    def show_fields(self, fields: Mapping[str, Any], document: Any) -> None:
        """Print names and values, one per line, or the document in another format."""
        if self.show_document(document):
            return
        width = max(map(len, fields), default=0)
        for name, value in fields.items():
            if value not in (None, "", []):
                click.echo(f"{name.ljust(width)}  {coloured(as_text(value))}")


def is_terminal(*, to_stderr: bool = False) -> bool:
    """Whether people see what is printed, on a terminal that can rewrite a line."""
    return (sys.stderr if to_stderr else sys.stdout).isatty() and os.environ.get("TERM") != "dumb"


def cut_to(text: str, columns: int) -> str:
    """Cut the text to this width; wide characters take two columns, and marks none."""
    import unicodedata

    for place, sign in enumerate(text):
        columns -= 0 if unicodedata.combining(sign) else 1 + (unicodedata.east_asian_width(sign) in "WF")
        if columns < 0:
            return text[:place]
    return text


def table(rows: Sequence[Mapping[str, Any]], width: int | None = None) -> Iterable[str]:
    """Yield the lines of a table with the columns of the first row.

    To fit the width, the widest columns are cut; if that is not enough, the last columns are left out.
    """
    names = list(rows[0])
    cells = [[name.upper().replace("_", " ") for name in names]]
    cells += [[as_text(row.get(name)) for name in names] for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
    while width is not None and sum(widths) + 2 * (len(widths) - 1) > width:
        widest = widths.index(max(widths))
        if widths[widest] > NARROWEST_COLUMN:
            widths[widest] -= 1
        elif len(widths) > FEWEST_COLUMNS:
            widths.pop()
            cells = [line[:-1] for line in cells]
        else:
            break
    for line in cells:
        cut = [shortened(text, size) for text, size in zip(line, widths, strict=True)]
        padded = [coloured(text) + " " * (size - len(text)) for text, size in zip(cut, widths, strict=True)]
        yield "  ".join(padded).rstrip()


def as_text(value: Any) -> str:
    """Return a value as text on one line, without control characters."""
    if value is None:
        return ""
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, list | tuple):
        return ", ".join(map(as_text, value))
    return escaped(str(value))


def coloured(text: str) -> str:
    """Return the text, coloured if it is a phase or a level."""
    return click.style(text, fg=COLOURS[text]) if text in COLOURS else text


def show_curves(terminal: Terminal, curves: Iterable["Curve"]) -> None:
    """Draw the curves on standard error, if it is a terminal that can show them."""
    encoding = sys.stderr.encoding or "ascii"
    if sys.stderr.isatty() and BARS.encode(encoding, "ignore").decode(encoding) == BARS:
        for line in curve_lines([*curves], shutil.get_terminal_size().columns):
            terminal.note(line)


@contextmanager
def upload_bar(terminal: Terminal, what: object) -> "Iterator[OnUpload]":
    """Yield a function that shows how far the upload is; remove the bar at the end."""
    is_bar = sys.stderr.isatty() and not terminal.quiet
    due, is_shown = time.monotonic() + SILENT_S, False

    def update(progress: "UploadProgress") -> None:  # called from another thread
        nonlocal due, is_shown
        is_done = progress.bytes >= progress.total_bytes
        if time.monotonic() < due or (is_done and not is_shown):
            return
        due, is_shown = time.monotonic() + (BAR_INTERVAL_S if is_bar else LINE_INTERVAL_S), True
        share = progress.bytes / progress.total_bytes if progress.total_bytes else 1.0
        counts = f"{size_text(progress.bytes)} of {size_text(progress.total_bytes)}"
        if is_bar:
            done = round(share * BAR_WIDTH)
            click.echo(f"\r\033[K{'█' * done}{'░' * (BAR_WIDTH - done)} {counts}", nl=False, err=True)
        else:
            terminal.note(f"Uploading {what}: {share:.0%}, {counts}")

    try:
        yield update
    finally:
        if is_shown and is_bar:
            click.echo("\r\033[K", nl=False, err=True)


_common = partial(click.option, cls=Option, group=COMMON)
_FORMATS = click.Choice(["table", "json", "yaml"])
_format = partial(_common, type=_FORMATS, default="table", show_default=True, help="How to print the result.")
_SOURCES = (
    _common("--profile", metavar="NAME", help="Profile of the settings (modelarts config)."),
    _common("--cloud", metavar="NAME", help="Cloud of OpenStack's clouds.yaml instead."),
    _common("-q", "--quiet", is_flag=True, help="Only print results and errors."),
)


def _with(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        @wraps(function)
        def wrapped(profile: str | None, cloud: str | None, quiet: bool, form: Format = "table", **rest: Any) -> Any:
            if profile and cloud:
                raise click.UsageError("--profile and --cloud are two sources of the same settings: give one")
            return function(Terminal(form, profile, cloud, quiet), **rest)

        return cast("F", reduce(lambda decorated, option: option(decorated), reversed(options), wrapped))

    return decorate


with_terminal = _with(_format("-o", "--output", "form"), *_SOURCES)
"""Give the command a `Terminal` as its first argument, and the options for it."""
with_short_format = _with(_format("-o", "form"), *_SOURCES)
"""As `with_terminal`, for a command whose option --output names output channels: the format is -o only."""
with_sources = _with(*_SOURCES)
"""As `with_terminal`, for a command that prints its result in one way."""
