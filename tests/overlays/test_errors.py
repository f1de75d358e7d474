"""The tree of errors is the one its page draws."""

import inspect
import pickle

import httpx
import pytest

from modelarts_api.v2.models import TrainingJob
from modelarts_toolkit import errors
from modelarts_toolkit.jobs.info import TrainingJobInfo

NAMES = {name for name, kind in vars(errors).items() if inspect.isclass(kind) and issubclass(kind, Exception)}


def drawn() -> dict[str, str]:
    """Each class in the drawing with the class above it."""
    parents: dict[str, str] = {}
    above: dict[int, str] = {}
    for line in (inspect.getdoc(errors) or "").splitlines():
        name = next((word for word in line.split() if word in NAMES), None)
        if name is None or not line.startswith("    "):
            continue
        depth = line.index(name)
        parents[name] = above.get(depth - 4, "Exception")
        above[depth] = name
    return parents


def test_every_class_is_drawn_where_it_is_derived() -> None:
    derived = {name: getattr(errors, name).__bases__[0].__name__ for name in NAMES}

    assert drawn() == derived


def test_a_missing_response_can_be_caught_as_httpx_s_error() -> None:
    with pytest.raises(httpx.TransportError):
        raise errors.ConnectionFailed("no response")


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
