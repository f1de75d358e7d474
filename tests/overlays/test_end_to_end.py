"""The workflows against the emulator: real processes, real logs, and the faults that happen on the way."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from modelarts_emulator.server import Emulator
from modelarts_toolkit import AsyncModelArts, JobRequest, ModelArts
from modelarts_toolkit.jobs.log_cursor import PREVIEW_LIMIT

POLL = (0.1, 0.3)

Use = Callable[..., None]


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Use:
    """Sets what `modelarts emulator env` would print, and stores the script of a job."""

    def use(emulator: Emulator, script: str) -> None:
        for name, value in emulator.environment().items():
            monkeypatch.setenv(name, value)
        bucket = emulator.data_dir / "objects" / "bucket" / "code"
        bucket.mkdir(parents=True, exist_ok=True)
        (bucket / "train.py").write_text(script)

    return use


@pytest.fixture
def emulator(tmp_path: Path) -> Iterator[Emulator]:
    with Emulator(data_dir=tmp_path / "data", check_responses=True) as emulator:
        yield emulator


STEPS = "import time\nfor step in range(12):\n    print('step', step, flush=True)\n    time.sleep(0.25)\n"


def body(name: str = "digits") -> JobRequest:
    engine: Any = {
        "engine_name": "PyTorch",
        "engine_version": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64",
    }
    output: Any = {"name": "train_url", "remote": {"obs": {"obs_url": "/bucket/outputs/"}}}
    code: Any = {"code_dir": "/bucket/code/", "boot_file": "/bucket/code/train.py"}
    return {
        "kind": "job",
        "metadata": {"name": name},
        "algorithm": code | {"engine": engine, "outputs": [output]},
        "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
    }


def own(lines: list[str]) -> list[str]:
    """The lines of the script, without those of the service."""
    return [line for line in lines if not line.startswith("[ModelArts Service Log]")]


def test_an_emulator_that_restarts_meanwhile_costs_no_line(tmp_path: Path, use: Use) -> None:
    data = tmp_path / "data"
    lines = []
    with Emulator(data_dir=data, keep_jobs=True) as first:
        use(first, STEPS)
        ports = [int(url.rpartition(":")[2]) for url in (first.endpoint, first.obs_endpoint)]
        ma = ModelArts()
        job = ma.jobs.submit(body())
        followed = job.logs(poll=POLL, follow=True)
        for line in followed:
            lines.append(line)
            if line == "step 2":
                break

    with ma, Emulator(data, *ports):
        lines += followed
        job.wait()

    assert own(lines) == [f"step {number}" for number in range(12)]


def test_a_log_that_is_longer_than_its_preview_is_followed_whole(emulator: Emulator, use: Use) -> None:
    """Six megabytes in pieces that are smaller than a preview, as clouds have them."""
    use(
        emulator,
        "import time\nfor step in range(6):\n"
        "    print('\\n'.join(f'{step} {n} ' + 'x' * 100 for n in range(10_000)), flush=True)\n    time.sleep(0.5)\n",
    )

    with ModelArts() as ma:
        lines = own(list(ma.jobs.submit(body()).logs(poll=(0.05, 0.1), follow=True)))

    assert [line.rstrip(" x") for line in lines] == [f"{step} {n}" for step in range(6) for n in range(10_000)]
    assert sum(len(line) + 1 for line in lines) > PREVIEW_LIMIT


def test_a_handle_leads_from_the_request_to_the_downloaded_model(emulator: Emulator, use: Use, tmp_path: Path) -> None:
    """Submitted twice under one name; found by name, waited for, its log, metrics and events read, deleted."""
    script = (
        "import argparse, pathlib\n"
        "parser = argparse.ArgumentParser()\n"
        "parser.add_argument('--train_url')\n"
        "parser.add_argument('--lr', type=float)\n"
        "given = parser.parse_args()\n"
        "print('rate', given.lr)\n"
        "pathlib.Path(given.train_url, 'model.txt').write_text('trained')\n"
    )
    use(emulator, script)
    request: Any = body()
    request["algorithm"]["parameters"] = [{"name": "lr", "value": 0.5}]
    folder = tmp_path / "out"

    async def run() -> list[str]:
        async with AsyncModelArts() as ma:
            await ma.jobs.submit(request, unique=True)
            job = await (await ma.jobs.submit(request, unique=True)).wait(timeout=300, poll=POLL)
            assert (await ma.jobs.get(job.name)).phase == job.phase == "Completed"
            lines = [line async for line in job.logs()]
            assert (await job.download(folder)).files == 1
            assert (await job.events())[0].message
            assert isinstance(await job.metrics(), list)
            await job.delete()
            assert [each.id for each in await ma.jobs.list(name=job.name)] == []
            return lines

    assert "rate 0.5" in asyncio.run(run())
    assert (folder / "train_url" / "model.txt").read_text() == "trained"
