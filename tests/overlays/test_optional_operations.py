"""What workflows do with operations that not every cloud has: stages, quotas, the check of names."""

from pathlib import Path

import pytest
from tests.overlays.conftest import Twin

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts, NotFound, ServiceFailure
from modelarts_toolkit.settings.config import Config

FILE = """\
name: digits
code: code
boot: train.py
engine: pytorch_1.8*
flavor: modelarts.vm.cpu.8u
"""


@pytest.mark.parametrize(("status", "code"), [(404, "APIG.0101"), (501, "ModelArts.2858"), (403, "ModelArts.0204")])
def test_an_operation_that_the_service_lacks_is_asked_for_once(
    emulator: Emulator, emulator_environment: dict[str, str], file: Path, status: int, code: str
) -> None:
    """A job is explained and a file is checked as if there were no such operation."""
    operations = ["listTrainingJobStages", "showTrainingQuotas", "validateTrainingJobName"]
    emulator.clock.freeze()
    with ModelArts() as ma:
        job = ma.jobs.submit_file(file)
        emulator.faults.add(kind="status", status=status, code=code, operations=operations)

        assert [job.stage(), job.stage()] == [None, None]
        assert "stage" not in job.explain().text
        assert ma.jobs.check_file(file) == ma.jobs.check_file(file) == []

    assert emulator.faults.list()[0]["calls"] == len(operations)


def test_another_failure_of_such_an_operation_is_an_error(
    emulator: Emulator, emulator_environment: dict[str, str], file: Path
) -> None:
    """It says nothing about which operations there are."""
    with ModelArts(retries=0) as ma:
        job = ma.jobs.submit_file(file)
        emulator.faults.add(kind="status", status=500, count=1, operations=["listTrainingJobStages"])

        with pytest.raises(ServiceFailure):
            job.stage()
        stage = job.stage()

    assert stage is not None
    assert stage.start_time


def test_a_file_is_checked_against_names_and_the_quota(tmp_path: Path, file: Path, twin: Twin) -> None:
    """A name that is taken matters unless it gets a suffix."""
    with Emulator(data_dir=tmp_path / "emulator", executor="simulated", max_jobs=1) as emulator:
        config = Config.load(environ=emulator.environment())
        assert twin.do(lambda ma: ma.jobs.check_file(file), config=config) == []
        twin.do(lambda ma: ma.jobs.submit_file(file), config=config)

        found = twin.do(lambda ma: ma.jobs.check_file(file), config=config)
        unnamed = twin.do(lambda ma: ma.jobs.check_file(file, unique=True), config=config)

    assert found[0] == f"{file}:1:1: metadata.name: there is a job digits already: choose another name"
    assert unnamed == found[1:]
    assert "the quota of jobs is used up, 1 of 1: delete jobs" in unnamed[0]


def test_where_the_service_has_no_tags_its_response_is_raised(
    twin: Twin, emulator: Emulator, emulator_environment: dict[str, str]
) -> None:
    """All jobs would be the wrong ones."""
    emulator.faults.add(kind="status", status=404, code="APIG.0101", operations=["listTrainingJobsByTags"])
    with pytest.raises(NotFound, match=r"APIG\.0101"):
        twin.do(lambda ma: ma.jobs.list(tags={"team": "vision"}))
