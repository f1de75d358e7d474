"""Whoever has more jobs than fit on a page gets all of them from one loop, whatever the service's offset counts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from modelarts_api.v2.models import CreateTrainingJobRequestDict, ListTrainingJobsRequestDict
from modelarts_emulator.options import OffsetUnit
from modelarts_emulator.server import Emulator
from modelarts_toolkit import AsyncModelArts, ModelArts

JOBS = 120


@pytest.fixture(params=["page", "record"])
def unit(request: pytest.FixtureRequest) -> OffsetUnit:
    return "page" if request.param == "page" else "record"


@pytest.fixture
def emulator(unit: OffsetUnit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Emulator]:
    """An emulator with many jobs, in the environment."""
    with Emulator(data_dir=tmp_path, offset_unit=unit, executor="simulated", check_responses=True) as emulator:
        emulator.clock.freeze()
        for name, value in {**emulator.environment(), "MODELARTS_OFFSET_UNIT": unit}.items():
            monkeypatch.setenv(name, value)
        code = tmp_path / "objects" / "bucket" / "code"
        code.mkdir(parents=True)
        (code / "boot.py").touch()
        with ModelArts() as ma:
            for number in range(JOBS):
                ma.v2.training_jobs.create_training_job(body(number))
        yield emulator


def body(number: int) -> CreateTrainingJobRequestDict:
    engine: Any = {"engine_id": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"}
    return {
        "kind": "job",
        "metadata": {"name": f"job-{number:03}"},
        "algorithm": {"code_dir": "/bucket/code/", "boot_file": "/bucket/code/boot.py", "engine": engine},
        "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
    }


class Calls(httpx.HTTPTransport):
    """The network, with a list of the paths that were called."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.paths.append(request.url.path)
        return super().handle_request(request)

    @property
    def searches(self) -> int:
        return sum(path.endswith("/training-job-searches") for path in self.paths)


def test_a_loop_over_all_jobs_gives_each_of_them_once(emulator: Emulator) -> None:
    by_name: ListTrainingJobsRequestDict = {"sort_by": "name", "order": "asc"}
    expected = [f"job-{number:03}" for number in range(JOBS)]
    calls = Calls()

    with ModelArts(transport=calls) as ma:
        assert [job.metadata.name for job in ma.v2.training_jobs.iter_training_jobs(by_name)] == expected
        assert calls.searches == 3
        for limit in (1, 7, 40):
            found = ma.v2.training_jobs.iter_training_jobs({**by_name, "limit": limit})
            assert [job.metadata.name for job in found] == expected

    async def names() -> list[Any]:
        async with AsyncModelArts() as ma:
            return [job.metadata.name async for job in ma.v2.training_jobs.iter_training_jobs(by_name)]

    assert asyncio.run(names()) == expected


def test_jobs_that_are_created_meanwhile_make_no_job_come_twice(emulator: Emulator) -> None:
    with ModelArts() as ma:
        names = []
        for number, job in enumerate(ma.v2.training_jobs.iter_training_jobs({"limit": 30})):
            names.append(job.metadata.name)
            if number % 40 == 0:
                ma.v2.training_jobs.create_training_job(body(JOBS + number))

    assert names == [f"job-{number:03}" for number in reversed(range(JOBS))]
