"""A small service behind a mock transport, and both clients of it under one face."""

import asyncio
import itertools
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from modelarts_emulator.server import Emulator
from modelarts_toolkit import AsyncModelArts, ModelArts, Obs
from modelarts_toolkit.jobs._async.jobs import AsyncJobs
from modelarts_toolkit.jobs._sync.jobs import Jobs
from modelarts_toolkit.jobs.polling import AsyncClock, Clock
from modelarts_toolkit.settings.config import ENVIRONMENT, Config, Settings

IAM = "https://iam.example.com"
ENDPOINT = "https://modelarts.example.com"
PASSWORD = "correct horse"
PROJECT = "6a0c2f4e8b1d4c3f9e5a7b2d1c8f0e34"
JOB = "425b7087-83de-49ab-b8c0-4ac3d7bb76a0"

Handler = Callable[[httpx.Request], httpx.Response]
Call = Callable[..., Any]

# The synchronous workflows are derived from the asynchronous ones; most users call the derived ones.
CLIENTS = ["async", "sync"]


class Service:
    """Logs users in and hands every other call to `responses`, which a test replaces."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.logins = 0
        self.expires_at = "2999-01-01T00:00:00.000000Z"
        self.valid: set[str] = set()
        self.responses: Handler = lambda _: httpx.Response(200, json={})
        self._lock = threading.Lock()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            self.requests.append(request)
        if request.url.path == "/v3/auth/tokens":
            return self._log_in(request)
        if request.headers.get("X-Auth-Token") not in self.valid:
            return httpx.Response(401, json={"error_code": "ModelArts.0203", "error_msg": "Invalid token."})
        return self.responses(request)

    def _log_in(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            self.logins += 1
            token = f"token-{self.logins}"
        user = json.loads(request.content)["auth"]["identity"]["password"]["user"]
        if user["password"] != PASSWORD:
            error = {"code": 401, "title": "Unauthorized", "message": "The username or password is wrong."}
            return httpx.Response(401, json={"error": error})
        self.valid.add(token)
        return httpx.Response(201, headers={"X-Subject-Token": token}, json={"token": {"expires_at": self.expires_at}})

    def calls(self, path: str) -> int:
        return sum(request.url.path.endswith(path) for request in self.requests)


class Twin:
    """One of the two clients; `do` runs a piece of work that is written for both."""

    def __init__(self, kind: str) -> None:
        self.is_async = kind == "async"
        self.delay = 0.005  # seconds until the service gets a request

    def transport(self, service: Handler) -> httpx.MockTransport:
        """The service behind a network that takes its time, so that what can overlap does."""

        def response(request: httpx.Request) -> httpx.Response:
            time.sleep(self.delay)
            return service(request)

        async def respond_async(request: httpx.Request) -> httpx.Response:
            await asyncio.sleep(self.delay)
            return service(request)

        return httpx.MockTransport(respond_async if self.is_async else response)

    def do(self, *steps: Callable[[Any], Any], **arguments: Any) -> Any:
        """What the last step comes to: a result, an awaitable of it, or an iterator whose items are listed.

        The first step is called with the client, each other one with the result of the step before.
        """
        *before, last = steps
        if not self.is_async:
            with ModelArts(**arguments) as ma:
                found: Any = ma
                for step in before:
                    found = step(found)
                result = last(found)
                return list(result) if hasattr(result, "__next__") else result

        async def run() -> Any:
            async with AsyncModelArts(**arguments) as ma:
                found: Any = ma
                for step in before:
                    found = await step(found)
                result = last(found)
                return [item async for item in result] if hasattr(result, "__anext__") else await result

        return asyncio.run(run())

    def at_once(self, work: Callable[[Any], Any], count: int, **arguments: Any) -> list[Any]:
        """The results or errors of `count` pieces of work started at the same time on one client."""
        if self.is_async:

            async def run() -> list[Any]:
                async with AsyncModelArts(**arguments) as ma:
                    return await asyncio.gather(*(work(ma) for _ in range(count)), return_exceptions=True)

            return asyncio.run(run())

        results: list[Any] = []
        barrier = threading.Barrier(count)

        def one(ma: ModelArts) -> None:
            barrier.wait()
            try:
                results.append(work(ma))
            except Exception as error:
                results.append(error)

        with ModelArts(**arguments) as ma:
            assert ma.v2 is not None
            threads = [threading.Thread(target=one, args=[ma]) for _ in range(count)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        return results


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of the machine that runs the tests plays a part in them."""
    for variable in itertools.chain(*ENVIRONMENT.values(), ["MODELARTS_PROFILE", "OS_CLOUD", "OS_CLIENT_CONFIG_FILE"]):
        monkeypatch.delenv(variable, raising=False)
    empty = tmp_path / "empty.toml"
    empty.touch()
    monkeypatch.setenv("MODELARTS_CONFIG_FILE", str(empty))


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def settings() -> Settings:
    return {
        "endpoint": ENDPOINT,
        "iam_endpoint": IAM,
        "username": "developer",
        "password": PASSWORD,
        "domain_name": "account",
        "project_name": "region",
        "project_id": PROJECT,
    }


