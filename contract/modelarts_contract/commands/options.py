"""What commands share: the option `--documents`, and how errors of settings and of a service end a command."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import psutil

import modelarts_openapi
from modelarts_contract.temporary import remove_all

__all__ = ["EXISTING", "INTERRUPTED", "as_exit_status", "documents_option", "handling_signals"]

EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)
SIGNALS = (signal.SIGINT, signal.SIGTERM)
NOT_TRIED, LEFT, INTERRUPTED = 3, 4, 130
END_LIMIT_S = 15.0
ENDED = b"""Interrupted a second time: ended without a report.
What a run with --write has created may be left: run modelarts contract clean with the same settings.
"""


def chosen_documents(_context: click.Context, _option: click.Parameter, value: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in value.split(",")))
    if unknown := [name for name in names if name not in modelarts_openapi.NAMES]:
        known = ", ".join(modelarts_openapi.NAMES)
        raise click.BadParameter(
            f"no document is named {', '.join(map(repr, unknown))}; the documents are {known}. "
            'Another one is added to the toolkit first, as the page "Add a document" says'
        )
    return names


documents_option = click.option(
    "--documents",
    default=",".join(modelarts_openapi.NAMES),
    show_default=True,
    callback=chosen_documents,
    help="Names, separated by commas.",
)


@contextlib.contextmanager
def as_exit_status() -> Iterator[None]:
    """Turn errors of settings into usage errors, and those of a service into a sentence and an exit status.

    SIGTERM ends the block like Ctrl-C, so that a run cleans up; a second signal ends the process at once,
    with a sentence.
    """
    from modelarts_contract.emulator import EmulatorError
    from modelarts_contract.run.real import LeftError, ServiceError
    from modelarts_contract.run.runs import RunError
    from modelarts_toolkit.errors import ConfigError, ToolkitError

    try:
        with handling_signals(interrupt):
            yield
    except ConfigError as problem:
        raise click.UsageError(str(problem)) from None
    except (EmulatorError, RunError, ServiceError, ToolkitError) as problem:
        click.echo(f"Error: {problem}", err=True)
        raise SystemExit(LEFT if isinstance(problem, LeftError) else NOT_TRIED) from None
    except OSError as problem:
        is_full = problem.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        said = f"a file of the run cannot be written ({problem.strerror}): make room" if is_full else problem
        click.echo(f"Error: {said}", err=True)
        raise SystemExit(NOT_TRIED) from None
    except KeyboardInterrupt:
        click.echo("Interrupted.", err=True)
        raise SystemExit(INTERRUPTED) from None


@contextlib.contextmanager
def handling_signals(handler: Callable[..., object]) -> Iterator[None]:
    """Let the function handle SIGINT and SIGTERM within the block."""
    before = {number: signal.signal(number, handler) for number in SIGNALS}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def interrupt(*_: object) -> None:
    """Raise KeyboardInterrupt, and let the next signal end the process."""
    for number in SIGNALS:
        signal.signal(number, end)
    raise KeyboardInterrupt


def end(*_: object) -> None:
    """End this process and those that it started at once; emulators delete their temporary files."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    os.write(2, ENDED)
    children = psutil.Process().children(recursive=True)
    for child in children:
        with contextlib.suppress(psutil.Error):
            child.terminate()
    for child in psutil.wait_procs(children, timeout=END_LIMIT_S)[1]:
        child.kill()
    remove_all()
    os._exit(INTERRUPTED)
