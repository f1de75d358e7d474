"""A type checker sees through everything that is loaded late."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = """\
from modelarts_api.v2 import Api, AsyncApi, models
from modelarts_api.v2.models import CreateAlgorithmRequest, TrainingJob


async def use(api: Api, later: AsyncApi) -> str:
    reveal_type(api.training_jobs.show_training_job_details("j"))  # revealed: training_job.TrainingJob"
    reveal_type(await later.training_jobs.show_training_job_details("j"))  # revealed: training_job.TrainingJob"
    reveal_type(api.logs.show_training_job_logs_preview("j", "t"))  # revealed: log_preview.LogPreview | None"
    reveal_type(api.training_jobs.iter_training_jobs())  # revealed: typing.Iterator[modelarts_api.v2.models.
    reveal_type(later.training_jobs.iter_training_jobs({}))  # revealed: typing.AsyncIterator[modelarts_api.v2.models.
    api.training_jobs.iter_training_jobs(limit=5)  # error: Unexpected keyword argument "limit"
    api.training_jobs.show_training_job_details(1)  # error: incompatible type "int"
    api.training_jobs.create_training_job(CreateAlgorithmRequest())  # error: incompatible type "CreateAlgorithmRequest"
    api.training_jobs.create_training_job({"kind": "job", "metadata": {"name": "a"}})
    api.training_jobs.create_training_job({"kind": "job"})  # error: Missing key "metadata"
    api.training_jobs.show_job("j")  # error: no attribute "show_job"
    models.TrainingJbo  # error: no attribute "TrainingJbo"
    TrainingJob(colour="red")  # error: Unexpected keyword argument "colour"
    job = await later.training_jobs.show_training_job_details("j")
    return job.spec.resource if job.spec else ""  # error: Incompatible return value type
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What mypy says of the code, by line."""
    file = tmp_path_factory.mktemp("typed") / "use.py"
    file.write_text(CODE)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", str(file)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    lines: dict[int, str] = {}
    for message in done.stdout.splitlines():
        _, number, text = message.split(":", 2)
        lines[int(number)] = lines.get(int(number), "") + text
    return lines


@pytest.mark.parametrize("number", range(1, len(CODE.splitlines()) + 1))
def test_the_type_checker_says_what_is_expected_and_nothing_else(said, number):
    line = CODE.splitlines()[number - 1]
    _, _, expected = line.partition("# error: ")
    _, _, revealed = line.partition("# revealed: ")

    message = said.get(number, "")
    assert (expected or revealed) in message
    assert bool(expected) == ("error:" in message), message