@pytest.fixture(params=CLIENTS)
def twin(request: pytest.FixtureRequest) -> Twin:
    return Twin(request.param)


@pytest.fixture
def do(twin: Twin, service: Service, settings: Settings) -> Call:
    """`do(*steps, **others)`: what these steps with a client of the service come to; `others` are more settings."""
    return lambda *steps, **others: twin.do(*steps, transport=twin.transport(service), **{**settings, **others})


MOST_SLEEPS = 10_000  # of one test in virtual time: whoever sleeps more often does not find the end


class VirtualTime:
    """A clock that runs only when somebody sleeps; it rejects what `time.sleep` rejects, and waits without end."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.sleeps: list[float] = []

    def _pass(self, seconds: float) -> None:
        assert seconds >= 0
        assert len(self.sleeps) < MOST_SLEEPS
        self.sleeps.append(seconds)
        self.seconds += seconds

    async def _pass_async(self, seconds: float) -> None:
        self._pass(seconds)

    @property
    def blocking(self) -> Clock:
        return Clock(lambda: self.seconds, self._pass)

    @property
    def asyncio(self) -> AsyncClock:
        return AsyncClock(lambda: self.seconds, self._pass_async)


@pytest.fixture
def virtual_time() -> VirtualTime:
    return VirtualTime()


def with_jobs(kind: str, service: Handler, time: VirtualTime, work: Callable[[Any], Any]) -> Any:
    """What `work(ma.jobs)` comes to with the client of this kind, in virtual time and without retries of requests."""
    settings: Settings = {"endpoint": ENDPOINT, "token": "the-token", "project_id": PROJECT, "retries": 0}
    twin = Twin(kind)

    def work_with(ma: Any) -> Any:
        return work(AsyncJobs(ma, clock=time.asyncio) if twin.is_async else Jobs(ma, clock=time.blocking))

    return twin.do(work_with, transport=httpx.MockTransport(service), **settings)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """An emulator that really runs jobs, which the tests of a module share, most of them for its objects."""
    with Emulator(data_dir=tmp_path_factory.mktemp("emulator")) as emulator:
        yield emulator


@pytest.fixture
def obs_config(store: Emulator) -> Config:
    return Config.load(environ=store.environment())


@pytest.fixture(params=CLIENTS)
def obs(request: pytest.FixtureRequest, store: Emulator, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """`obs("upload", ...)` calls `ma.obs.upload(...)` of the one client or of the other.

    For the asynchronous client, the store lists objects in the first form only, as users report of the clouds.
    """
    if request.param == "async":
        store.faults.add(kind="first_form", document="obs")
    for name, value in store.environment().items():
        monkeypatch.setenv(name, value)

    def call(method: str, *arguments: Any, **options: Any) -> Any:
        return Twin(request.param).do(lambda ma: getattr(ma.obs, method)(*arguments, **options))

    yield call
    store.faults.clear()


@pytest.fixture
def bucket(obs_config: Config, request: pytest.FixtureRequest) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower()).strip("-")[-40:].strip("-")
    Obs(obs_config).create_bucket(name)
    return name


@pytest.fixture
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A job file with the text `FILE` of the test's module, beside its code."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "train.py").write_text("print('hello')\n")
    path = tmp_path / "job.yaml"
    path.write_text(request.module.FILE)
    return path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / "sub" / "deeper").mkdir(parents=True)
    (folder / "a.txt").write_text("a")
    (folder / "sub" / "b b%20+#?ü.txt").write_text("bb")
    (folder / "sub" / "deeper" / "empty").write_bytes(b"")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """The files below a folder by their relative paths."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
