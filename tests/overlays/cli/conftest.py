"""The command in this process, against one simulated emulator."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from click.testing import CliRunner, Result

from modelarts_emulator.server import Emulator
from modelarts_toolkit import Job, ModelArts
from modelarts_toolkit.cli.commands import modelarts

Run: TypeAlias = Callable[..., Result]
Submit: TypeAlias = Callable[..., Job]

ENGINE = "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"
FLAVOR = "modelarts.vm.cpu.8u"
JOB = f"""\
name: digits
code: code
boot: train.py
engine: {ENGINE}
flavor: {FLAVOR}
inputs:
  data_url: data
outputs:
  train_url: out
parameters:
  lr: 0.10
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("job", "list")`: the result of `modelarts job list`."""

    def run(*arguments: object, stdin: str | None = None, **variables: str) -> Result:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        result = CliRunner().invoke(modelarts, [str(each) for each in arguments], input=stdin, prog_name="modelarts")
        unexpected = result.exception is not None and not isinstance(result.exception, SystemExit)
        if unexpected:
            raise result.exception  # type: ignore[misc]
        return result

    return run


@pytest.fixture
def service(emulator: Emulator, emulator_environment: dict[str, str]) -> Emulator:
    """An emulator with code in its object storage and a clock that stands still."""
    emulator.objects.put("obs://work/code/train.py", "print('hello')")
    emulator.clock.freeze()
    return emulator


@pytest.fixture
def ma(service: Emulator) -> Iterator[ModelArts]:
    with ModelArts() as client:
        yield client


@pytest.fixture
def submit(ma: ModelArts) -> Submit:
    """`submit("digits")` creates a job."""

    def submit(name: str = "digits", *, nodes: int = 1, **algorithm: Any) -> Job:
        body: Any = {
            "kind": "job",
            "metadata": {"name": name},
            "algorithm": {
                "code_dir": "obs://work/code/",
                "boot_file": "obs://work/code/train.py",
                "engine": {"engine_id": ENGINE},
                **algorithm,
            },
            "spec": {"resource": {"flavor_id": FLAVOR, "node_count": nodes}},
        }
        return ma.jobs.submit(body)

    return submit


@pytest.fixture
def quick(emulator: Emulator, emulator_environment: dict[str, str]) -> Emulator:
    """An emulator in which jobs end at once."""
    emulator.plans.add(job="*", duration=0, log=["lr {lr}", "trained"])
    return emulator


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: code in `code`, data in `data`, and `job.yaml`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "train.py").write_text("print('hello')\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "train.csv").write_text("1,2\n")
    (tmp_path / "job.yaml").write_text(JOB)
    return tmp_path
