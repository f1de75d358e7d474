"""A filled emulator behind a guard and a proxy that applies deviations, and what a run finds there."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace

import httpx
import pytest

from modelarts_contract import proxy
from modelarts_contract.documents import Documents
from modelarts_contract.proxy import Forward, ProxyRequest, ProxyResponse
from modelarts_contract.run import real
from modelarts_contract.run.journal import Journal
from modelarts_contract.run.judging import Judge
from modelarts_contract.run.reading import Reader
from modelarts_contract.run.service import Service
from modelarts_contract.run.story import Story
from modelarts_toolkit.settings.config import Config

CODE = "/contract/code/"
RATE = 1e6  # requests per second
QUICK = {"CONTRACT_POLL_S": "0.02", "CONTRACT_DELETION_S": "2", "CONTRACT_LAG_S": "1"}


class Bench:
    """The service as runs see it: `behave` stands before every request, `changes` before those of one operation."""

    def __init__(self, service: Service, client: httpx.Client) -> None:
        self.emulated, self.client = service, client
        self.documents = Documents()
        self.changes: dict[str, Callable[[ProxyRequest, Forward], ProxyResponse]] = {}
        self.behave: Callable[[ProxyRequest, Forward], ProxyResponse] = lambda request, forward: forward(request)
        self.url = ""

    def handle(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = self.documents.find(request.method, request.path)
        change = self.changes.get(f"{found[0].name}.{found[0].operation_id}") if found else None
        if change is None:
            return self.behave(request, forward)
        return change(request, lambda changed: self.behave(changed, forward))

    @contextlib.contextmanager
    def guarded(self, journal: Journal | None) -> Iterator[Service]:
        """The service behind a guard, with short waits; it is only read without a journal."""
        known = self.emulated.environment
        config = Config(
            endpoint=self.url,
            iam_endpoint=self.url,
            project_id=known["MODELARTS_PROJECT_ID"],
            token=self.emulated.token,
        )
        ended = {} if journal is not None else self.emulated.ended_tokens
        with pytest.MonkeyPatch.context() as patch:
            for name, value in QUICK.items():
                patch.setenv(name, value)
            with real.guarded(config, journal, RATE) as service:
                yield replace(service, environment={**known, **service.environment}, ended_tokens=ended)

    def read(self, names: tuple[str, ...] = ("v1", "v2"), chosen: list[str] | None = None) -> Judge:
        """What a run that reads sees."""
        with self.guarded(None) as service, Judge(service, names) as judge:
            Reader(judge, chosen or []).run()
            return judge

    def write(self, names: tuple[str, ...]) -> Judge:
        """What the stories of a run that writes see."""
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            patch.setenv("CONTRACT_JOURNALS", folder)
            with (
                contextlib.closing(Journal.create(endpoint=self.url)) as journal,
                self.guarded(journal) as service,
                Judge(service, names) as judge,
            ):
                list(Story(judge, CODE, lambda _: None).run(names))
                return judge


def fill(service: Service, client: httpx.Client) -> None:
    """Make several things of each kind, in several phases, besides those that a run makes for itself."""
    project, known = service.environment["MODELARTS_PROJECT_ID"], service.stand_ins
    code = {"code_dir": CODE, "boot_file": f"{CODE}boot.py", "engine": known["engine"]}
    settings = {"worker_server_num": 1, "engine_id": 4, "spec_id": 7, "app_url": CODE, "data_url": CODE}
    settings["boot_file_url"] = f"{CODE}boot.py"
    spec = {"resource": {"flavor_id": known["flavor_id"], "node_count": 1}}
    for number, name in enumerate(("beta", "Alpha", "gamma", "delta")):
        words = {"name": f"{name}-model", "description": f"the {name} model"}
        annotations = {"emulator/duration": "0", "emulator/exit-code": str(number % 2)}
        for path, body in (
            ("v2/{}/algorithms", {"metadata": words, "job_config": code}),
            (
                "v2/{}/training-jobs",
                {
                    "kind": "job",
                    "metadata": {**words, "annotations": annotations},
                    "algorithm": {"id": known["algorithm_id"]},
                    "spec": spec,
                },
            ),
            ("v1/{}/training-jobs", {"job_name": f"{name}-short-job", "job_desc": name, "config": settings}),
            ("v1/{}/training-job-configs", {"config_name": f"{name}-config", **settings}),
            ("v1/{}/visualization-jobs", {"job_name": f"{name}-board", "train_url": f"/contract/{name}/"}),
        ):
            sent(client, path.format(project), body)
    path = f"v1/{project}/training-jobs/{known['v1']['job_id']}/versions"
    for number in range(2):
        version = {**settings, "pre_version_id": known["v1"]["version_id"], "train_url": f"/contract/v{number}/"}
        sent(client, path, {"config": version})


def sent(client: httpx.Client, path: str, body: object) -> None:
    response = client.post(f"/{path}", json=body)
    assert response.is_success, response.text


@pytest.fixture(scope="module")
def bench(service: Service) -> Iterator[Bench]:
    headers = {"X-Auth-Token": service.token}
    with httpx.Client(base_url=service.endpoint, headers=headers, timeout=300, trust_env=False) as client:
        fill(service, client)
        bench = Bench(service, client)
        with proxy.serving(service.endpoint, bench.handle, at_a_time=10) as url:
            bench.url = url
            yield bench


@pytest.fixture(autouse=True)
def undisturbed(bench: Bench) -> Iterator[None]:
    yield
    bench.changes.clear()
    bench.behave = lambda request, forward: forward(request)
