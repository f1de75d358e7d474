"""Job files from Python: `ma.jobs.submit_file` and `ma.jobs.check_file`."""

from pathlib import Path

import pytest
from tests.overlays.conftest import Twin

from modelarts_emulator.server import Emulator
from modelarts_toolkit import Config, ConfigError, ModelArts

FILE = """\
code: code
boot: train.py
engine: "pytorch_1.8*"
flavor: modelarts.vm.cpu.8u
outputs: {train_url: out}
parameters: {lr: 0.1}
"""


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


def test_outputs_are_downloaded_into_the_folders_that_the_file_names(
    emulator: Emulator, emulator_environment: dict[str, str], file: Path
) -> None:
    """A job that no file described needs a folder."""
    with ModelArts() as ma:
        job = ma.jobs.submit_file(file)
        emulator.objects.put(f"{job.outputs()['train_url']}model.txt", b"weights")

        done = job.download()

        assert (done.files, (file.parent / "out" / "model.txt").read_bytes()) == (1, b"weights")
        with pytest.raises(ValueError, match="name a folder"):
            ma.jobs.get(job.id).download()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "outputs: {train_url: null}",
            ":1:11: outputs.train_url: must be a path, not nothing: write a local folder, or",
        ),
        ("outputs:\n  train_url: 2024", ":2:3: outputs.train_url: must be a path, not 2024"),
        ("algorithm: {parameters: [{name: lr, value: 1, constraint: {editable: true}}]}", None),
        ("parameters: {lr: 1e3}", None),
    ],
)
def test_values_below_parameters_and_outputs_are_what_they_look_like(
    file: Path, text: str, problem: str | None
) -> None:
    """A constraint has booleans, a hyperparameter is text, and a channel without a place is an error."""
    others = [line for line in FILE.splitlines() if not line.startswith(("outputs", "parameters"))]
    file.write_text("\n".join([text, *others]))

    with ModelArts(config=Config(endpoint="http://127.0.0.1:9", token="t", project_id="p")) as ma:
        found = ma.jobs.check_file(file, offline=True)

    assert len(found) == (problem is not None)
    assert not problem or problem in found[0]
