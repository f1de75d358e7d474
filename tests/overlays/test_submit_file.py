"""Job files from Python: `ma.jobs.submit_file` and `ma.jobs.check_file`."""

from pathlib import Path

import pytest
from tests.overlays.conftest import Twin

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ConfigError

FILE = """\
code: code
boot: train.py
engine: "pytorch_1.8*"
flavor: modelarts.vm.cpu.8u
outputs: {train_url: out}
parameters: {lr: 0.1}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "train.py").write_text("print('hello')\n")
    path = tmp_path / "job.yaml"
    path.write_text(FILE)
    return path


def test_a_job_file_is_submitted_with_its_code(
    twin: Twin, emulator: Emulator, emulator_environment: dict[str, str], file: Path
) -> None:
    """Settings go before those of the file; a job without a name gets one."""
    job = twin.do(lambda ma: ma.jobs.submit_file(file, {"parameters": {"lr": 0.5}}))

    assert job.name.startswith("train-")
    assert job.parameters == {"lr": "0.5"}
    code = job.details.algorithm.code_dir
    assert emulator.objects.get(f"{code}train.py") == b"print('hello')\n"


def test_everything_that_is_wrong_with_a_file_is_said_with_its_place(
    twin: Twin, emulator_environment: dict[str, str], file: Path
) -> None:
    """`check_file` lists it, and `submit_file` raises it before anything is sent."""
    file.write_text(FILE.replace("cpu.8u", "cpu.9u").replace("boot: train.py", "boot: nowhere.py"))

    found = twin.do(lambda ma: ma.jobs.check_file(file))

    assert [f"{file}:2:1: " in found[0], f"{file}:4:1: " in found[1], len(found)] == [True, True, 2]
    with pytest.raises(ConfigError, match=r"the job was not submitted:\n  .*job\.yaml:2:1: .*nowhere\.py"):
        twin.do(lambda ma: ma.jobs.submit_file(file))
