"""Jobs whose logs a test writes, in a real emulator."""

import time
from collections.abc import Iterator
from itertools import count

import pytest
from tests.emulator.conftest import Puppet
from tests.overlays.cli.conftest import job_request

from modelarts_emulator.execution.protocol import TaskReport
from modelarts_emulator.server import Emulator
from modelarts_toolkit import Job, ModelArts
from modelarts_toolkit.settings.config import Config

NUMBERS = count()


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Puppet:
    return Puppet(tmp_path_factory.mktemp("logs"))


@pytest.fixture(scope="module")
def growing(scripts: Puppet, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with Emulator(
        tmp_path_factory.mktemp("emulator"), executor=scripts, keep_jobs=True, max_running_jobs=99
    ) as running:
        running.objects.put("obs://work/code/train.py", "print('hello')")
        yield running


@pytest.fixture(scope="module")
def growing_ma(growing: Emulator) -> Iterator[ModelArts]:
    with ModelArts(config=Config.load(environ=growing.environment())) as ma:
        yield ma


def started(ma: ModelArts, scripts: Puppet, *, with_log: bytes = b"") -> Job:
    """A running job whose log a test writes."""
    job = ma.jobs.submit(job_request(f"job-{next(NUMBERS)}"))
    while job.id not in scripts.reports:
        time.sleep(0.01)
    scripts.report(job.id, TaskReport("worker-0", "running", started_at=time.time()))
    scripts.log_file(job.id, "worker-0").write_bytes(with_log)
    return job.wait(until="Running", timeout=300, poll=(0.02, 0.02))


def ended(scripts: Puppet, job: Job) -> None:
    scripts.report(job.id, TaskReport("worker-0", "ended", time.time(), time.time(), 0))


def log(scripts: Puppet, job: Job, text: str) -> None:
    """Let the script print something."""
    with scripts.log_file(job.id, "worker-0").open("a") as file:
        file.write(text)
