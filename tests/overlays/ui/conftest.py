"""The page of a real emulator, served as `modelarts ui` serves it."""

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import httpx
import pytest
from tests.overlays.cli.conftest import job_request

from modelarts_emulator.server import Emulator
from modelarts_toolkit import AsyncModelArts, Job, ModelArts
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.ui.app import PageServer, listen
from modelarts_toolkit.ui.emulator import control_of
from modelarts_toolkit.ui.own_curves import OwnCurves
from modelarts_toolkit.ui.site import Site

TOKEN = "the-token-of-the-page"
WAIT_S = 300
SCRIPT = """\
import sys
options = dict(each.lstrip("-").split("=", 1) for each in sys.argv[1:])
for epoch in range(int(options.get("epochs", 3))):
    print(f"epoch {epoch} loss: {float(options.get('start', 1)) / (epoch + 1):.3f}", flush=True)
print("\\x1b[32mgreen\\x1b[0m <script>alert(1)</script>", flush=True)
if "module" in options:
    __import__(options["module"])
"""


class Served:
    """A page in a thread of its own; `client` has its token, `address` is what the command prints."""

    def __init__(self, config: Config, environment: dict[str, str], *, may_write: bool = True, **client: Any) -> None:
        self._listening = listen(0)
        self.port = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.address = f"{self.url}/#token={TOKEN}"
        self.client = httpx.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=WAIT_S, trust_env=False
        )
        self._config, self._environment, self._may_write = config, environment, may_write
        self._client = {"timeout": 10, **client}
        self._server: PageServer | None = None
        self._started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))

    async def _serve(self) -> None:
        control = await control_of(self._config.endpoint or "", self._environment)
        async with AsyncModelArts(config=self._config, **self._client) as ma:
            site = Site(ma, may_write=self._may_write, emulator=control, page_pause_s=0.1, log_poll=(0.05, 0.2))
            site.curves = OwnCurves(pause_s=0.1, delay_s=0)
            self._server = PageServer(site, token=TOKEN, port=self.port)
            self._started.set()
            await self._server.serve(sockets=[self._listening])

    def __enter__(self) -> "Served":
        self._thread.start()
        assert self._started.wait(WAIT_S)
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()
        assert self._server is not None
        self._server.should_exit = True
        self._thread.join(WAIT_S)

    def events(self, path: str, last_id: str = "") -> "Iterator[tuple[str, Any, str]]":
        """The events of a stream, each with its name, its data and its id."""
        with self.client.stream("GET", path, headers={"Last-Event-ID": last_id} if last_id else {}) as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            found: dict[str, str] = {}
            for line in response.iter_lines():
                name, _, value = line.partition(": ")
                if line:
                    found[name] = value
                elif "event" in found:
                    yield found["event"], json.loads(found["data"]), found.get("id", "")
                    found = {}


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """An emulator that really runs scripts."""
    with Emulator(tmp_path_factory.mktemp("emulator"), record_calls=True) as emulator:
        with ModelArts(config=Config.load(environ=emulator.environment())) as ma:
            folder = tmp_path_factory.mktemp("code")
            (folder / "train.py").write_text(SCRIPT)
            ma.obs.create_bucket("page")
            ma.obs.upload(folder, "obs://page/code/")
        yield emulator


@pytest.fixture(scope="session")
def served(trained: Emulator) -> Iterator[Served]:
    """The page of that emulator."""
    environment = trained.environment()
    with Served(Config.load(environ=environment), environment) as served:
        yield served


@pytest.fixture
def ma(trained: Emulator) -> Iterator[ModelArts]:
    with ModelArts(config=Config.load(environ=trained.environment())) as ma:
        yield ma


@pytest.fixture(scope="session")
def ended(trained: Emulator) -> Job:
    """A job of 1,200 epochs that has completed; no test changes it."""
    with ModelArts(config=Config.load(environ=trained.environment())) as ma:
        return submitted(ma, "ended", epochs=1200).wait(timeout=WAIT_S)


def submitted(ma: ModelArts, name: str, outputs: Sequence[object] = (), **parameters: object) -> Job:
    """A job that trains with these hyperparameters."""
    code: Any = {"code_dir": "/page/code/", "boot_file": "/page/code/train.py"}
    given = [{"name": key, "value": str(value)} for key, value in parameters.items()]
    return ma.jobs.submit(job_request(name, **code, outputs=outputs, parameters=given), unique=True)


def simulated(ma: ModelArts, name: str, nodes: int = 1, **parameters: object) -> Job:
    """A job for an emulator that only simulates jobs."""
    given = [{"name": key, "value": str(value)} for key, value in parameters.items()]
    image = {"command": "true", "engine": {"image_url": "team/image:1"}, "parameters": given}
    return ma.jobs.submit(job_request(name, nodes) | {"algorithm": image})
