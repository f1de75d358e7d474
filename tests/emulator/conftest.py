"""A running emulator on real ports with the use case's objects in its store, and an executor moved by hand."""

from __future__ import annotations

import copy
import json
import re
import textwrap
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import event
from sqlalchemy.pool import Pool
from tests.databases import NewDatabase

import modelarts_openapi
from modelarts_emulator.execution.protocol import (
    Executor,
    FailureKind,
    JobSpec,
    PollResult,
    TaskReport,
    for_each,
    task_names,
)
from modelarts_emulator.runtime import FAMILIES
from modelarts_emulator.server import Emulator
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.storage.folder import FolderStore

ROOT = Path(__file__).parents[2]
BUCKET = "cnnorth4-job-test-v2"
CODE = "pytorch/fast_example/code/cpu/test-pytorch.py"
DATA = "pytorch/fast_example/data/digits.csv"


def example(name: str, version: str = "v2") -> Any:
    """One of the documents' example bodies."""
    return json.loads((ROOT / f"openapi/{version}/examples/{name}.json").read_text("utf-8"))


@pytest.fixture(scope="session", autouse=True)
def one_connection_for_each_thread() -> Iterator[None]:
    """No thread asks for a second connection while it has one: a pool of one connection is enough for everything."""
    held = threading.local()

    def check_out(*_: object) -> None:
        is_of_test = threading.current_thread() is threading.main_thread()
        assert is_of_test or not getattr(held, "connection", False), "a thread asks for a second connection"
        held.connection = True

    def check_in(*_: object) -> None:
        held.connection = False

    event.listen(Pool, "checkout", check_out)
    event.listen(Pool, "checkin", check_in)
    yield
    event.remove(Pool, "checkout", check_out)
    event.remove(Pool, "checkin", check_in)


def rejected(response: httpx.Response) -> tuple[int, str]:
    """Status and code of a rejection, which says what is wrong and what to do."""
    error = response.json()
    assert error.keys() == {"error_msg", "error_code", "error_solution"}
    assert all(error.values()), error
    return response.status_code, error["error_code"]


def unique(prefix: str) -> str:
    return f"{prefix}-{uuid.uuid4().hex[:8]}"


def without_none(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in copy.deepcopy(members).items() if value is not None}


def eventually(claim: Callable[[], Any], what: str = "it becomes true", within: float = 300) -> Any:
    """The first true value of the claim; fails the test if there is none in time."""
    deadline = time.monotonic() + within
    while not (value := claim()):
        assert time.monotonic() < deadline, f"not within {within:g} s: {what}"
        time.sleep(0.02)
    return value


