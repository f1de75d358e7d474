"""`modelarts contract record`: keep the exchanges of any client, through a proxy."""

from __future__ import annotations

import threading
from pathlib import Path

import click

__all__ = ["record"]


@click.command()
@click.argument("service", metavar="URL")
@click.argument("recording", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--port", default=0, help="Port on 127.0.0.1; a free one by default.")
def record(service: str, recording: Path, port: int) -> None:
    """Serve URL through a proxy on this machine and record what passes, without secrets, ids and names.

    Example: modelarts contract record https://modelarts.eu-de.otc.t-systems.com session.har
    """
    from modelarts_contract.proxy import serving
    from modelarts_contract.recording import Recording

    kept = Recording(recording)
    try:
        with serving(service, kept.keep, port) as address:
            click.echo(f"Use {address} instead of {service}; Ctrl-C ends the recording.", err=True)
            wait_for_interrupt()
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    click.echo(f"{len(kept)} exchanges are in {recording}.", err=True)


def wait_for_interrupt() -> None:
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        click.echo(err=True)
