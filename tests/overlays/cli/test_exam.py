"""`modelarts exam`: scripts that go on after a preemption, and scripts that do not."""

from pathlib import Path

import pytest
from tests.overlays.cli.conftest import JOB, Run

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.cli.exam import examine

EXAMPLE = Path(__file__).parents[3] / "examples" / "digits"
SCRIPT = """\
import argparse, json, pathlib, random, time
parser = argparse.ArgumentParser()
parser.add_argument("--train_url", type=pathlib.Path)
folder = parser.parse_args().train_url
checkpoint = folder / "checkpoint.json"
generator, weight, first = random.Random(7), 10.0, 1
if checkpoint.exists():
    state = json.loads(checkpoint.read_text())
    weight, first = state["weight"], state["epoch"] + 1
    version, numbers, rest = state["random"]
    generator.setstate((version, tuple(numbers), rest))
for epoch in range(first, 16):
    time.sleep(0.05 if epoch < 8 else 0.2)  # a busy machine needs time to preempt it after epoch 6
    for _ in range(10):
        weight -= 0.03 * (weight - generator.gauss(1, 2))
    print(f"epoch {epoch}/15 loss {abs(weight):.4f}", flush=True)
    new = folder / "new.json"  # a stop never leaves half a checkpoint
    new.write_text(json.dumps({"weight": weight, "epoch": epoch, "random": generator.getstate()}))
    new.replace(checkpoint)
"""


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The current folder has the script, and no emulator of the user is found."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "no-emulator"))
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(SCRIPT)


def test_a_script_that_goes_on_passes(run: Run) -> None:
    """The verdict is on standard output, both curves are in a picture."""
    done = run("exam", "train.py", "--at", "30%", "--picture", "exam.svg")

    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].startswith("It was stopped after epoch ")
    assert lines[1] == "From there the curve is the same, within 0.001."
    assert lines[2].startswith("A stop costs ")
    assert lines[3] == "Passed."
    assert "cannot know" in lines[4]
    assert Path("exam.svg").read_text().count("<polyline") == 3


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("if checkpoint.exists():", "if False:", "reads no checkpoint: nothing opened below"),
        ("folder / ", "pathlib.Path() / ", "checkpoint is not an output: checkpoint.json was written elsewhere"),
        ("    generator.setstate((version, tuple(numbers), rest))\n", "", "data order differs"),
        ('    weight, first = state["weight"], ', "    first = ", "weights are not restored"),
        ('state["epoch"] + 1', "1", "reads checkpoint.json, and begins again all the same"),
        ('state["epoch"] + 1', 'state["epoch"] + 4', "it leaves a part of the training out"),
    ],
)
def test_a_script_that_does_not_go_on_fails_with_its_reason(run: Run, old: str, new: str, reason: str) -> None:
    Path("train.py").write_text(SCRIPT.replace(old, new))

    done = run("exam", "train.py")

    assert done.exit_code == 3, done.output
    assert f"\nFailed: {reason}" in done.stdout


def test_the_shipped_example_passes() -> None:
    """From Python, at a late moment."""
    exam = examine(EXAMPLE / "code" / "test-pytorch.py", data=EXAMPLE / "data", at=0.6, arguments={"epochs": 5})

    assert exam.passed, str(exam)
    assert exam.metric == "loss"
    assert len(exam.curves[0]) == 5


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        (
            "import time\nfor _ in range(40):\n    print('x')\n    time.sleep(0.1)\n",
            3,
            "it prints no numbers, such as epoch 3 loss 0.31",
        ),
        ("raise SystemExit(7)\n", 3, "failed: worker-0 ended with exit code 7"),
    ],
)
def test_a_script_that_cannot_be_judged_says_why(run: Run, text: str, status: int, said: str) -> None:
    Path("train.py").write_text(text)

    done = run("exam", "train.py", "--at", "0.3")

    assert done.exit_code == status, done.output
    assert said in done.output


def test_a_share_is_between_nothing_and_all(run: Run) -> None:
    assert "write 40% or 0.4" in run("exam", "train.py", "--at", "140%").stderr


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

    assert run("job", "submit", "job.yaml", "--detach", "--rehearse=1s").exit_code == 0
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
