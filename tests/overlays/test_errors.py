"""Errors survive the way to another process."""

import pickle

import pytest

from modelarts_api.v2.models import TrainingJob
from modelarts_toolkit import errors
from modelarts_toolkit.jobs.info import TrainingJobInfo


@pytest.mark.parametrize(
    "error",
    [
        errors.ConfigError("no endpoint"),
        errors.ConnectionFailed("no response"),
        errors.ObsError("no bucket", url="obs://b/"),
        errors.JobStopped("stopped", TrainingJobInfo(TrainingJob.from_dict({"kind": "job"}))),
        errors.JobFailed(
            "failed", TrainingJobInfo(TrainingJob.from_dict({"kind": "job"})), {"worker-0": 1}, ["last line"]
        ),
    ],
)
def test_an_error_survives_the_way_to_another_process(error: errors.ToolkitError) -> None:
    copy = pickle.loads(pickle.dumps(error))

    jobs = [vars(each).pop("job", None) for each in (copy, error)]
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))
    assert jobs[0] is None or jobs[0].details == jobs[1].details
