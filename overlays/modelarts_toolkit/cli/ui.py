"""`modelarts ui`: the page with jobs, logs and curves, for the browser of this machine."""

import asyncio
import contextlib
import logging
import os
import secrets
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modelarts_toolkit.cli.groups import Command
from modelarts_toolkit.cli.terminal import Terminal, with_sources
from modelarts_toolkit.install import install_command

if TYPE_CHECKING:
    from uvicorn import Server

TIMEOUT_S = 15.0  # of a request, so that a page soon shows that the service does not respond
LOCAL_PAUSE_S = 1.0
LOCAL_POLL = (0.1, 1.0)  # seconds


@click.command(cls=Command)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the page.  [default: any free one]")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option("--allow-writes", is_flag=True, help="Let the page also stop, delete and start jobs of a cloud.")
@click.option("--until-input-ends", is_flag=True, hidden=True, help="Stop at the end of standard input.")
@with_sources
def ui(terminal: Terminal, port: int, no_browser: bool, allow_writes: bool, until_input_ends: bool) -> None:
    """Show jobs, their logs and curves in a browser, live, until Ctrl-C.

    The page is served to this machine only. Anyone who has the printed address can use it, with your login.
    """
    try:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(
                _serve(terminal, port, is_opened=not no_browser, may_write=allow_writes, is_child=until_input_ends)
            )
    except ModuleNotFoundError as error:
        raise click.ClickException(f"modelarts ui needs {error.name}: {install_command('ui')}") from error


async def _serve(terminal: Terminal, port: int, *, is_opened: bool, may_write: bool, is_child: bool) -> None:
    from modelarts_toolkit import AsyncModelArts
    from modelarts_toolkit.ui.app import PageServer, listen
    from modelarts_toolkit.ui.emulator import control_of
    from modelarts_toolkit.ui.site import Site

    async with AsyncModelArts(profile=terminal.profile, cloud=terminal.cloud, timeout=TIMEOUT_S) as ma:
        control = await control_of(ma.config.endpoint or "", os.environ)
        logging.getLogger("modelarts_toolkit").setLevel(logging.ERROR)  # the pages say what fails and is tried again
        site = Site(ma, may_write=may_write or control is not None, emulator=control)
        if control is not None:
            site.page_pause_s, site.log_poll = LOCAL_PAUSE_S, LOCAL_POLL
        with listen(port) as listening:
            port = listening.getsockname()[1]
            token = secrets.token_urlsafe(32)
            server = PageServer(site, token=token, port=port)
            if is_child:
                threading.Thread(target=_end_with_input, args=[server], daemon=True).start()
            address = f"http://127.0.0.1:{port}/#token={token}"
            click.echo(address)
            terminal.note("Ctrl-C ends the page.")
            with _opened(address) if is_opened else contextlib.nullcontext():
                await server.serve(sockets=[listening])


@contextlib.contextmanager
def _opened(address: str) -> Iterator[None]:
    """Open the address in a browser, through a file that only this user can read.

    All users of a machine can read the arguments of its processes, so the browser gets no token there.
    """
    with tempfile.TemporaryDirectory(prefix="modelarts-ui-") as folder:
        page = Path(folder, "open.html")
        page.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={address}">\n', "utf-8")
        webbrowser.open(page.as_uri())
        yield


def _end_with_input(server: "Server") -> None:
    """Stop the server when standard input ends, as with the parent process."""
    with contextlib.suppress(OSError):
        while os.read(sys.stdin.fileno(), 4096):
            pass
    server.should_exit = True
