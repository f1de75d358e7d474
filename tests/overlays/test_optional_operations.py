"""What workflows do with operations that not every cloud has: stages, quotas, the check of names."""

import json
from pathlib import Path
from typing import Any

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


def test_jobs_are_listed_by_tags_and_experiment(
    twin: Twin, emulator: Emulator, emulator_environment: dict[str, str], file: Path
) -> None:
    """Where the service has no tags, its response is raised: all jobs would be the wrong ones."""
    with ModelArts() as ma:
        experiment = f"of-{ma.jobs.submit_file(file, unique=True).name}"
        reference = {"training_experiment_reference": {"name": experiment}}
        path = file.with_name("joining.yaml")
        path.write_text(f"{FILE.partition(chr(10))[2]}metadata: {json.dumps({'name': experiment} | reference)}\n")
        job = ma.jobs.submit_file(path)
        ma.v2.tags.create_train_job_tags(job.id, {"tags": [{"key": "team", "value": experiment}]})

    def ids(**conditions: Any) -> list[str]:
        return [each.id for each in twin.do(lambda ma: ma.jobs.list(**conditions))]

    assert ids(tags={"team": experiment}) == ids(experiment=experiment) == [job.id]
    assert ids(tags={"team": None}, experiment=experiment, name="of-") == [job.id]
    assert ids(tags={"team": "nobody"}) == ids(experiment="none") == []
    emulator.faults.add(kind="status", status=404, code="APIG.0101", operations=["listTrainingJobsByTags"])
    with pytest.raises(NotFound, match=r"APIG\.0101"):
        ids(tags={"team": experiment})
