"""The emulator as a whole, in a thread of this process (`Emulator`) or as a process of its own (`serve`)."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from modelarts_emulator import identity
from modelarts_emulator.environment import endpoint, environment
from modelarts_emulator.site import Options, Site

__all__ = ["Emulator", "Options", "serve"]


class Emulator:
    """An emulator in a thread of this process, on real ports, for the time of a `with` block.

    Takes the members of `Options`; ports are free ones unless given. Jobs end with the block, unless `keep_jobs`.
    """

    def __init__(self, data_dir: Path | str, port: int = 0, obs_port: int = 0, **options: object) -> None:
        self._options = Options(Path(data_dir), port, obs_port, **options)  # type: ignore[arg-type]
        self._outcome: BaseException | None = None

    def __enter__(self) -> Emulator:
        self._site = Site(self._options)
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="emulator", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._outcome is not None:
            self._thread.join()
            raise self._outcome
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        if self._outcome is not None:
            raise self._outcome

    @property
    def endpoint(self) -> str:
        """Where IAM and ModelArts are."""
        return endpoint(self._site.port)

    @property
    def obs_endpoint(self) -> str:
        """Where the object store is."""
        return endpoint(self._site.obs_port)

    @property
    def identity(self) -> identity.Identity:
        """The first identity."""
        return self._site.identities[0]

    @property
    def data_dir(self) -> Path:
        return self._site.folder.path

    def environment(self) -> dict[str, str]:
        """What `modelarts emulator env` prints."""
        return environment(self.endpoint, self.obs_endpoint, self.identity)

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as error:
            self._outcome = error
        finally:
            self._site.close()
            self._ready.set()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        await self._site.run(self._stop, asyncio.Event(), self._ready.set)


def serve(options: Options, announce: Callable[[str], None]) -> None:
    """Serve in this process until SIGINT, SIGTERM or SIGHUP; a second signal does not wait for jobs to end.

    `announce` gets one line when both ports answer. Raises EmulatorError if the emulator cannot start.
    """
    site = Site(options)
    try:
        asyncio.run(_serve(site, announce))
    finally:
        site.close()


async def _serve(site: Site, announce: Callable[[str], None]) -> None:
    stop, hurry = asyncio.Event(), asyncio.Event()

    def interrupt() -> None:
        if stop.is_set():
            hurry.set()
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, interrupt)
    user = site.identities[0]
    line = (
        f"ModelArts emulator ready: {endpoint(site.port)} (objects {endpoint(site.obs_port)}),"
        f" project {user.project} {user.project_id}, data in {site.folder.path}"
    )
    await site.run(stop, hurry, lambda: announce(line))
