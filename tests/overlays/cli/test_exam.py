"""`modelarts exam`: scripts that go on after a preemption, and scripts that do not."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.overlays.cli.conftest import ENGINE, FLAVOR, Run

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.local.caller import Caller
from modelarts_toolkit.local.emulator import config_of
from modelarts_toolkit.local.exam import BOOT, BOOT_FILE, Exam, ExamError, examine, take_exam
from modelarts_toolkit.local.failures import KEPT
from modelarts_toolkit.local.request import RunRequest
from modelarts_toolkit.local.resources import Resources

Write: TypeAlias = Callable[[str], object]

EXAMPLE = Path(__file__).parents[3] / "examples" / "digits"
STARTS = """\
import pathlib, time
starts = pathlib.Path({file!r})
with starts.open("a") as file:
    file.write("x")
def wait_for_preemption():
    if starts.read_text() == "xx":  # the second start: the run that is preempted
        time.sleep(600)
"""
SCRIPT = """\
import argparse, json, random
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
    for _ in range(10):
        weight -= 0.03 * (weight - generator.gauss(1, 2))
    print(f"epoch {epoch}/15 loss {abs(weight):.4f}", flush=True)
    new = folder / "new.json"  # a stop never leaves half a checkpoint
    new.write_text(json.dumps({"weight": weight, "epoch": epoch, "random": generator.getstate()}))
    new.replace(checkpoint)
    if epoch == 6:
        wait_for_preemption()
"""
LAST_LINE = """\
import sys
checkpoint = pathlib.Path(sys.argv[1].partition("=")[2], "checkpoint")
if not checkpoint.exists():
    for epoch in range(1, 4):
        print(f"epoch {epoch} loss 0.{epoch}", flush=True)
    checkpoint.touch()
    wait_for_preemption()
