"""`modelarts contract record`: keep the exchanges of any client, through a proxy.

Exit status: 0 the recording was ended by Ctrl-C or SIGTERM, 2 wrong usage.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from pathlib import Path

import click

from modelarts_contract.commands.options import handling_signals

__all__ = ["record"]

AT_A_TIME = 40  # requests


@click.command(short_help="Record the calls of any client through a proxy.")
@click.argument("service", metavar="[URL]")
@click.argument("recording", required=False)
@click.option("--profile", metavar="NAME", help="Profile of the settings (modelarts config).")
@click.option("--cloud", metavar="NAME", help="Cloud of OpenStack's clouds.yaml instead.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port on 127.0.0.1.  [default: a free one]")
def record(service: str, recording: str | None, profile: str | None, cloud: str | None, port: int) -> None:
    """Serve URL through a proxy on this machine, and write what passes into the HAR file RECORDING.

    The way to the service, its certificates and a proxy, is that of the settings; without URL, so is its address.
    Secrets, ids, names, paths of objects and log lines are replaced before they reach the disk. Ctrl-C or SIGTERM
    ends it.

    \b
    Examples:
      modelarts contract record https://modelarts.eu-de.otc.t-systems.com session.har
      modelarts contract record --profile work session.har
    """
    from modelarts_contract.proxy import serving
    from modelarts_contract.recording import Recording, keeping
    from modelarts_toolkit.errors import ConfigError
    from modelarts_toolkit.settings.config import Config

    file = Path(service if recording is None else recording)
    if file.is_dir() or not file.parent.is_dir():
        wrong = f"{file} is a folder: name a file" if file.is_dir() else f"{file.parent} is not a folder: make it first"
        raise click.UsageError(wrong)
    if file.exists():
        raise click.UsageError(f"{file} already exists: name another file, or delete it")
    kept = Recording(file)
    try:
        config = Config.load(profile, cloud=cloud)
        url = config.endpoint if recording is None else service
        if not url:
            raise click.UsageError("no service is configured: name its URL, or a profile or cloud that has one")
        with serving(url, keeping(url, kept.keep), config=config, port=port, at_a_time=AT_A_TIME) as address:
            # A script that starts the command with `&` lets it ignore SIGINT otherwise.
            with contextlib.suppress(KeyboardInterrupt), handling_signals(signal.default_int_handler):
                click.echo(f"Use {address} instead of {url}; Ctrl-C ends the recording.", err=True)
                threading.Event().wait()
            click.echo(err=True)
    except (ConfigError, ValueError) as error:
        raise click.UsageError(str(error)) from None
    except OSError as error:
        raise click.UsageError(
            f"port {port} cannot be used ({os.strerror(error.errno or 0)}): name another, or none"
        ) from None
    click.echo(f"{kept.count} exchanges are in {file}." if kept.count else "Nothing was recorded.", err=True)
