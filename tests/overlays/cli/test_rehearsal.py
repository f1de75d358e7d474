"""`modelarts job submit --rehearse`: the job first runs here."""

from pathlib import Path

import pytest
from tests.overlays.cli.conftest import JOB, Run

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts

GOOD = """\
import sys, pathlib
given = dict(each[2:].split("=") for each in sys.argv[1:])
print("lr", given["lr"], [each.name for each in pathlib.Path(given["data_url"]).iterdir()])
"""


@pytest.fixture
def local(project: Path, service: Emulator) -> Path:
    """The current folder: a job file with local code and data, for a service whose jobs wait."""
    (project / "code/train.py").write_text(GOOD)
    return project


def names(ma: ModelArts) -> list[str]:
    return [job.name for job in ma.jobs.list()]


def test_a_job_that_runs_here_is_submitted(run: Run, local: Path, ma: ModelArts) -> None:
    """Its lines come on standard error, because the result is on standard output."""
    done = run("job", "submit", "job.yaml", "--detach", "--rehearse")

    assert done.exit_code == 0, done.output
    assert "Rehearsing for 30 s, without its engine's image, flavor and accelerators.\n" in done.stderr
    assert "lr 0.10 ['train.csv']\n" in done.stderr
    assert "The rehearsal passed: the script printed 1 line.\n" in done.stderr
    assert names(ma) == ["digits"]


def test_a_long_training_is_stopped_after_the_time(run: Run, local: Path, ma: ModelArts) -> None:
    (local / "code/train.py").write_text("import time\nprint('began', flush=True)\ntime.sleep(600)\n")

    assert run("job", "submit", "job.yaml", "--detach", "--rehearse=4s").exit_code == 0
    assert names(ma) == ["digits"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import no_such_module\n", "Error: the rehearsal failed, and the job was not submitted: The Python that ran"),
        (
            "import time\ntime.sleep(600)\n",
            "Error: the script printed nothing within 1 s, and the job",
        ),
    ],
)
def test_a_job_that_does_not_run_here_is_not_submitted(
    run: Run, local: Path, ma: ModelArts, text: str, said: str
) -> None:
    (local / "code/train.py").write_text(text)

    done = run("job", "submit", "job.yaml", "--detach", "--rehearse=1s")

    assert done.exit_code == 3, done.output
    assert said in done.stderr
    assert names(ma) == []
    assert ma.obs.list("obs://work/") == ma.obs.list("obs://work/code/")  # nothing was uploaded


def test_what_cannot_be_rehearsed_is_said_and_submitted(run: Run, local: Path, service: Emulator) -> None:
    service.objects.put("obs://work/data/a.csv", "")
    Path("job.yaml").write_text(JOB.replace("data_url: data", "data_url: obs://work/data/"))

    done = run("job", "submit", "job.yaml", "--detach", "--rehearse")

    assert done.exit_code == 0, done.output
    assert "Not rehearsed: the input data_url would have to be local.\n" in done.stderr
    assert "write --rehearse=30s, or --rehearse after the file" in run("job", "submit", "--rehearse", "job.yaml").stderr