"""


@pytest.fixture(autouse=True)
def write(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Write:
    """`write(text)` makes `train.py` in the current folder, with `wait_for_preemption`.

    No emulator of the user is found.
    """
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "no-emulator"))
    (tmp_path / "code").mkdir()
    monkeypatch.chdir(tmp_path / "code")
    starts = STARTS.format(file=str(tmp_path / "starts"))
    return lambda text: Path("train.py").write_text(starts + text)


def test_a_script_that_goes_on_passes(run: Run, write: Write) -> None:
    """The verdict is on standard output, both curves are in a picture."""
    write(SCRIPT)

    done = run("exam", "train.py", "--at", "38%", "--picture", "exam.svg")

    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "It was stopped after epoch 6 and went on with epoch 7."
    assert lines[1] == "From there the curve is the same, within 0.001."
    assert lines[2].startswith("A stop costs ")
    assert lines[3] == "Passed."
    assert "cannot know" in lines[4]
    assert Path("exam.svg").read_text().count("<polyline") == 3


def test_a_script_that_begins_again_does_not_pass(run: Run, write: Write) -> None:
    write(SCRIPT.replace("if checkpoint.exists():", "if False:"))

    done = run("exam", "train.py")

    assert done.exit_code == 3, done.output
    assert "\nFailed: reads no checkpoint: nothing opened below" in done.output


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("raise SystemExit(7)\n", 7),
        ("raise SystemExit(3)\n", 1),  # 3 is that of a script that does not go on
        ("import no_such_module\n", 1),
        ("raise MemoryError\n", 1),
        ("from .models import Net\n", 1),
    ],
)
def test_a_script_that_fails_by_itself_has_the_words_of_run_and_its_own_status(
    run: Run, write: Write, text: str, status: int
) -> None:
    write(text)

    exam, same = run("exam", "train.py"), run("run", "train.py", "--new")

    assert exam.exit_code == status, exam.output
    words, expected = (each.stderr[each.stderr.index("Error: ") :].strip() for each in (exam, same))
    assert words.replace("modelarts run prints its lines.", KEPT) == expected


def test_a_script_that_fails_when_it_is_restarted_does_not_pass(take: Callable[..., Exam]) -> None:
    exam = take(SCRIPT.replace("    state =", "    import no_such_module\n    state ="))

    assert (exam.passed, exam.went_on) == (False, "It was stopped after epoch 6 and failed when it was restarted.")
    assert "fails when it is restarted: The Python that ran the boot file has no module no_such_module" in exam.reason


def test_the_shipped_example_passes() -> None:
    """From Python, at a late moment."""
    exam = examine(EXAMPLE / "code" / "test-pytorch.py", data=EXAMPLE / "data", at=0.6, arguments={"epochs": 5})

    assert exam.passed, str(exam)
    assert exam.metric == "loss"
    assert len(exam.curves[0]) == 5


def test_a_share_is_between_nothing_and_all(run: Run) -> None:
    assert "write 40% or 0.4" in run("exam", "train.py", "--at", "140%").stderr


def test_as_many_gpus_as_no_flavor_has_are_rejected(run: Run, write: Write) -> None:
    write("print('hello')\n")

    done = run("exam", "train.py", "--gpus", 7)

    assert (done.exit_code, "no flavor has 7 GPUs or NPUs" in done.stderr) == (2, True), done.stderr


@pytest.fixture
def take(store: Emulator, write: Write) -> Callable[..., Exam]:
    """`take(text, at=0.4)` takes the exam of a script on one emulator for all."""

    def take(text: str, at: float = 0.4, error: str | None = None) -> Exam:
        def preempt(job: str) -> None:
            if error is not None:
                raise ValueError(error)
            store.faults.add(job=job, kind="preempted")

        write(text)
        request = RunRequest(script=Path("train.py"), data={}, out={"train_url": None})
        request.start_by(BOOT, BOOT_FILE, "MODELARTS_EXAM_SCRIPT", MODELARTS_EXAM_OUTPUTS="train_url")
        with ModelArts(config=config_of(store.environment())) as ma:
            request.upload(ma, Caller())
            body = request.body(Resources(ENGINE, FLAVOR))
            return take_exam(ma, body, preempt, at=at)

    return take


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("folder / ", "pathlib.Path() / ", "checkpoint is not an output: checkpoint.json was written elsewhere"),
        ("    generator.setstate((version, tuple(numbers), rest))\n", "", "data order differs"),
        ('    weight, first = state["weight"], ', "    first = ", "weights are not restored"),
        ('state["epoch"] + 1', "1", "reads checkpoint.json, and begins again all the same"),
        ('state["epoch"] + 1', 'state["epoch"] + 4', "it leaves a part of the training out"),
    ],
)
def test_the_reason_why_a_script_does_not_go_on_is_named(
    take: Callable[..., Exam], old: str, new: str, reason: str
) -> None:
    exam = take(SCRIPT.replace(old, new))

    assert not exam.passed
    assert exam.reason.startswith(reason)


def test_a_script_without_numbers_is_stopped_after_its_share_of_the_time(take: Callable[..., Exam]) -> None:
    exam = take("for step in range(3):\n    print(f'step {step}', flush=True)\n    time.sleep(0.5)\n", at=0.1)

    assert exam.reason.startswith("it prints no numbers, such as epoch 3 loss 0.31")
    assert exam.went_on == "It was stopped and restarted; no numbers say where it went on."


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            "task: worker-0 does not run, so it cannot have a fault: the job's phase is Completed",
            "the script ended before it could be preempted: train longer, or choose a smaller share (--at)",
        ),
        ("the emulator has ended", "the script could not be preempted: the emulator has ended"),
    ],
)
def test_a_preemption_that_is_not_possible_is_explained(take: Callable[..., Exam], error: str, said: str) -> None:
    """A task that has just ended is not called by its name."""
    with pytest.raises(ExamError) as caught:
        take("print('epoch 1 loss 0.5', flush=True)\ntime.sleep(0.5)\n", at=0.1, error=error)

    assert str(caught.value) == said


def test_a_script_that_had_done_all_when_it_was_preempted_gets_no_verdict(take: Callable[..., Exam]) -> None:
    with pytest.raises(ExamError, match="the script ended before it could be preempted"):
        take(LAST_LINE, at=0.95)
