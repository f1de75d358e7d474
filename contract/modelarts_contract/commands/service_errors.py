"""What a service, or its settings, can do to a command: one sentence and an exit status."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

import click

__all__ = ["LEFT", "NOT_TRIED", "as_exit_status"]

NOT_TRIED, LEFT, INTERRUPTED = 3, 4, 130


@contextlib.contextmanager
def as_exit_status() -> Iterator[None]:
    """Turn errors of settings into usage errors, and those of a service into a sentence and an exit status.

    SIGTERM ends the block like Ctrl-C, so that a run cleans up.
    """
    from modelarts_contract.run.emulator import EmulatorError
    from modelarts_contract.run.real import LeftError, ServiceError
    from modelarts_toolkit.errors import ConfigError, ToolkitError

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except ConfigError as problem:
        raise click.UsageError(str(problem)) from None
    except (EmulatorError, ServiceError, ToolkitError) as problem:
        click.echo(f"Error: {problem}", err=True)
        raise SystemExit(LEFT if isinstance(problem, LeftError) else NOT_TRIED) from None
    except KeyboardInterrupt:
        click.echo("Interrupted.", err=True)
        raise SystemExit(INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGTERM, before)
