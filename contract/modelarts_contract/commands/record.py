"""`modelarts contract record`: keep the exchanges of any client, through a proxy.

Exit status: 0 the recording was ended by Ctrl-C or SIGTERM, 1 something could not be written, 2 wrong usage.
"""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import click

__all__ = ["record"]


@click.command(short_help="Record the calls of any client through a proxy.")
@click.argument("service", metavar="URL")
@click.argument("recording", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port on 127.0.0.1.  [default: a free one]")
def record(service: str, recording: Path, port: int) -> None:
    """Serve URL through a proxy on this machine, and write what passes into the HAR file RECORDING.

    Secrets, ids, names, paths of objects and log lines are replaced before they reach the disk. Ctrl-C or SIGTERM
    ends it.

    \b
    Example:
      modelarts contract record https://modelarts.eu-de.otc.t-systems.com session.har
    """
    from modelarts_contract.exchange import Exchange
    from modelarts_contract.proxy import serving
    from modelarts_contract.recording import Recording

    if recording.exists():
        raise click.UsageError(f"{recording} exists already: name another file, or delete it")
    if not recording.parent.is_dir():
        raise click.UsageError(f"{recording.parent} is not a folder: make it first")
    kept = Recording(recording)
    lost = 0

    def keep(exchange: Exchange) -> None:
        nonlocal lost
        try:
            kept.keep(exchange)
        except OSError as error:
            lost += 1
            click.echo(f"{recording} cannot be written ({error.strerror}): the call is not in it", err=True)

    try:
        with serving(service, keep, port) as address:
            click.echo(f"Use {address} instead of {service}; Ctrl-C ends the recording.", err=True)
            wait_for_signal()
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except OSError as error:
        raise click.UsageError(
            f"port {port} cannot be used ({os.strerror(error.errno or 0)}): name another, or none"
        ) from None
    click.echo(f"{len(kept)} exchanges are in {recording}." if len(kept) else "Nothing was recorded.", err=True)
    if lost:
        raise SystemExit(1)


def wait_for_signal() -> None:
    """Wait for Ctrl-C or SIGTERM; a script that starts the command with `&` lets it ignore SIGINT otherwise."""
    received = threading.Event()
    before = {number: signal.signal(number, lambda *_: received.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    received.wait()
    for number, handler in before.items():
        signal.signal(number, handler)
    click.echo(err=True)