class KnownLock:
    """A lock that knows which threads have asked for it."""

    def __init__(self) -> None:
        self.threads: set[int] = set()
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self.threads.add(threading.get_ident())
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class Api:
    """A client of a running emulator, logged in, with the bodies of the PyTorch use case."""

    bucket = BUCKET
    unique = staticmethod(unique)
    example = staticmethod(example)
    eventually = staticmethod(eventually)

    def __init__(self, emulator: Emulator, user: Identity | None = None) -> None:
        self.emulator = emulator
        self.identity = user or emulator.identity
        self.store = FolderStore(emulator.data_dir / "objects")
        self.http = httpx.Client(
            base_url=emulator.endpoint, timeout=300, verify=False
        )  # to read certificates takes long
        self.http.auth = self._authorize_control
        self.http.headers["X-Auth-Token"] = self.log_in().headers["X-Subject-Token"]
        self.project = f"/v2/{self.identity.project_id}"
        self.fill_bucket()

    def fill_bucket(self) -> None:
        """Put the use case's objects in place."""
        if not self.store.has_bucket(BUCKET):
            self.store.create_bucket(BUCKET)
        self.store.put(BUCKET, CODE, b"print('trained')\n")
        self.store.put(BUCKET, DATA, b"0,1\n")

    def log_in(self, **changes: Any) -> httpx.Response:
        """Ask for a token; `changes` replace members of the identity."""
        return self.http.post("/v3/auth/tokens", json=self.login_body(**changes))

    def login_body(self, **changes: Any) -> Any:
        """The body of a request for a token."""
        given = {name: getattr(self.identity, name) for name in ("account", "user", "password", "project")} | changes
        user = {"name": given["user"], "password": given["password"], "domain": {"name": given["account"]}}
        auth: dict[str, Any] = {"identity": {"methods": ["password"], "password": {"user": user}}}
        if given["project"] is not None:
            auth["scope"] = {"project": {"name": given["project"]}}
        return {"auth": auth}

    def _authorize_control(self, request: httpx.Request) -> httpx.Request:
        """Send the control token where it is asked for."""
        if request.url.path.startswith("/_emulator/"):
            request.headers.setdefault("Authorization", f"Bearer {self.emulator.control_token}")
        return request

    def call(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        """Call the project's API."""
        return self.http.request(method, self.project + path, **arguments)

    def algorithm_body(self, **config: Any) -> Any:
        """The use case's algorithm under a new name; `config` replaces members of job_config, None removes them."""
        body = example("createAlgorithm.pytorch-use-case")
        body["metadata"]["name"] = unique("algorithm")
        body["job_config"] = without_none(body["job_config"] | config)
        return body

    def job_body(self, **algorithm: Any) -> Any:
        """A job under a new name that runs the use case's code without a stored algorithm."""
        own = {
            "code_dir": f"/{BUCKET}/pytorch/fast_example/code/cpu/",
            "boot_file": f"/{BUCKET}/{CODE}",
            "engine": {"engine_id": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"},
        }
        return {
            "kind": "job",
            "metadata": {"name": unique("job")},
            "algorithm": without_none(own | algorithm),
            "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
        }

    def create_algorithm(self, **config: Any) -> Any:
        response = self.call("POST", "/algorithms", json=self.algorithm_body(**config))
        assert response.status_code == 201, response.text
        return response.json()

    def run_script(self, script: bytes, **algorithm: Any) -> str:
        """Submit a job that runs the script as its boot file; returns its id."""
        folder = unique("code")
        self.store.put(BUCKET, f"{folder}/train.py", textwrap.dedent(script.decode()).encode())
        program = {"code_dir": f"/{BUCKET}/{folder}/", "boot_file": f"/{BUCKET}/{folder}/train.py"}
        return str(self.create_job(self.job_body(**program, **algorithm))["metadata"]["id"])

    def create_job(self, body: Any = None) -> Any:
        response = self.call("POST", "/training-jobs", json=body or self.job_body())
        assert response.status_code == 201, response.text
        return response.json()

    def submit(self, annotations: Mapping[str, str] | None = None, **spec: Any) -> str:
        """Create a job with these annotations and members of its `spec`; returns its id."""
        body = self.job_body()
        body["metadata"]["annotations"] = annotations or {}
        body["spec"] |= spec
        return str(self.create_job(body)["metadata"]["id"])

    def rejection(self, body: Any, path: str = "/training-jobs") -> tuple[int, str]:
        """Status and code with which the body is rejected."""
        return rejected(self.call("POST", path, json=body))

    def job(self, job_id: str) -> Any:
        return self.call("GET", f"/training-jobs/{job_id}").json()

    def messages(self, job_id: str) -> list[str]:
        """What the job's events say, in their order."""
        query = {"order": "asc", "limit": 100}
        return [
            event["message"]
            for event in self.call("GET", f"/training-jobs/{job_id}/events", params=query).json()["events"]
        ]

    def phase_of(self, job_id: str) -> str:
        return str(self.job(job_id)["status"]["phase"])

    def wait_for_phase(self, job_id: str, *phases: str) -> Any:
        """The job, as soon as it is in one of the phases."""
        eventually(lambda: self.phase_of(job_id) in phases)
        return self.job(job_id)

    def printed(self, job_id: str, word: str) -> list[str]:
        """The rest of the log line that begins with the word, as soon as the whole line is there."""

        def line() -> Any:
            response = self.call("GET", f"/training-jobs/{job_id}/tasks/worker-0/logs/preview")
            log = response.json()["content"] if response.status_code == 200 else ""
            return re.search(rf"(?m)^{word} (.*)\n", log)

        return str(eventually(line)[1]).split()

    def close(self) -> None:
        self.http.close()


@contextmanager
def serve(*arguments: Any, **options: Any) -> Iterator[Api]:
    """A client of an emulator with these options, for the time of a block."""
    with Emulator(*arguments, **options) as emulator:
        client = Api(emulator)
        yield client
        client.close()


class Puppet(Executor):
    """An executor without processes: a test says what the tasks report."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.reports: dict[str, list[TaskReport]] = {}
        self.specs: dict[str, JobSpec] = {}
        self.attempts: dict[str, int] = {}
        self.calls: list[tuple[str, str]] = []
        self.failure: Exception | None = None
        self.undying: set[str] = set()
        self.unstoppable: set[str] = set()
        self.is_starting = threading.Event()
        self.start_allowed = threading.Event()
        self.start_allowed.set()

    def submit(self, spec: JobSpec) -> str:
        job = spec
        self.is_starting.set()
        self.start_allowed.wait(300)
        self.calls.append(("start", job.job_id))
        if self.failure is not None:
            raise self.failure
        if job.job_id not in self.reports or job.attempt > self.attempts.get(job.job_id, 0):
            tasks = task_names(job.node_count)
            self.reports[job.job_id] = [TaskReport(task, "preparing", attempt=job.attempt) for task in tasks]
        self.attempts[job.job_id] = job.attempt
        self.specs[job.job_id] = job  # last: a test that sees it may report at once
        return job.job_id

    def poll(self, handles: Collection[str]) -> PollResult:
        return {job_id: self.reports[job_id] for job_id in handles if job_id in self.reports}

    def cancel(self, handle: str) -> None:
        job_id = handle
        self.calls.append(("stop", job_id))
        if job_id in self.unstoppable:
            raise OSError(f"no space to record that {job_id} is to end")

    def inject_fault(self, handle: str, task: str, kind: FailureKind) -> bool:
        job_id = handle
        report = next((report for report in self.reports.get(job_id, []) if report.task == task), None)
        if report is None:
            raise KeyError(f"{job_id}/{task}")
        if report.state == "ended":
            return False
        self.calls.append((kind, job_id))
        return True

    def delete(self, handles: Collection[str]) -> Mapping[str, Exception]:
        return for_each(handles, self._delete)

    def _delete(self, job_id: str) -> None:
        self.calls.append(("remove", job_id))
        if job_id in self.undying:
            raise OSError(f"the processes of {job_id} do not end")
        self.reports.pop(job_id, None)

    def log_file(self, handle: str, task: str) -> Path:
        if handle not in self.reports:
            raise KeyError(handle)
        return self.folder / f"{handle}-{task}.log"

    def logs(self, handle: str, task: str, offset: int = 0, max_bytes: int = 1 << 20) -> bytes:
        path = self.log_file(handle, task)
        return path.read_bytes()[offset : offset + max_bytes] if path.exists() else b""

    def report(self, job_id: str, *reports: TaskReport) -> None:
        """What all tasks of the job report from now on."""
        self.reports[job_id] = list(reports)


@pytest.fixture(scope="session")
def operations() -> list[tuple[str, str]]:
    """Method and path of every operation of the served documents and of the control API."""
    documents = {
        (method.upper(), path)
        for family in FAMILIES
        for path, item in modelarts_openapi.load(family.name)["paths"].items()
        for method in ("get", "put", "post", "delete")
        if method in item
    }
    control = {(method, f"/_emulator/{name}") for name in ("plans", "faults") for method in ("GET", "POST", "DELETE")}
    control |= {("GET", "/_emulator/clock"), ("POST", "/_emulator/clock")}
    return sorted(documents | control | {("GET", "/_emulator/health"), ("POST", "/_emulator/reset")})


@pytest.fixture(scope="session")
def shared_emulator(tmp_path_factory: pytest.TempPathFactory, new_database: NewDatabase) -> Iterator[Emulator]:
    folder = tmp_path_factory.mktemp("emulator")
    with Emulator(
        data_dir=folder, database_url=new_database(), check_responses=True, executor=Puppet(folder), keep_jobs=True
    ) as running:
        yield running


@pytest.fixture(scope="module")
def emptied_emulator(shared_emulator: Emulator) -> Iterator[Emulator]:
    """The shared emulator, without jobs after the module: it would look at them ten times a second until the end."""
    yield shared_emulator
    shared_emulator.reset()


@pytest.fixture
def api(emptied_emulator: Emulator) -> Iterator[Api]:
    """A client of an emulator that all tests share and that runs nothing."""
    client = Api(emptied_emulator)
    yield client
    client.close()


@pytest.fixture(scope="session")
def new_puppet() -> Callable[[Path], Puppet]:
    return Puppet


@pytest.fixture
def puppet(tmp_path: Path) -> Puppet:
    return Puppet(tmp_path)


@pytest.fixture
def staged(tmp_path: Path, puppet: Puppet, new_database: NewDatabase) -> Iterator[Api]:
    """A client of an emulator of its own, whose jobs are played by the puppet."""
    options: dict[str, Any] = {"executor": puppet, "max_running_jobs": 1, "keep_jobs": True}
    with serve(data_dir=tmp_path / "data", database_url=new_database(), check_responses=True, **options) as client:
        yield client


@pytest.fixture
def live(tmp_path: Path, new_database: NewDatabase) -> Iterator[Api]:
    """A client of an emulator of its own that really runs jobs."""
    with serve(
        data_dir=tmp_path / "data",
        database_url=new_database(),
        check_responses=True,
        metrics_period=0.5,
        paths="mapping",  # tests look for processes by their numbers
    ) as client:
        yield client


@pytest.fixture
def credentials(tmp_path: Path) -> Path:
    """A file with two users of one account, each in a project of their own."""
    path = tmp_path / "credentials.toml"
    path.write_text(
        "".join(
            f"""[[identity]]
account = "acme"
user = "{name}"
password = "{name}-password"
project = "project-{name}"
project_id = "{number * 32}"
domain_id = "{"d" * 32}"
user_id = "user-{name}"
access_key = "AK{name.upper()}"
secret_key = "sk-{name}"
"""
            for name, number in (("anna", "a"), ("bert", "b"))
        )
    )
    return path


@pytest.fixture(scope="session")
def log_in() -> Iterator[Callable[..., Api]]:
    """Makes clients of emulators that a test starts itself."""
    clients: list[Api] = []

    def connect(emulator: Emulator, user: Identity | None = None) -> Api:
        clients.append(Api(emulator, user))
        return clients[-1]

    yield connect
    for client in clients:
        client.close()


@pytest.fixture
def restart(tmp_path: Path, puppet: Any, log_in: Any) -> Iterator[Callable[..., Api]]:
    """Starts an emulator on the same folder again and again; the one before it just disappears from the executor."""
    running: list[Emulator] = []

    def start(**options: Any) -> Api:
        if running:
            running.pop().__exit__(None, None, None)
        emulator = Emulator(tmp_path / "data", executor=puppet, keep_jobs=True, check_responses=True, **options)
        running.append(emulator.__enter__())
        return log_in(emulator)

    yield start
    for emulator in running:
        emulator.__exit__(None, None, None)
