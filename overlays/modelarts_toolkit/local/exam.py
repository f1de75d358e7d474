"""The exam of a script: does it go on where it was, after a preemption and the restart of its job?

Run A trains without an interruption. Run B is the same job, is preempted, and is restarted by the service's retry with
its outputs restored. The two are compared by what they print.
"""

import math
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from modelarts_toolkit._sync.client import ModelArts
from modelarts_toolkit.curves.metric_lines import LineReader, facts
from modelarts_toolkit.errors import JobFailed, ToolkitError
from modelarts_toolkit.job_requests.channels import channel_url
from modelarts_toolkit.jobs._sync.jobs import Job, Jobs
from modelarts_toolkit.jobs.polling import Clock
from modelarts_toolkit.local.caller import Caller, nothing
from modelarts_toolkit.local.emulator import config_of, installed_emulator, new_emulator
from modelarts_toolkit.local.failures import failure_text
from modelarts_toolkit.local.request import RunRequest
from modelarts_toolkit.local.resources import Asked
from modelarts_toolkit.local.script_python import python_for

if TYPE_CHECKING:
    from modelarts_api.v2.models import OutputRequestDict
    from modelarts_toolkit import JobRequest, Progress

POLL = (0.01, 0.1)  # seconds
FEWEST_POINTS = 3  # of a curve by which the moment is chosen; else it is chosen by time
TOLERANCE = 0.001  # relative difference of two numbers that count as the same
MARK = "[exam] read "
SEE_LINES = "modelarts run prints its lines."
UNKNOWN = "It cannot know whether kernels of a GPU or NPU are deterministic, nor what child processes read."
TOO_EARLY = "the script was preempted before it had printed a number: choose a larger share (--at)"
TOO_LATE = "the script ended before it could be preempted: train longer, or choose a smaller share (--at)"
RETRY = "fault-tolerance/job-retry-num"
BOOT, BOOT_FILE = ".modelarts_exam.py", Path(__file__).with_name("exam_boot.py")

_PLATFORM = "[ModelArts Service Log]"
_STARTING = re.compile(r"\[ModelArts Service Log\].* is starting (.+ with (?P<python>/.+))?")
_LOST = re.compile(r"\[ModelArts Service Log\].* not kept, because written to no output: (?P<files>.+)")

Key = tuple[tuple[str, float], ...]


class ExamError(ToolkitError):
    """The exam could not be taken: the script fails by itself, or ends too early."""


@dataclass(slots=True)
class Point:
    """A line with numbers: its counters, such as epoch 3, its values by name, and when it came, in seconds."""

    key: Key
    values: dict[str, float]
    at_s: float

    def __str__(self) -> str:
        return ", ".join(f"{name} {number:g}" for name, number in self.key) or "there"


@dataclass(slots=True)
class Attempt:
    """What a job printed between two starts of its script; `began` is the time of the first, in seconds."""

    points: list[Point] = field(default_factory=list)
    read: list[str] = field(default_factory=list)  # files of outputs that it opened
    lost: str = ""  # files that it wrote to no output
    lines: int = 0
    reader: LineReader = field(default_factory=LineReader)
    began: float = field(default_factory=time.monotonic)


@dataclass(frozen=True, slots=True)
class Exam:
    """The result: `passed`, three sentences, the reason most worth knowing, and the curves of both runs."""

    passed: bool
    went_on: str
    same_curve: str
    cost: str
    reason: str
    metric: str
    curves: tuple[tuple[float, ...], tuple[float, ...]]  # of A, and of B with its repeated part
    stopped_at: int  # points of B before the preemption

    @property
    def sentences(self) -> tuple[str, ...]:
        """The verdict as it is printed."""
        verdict = "Passed." if self.passed else f"Failed: {self.reason}."
        return (self.went_on, self.same_curve, self.cost, verdict, UNKNOWN)

    def __str__(self) -> str:
        return "\n".join(self.sentences)


class JobFollower:
    """Follows one job and records its attempts; `is_run` as of `failure_text`."""

    def __init__(self, on_line: Callable[[str], object], *, is_run: bool = True) -> None:
        self.python: str | None = None  # that runs the boot file, as the log says
        self._is_run = is_run
        self.attempts: list[Attempt] = []
        self.began = time.monotonic()
        self.seconds = 0.0
        self._on_line = on_line

    def follow(self, job: Job, check: Callable[[], object] = nothing) -> None:
        """Record the log until the job has ended; `check` is called at each poll.

        Raises JobStopped, and JobFailed, which says what `modelarts run` says.
        """

        def report(_: "Progress") -> None:
            check()

        for batch in job.log_batches(job.log_source(), follow=True, poll=POLL, on_progress=report, late_lines=False):
            for line in batch:
                self._add(line)
            check()
        self.seconds = time.monotonic() - self.began
        try:
            job.wait(poll=POLL)
        except JobFailed as error:
            otherwise = SEE_LINES if self._is_run else ""
            text = failure_text(error, self.python, otherwise=otherwise, is_run=self._is_run)
            error.args = (text, *error.args[1:])
            error.verdict = error.verdict and error.verdict.lasting  # the job is deleted now
            raise

    def _add(self, line: str) -> None:
        if starting := _STARTING.search(line):
            self.python = starting["python"]
            self.attempts.append(Attempt())
        elif not self.attempts:
            return
        attempt = self.attempts[-1]
        if lost := _LOST.search(line):
            attempt.lost = lost["files"]
        if line.startswith(MARK):
            attempt.read.append(line.removeprefix(MARK))
        elif _PLATFORM not in line:
            attempt.lines += 1
            self._on_line(line)
            for found, places in attempt.reader.read(line):
                values = {name: value for name, value in found.items() if facts(name).kind != "varying"}
                key = tuple((name, places[name]) for name in ("epoch", "step") if name in places)
                if values:
                    attempt.points.append(Point(key, values, time.monotonic()))


def examine(
    script: Path | str,
    *,
    data: Mapping[str, Path | str] | Path | str | None = None,
    outputs: Sequence[str] = ("train_url",),
    at: float = 0.4,
    tolerance: float = TOLERANCE,
    arguments: Mapping[str, object] | None = None,
    engine: Path | str | None = None,
    gpus: int | None = None,
) -> Exam:
    """Take the exam of a script as `modelarts exam` does.

    `data` is a path, or paths by the names of the channels; `outputs` are names of outputs, `arguments` the script's.
    `at` is the share of the training after which it is preempted, `engine` the Python that runs the script.
    Raises ExamError, JobFailed if the script fails by itself, and ConfigError if the emulator is not installed or an
    argument makes no sense.
    """
    channels = data if isinstance(data, Mapping) else {} if data is None else {"data_url": data}
    request = RunRequest(
        script=Path(script),
        data={name: Path(path) for name, path in channels.items()},
        out=dict.fromkeys(outputs),
        parameters=[{"name": name, "value": str(value)} for name, value in (arguments or {}).items()],
    )
    python = None if engine is None else Path(engine)
    return examine_request(request, Caller(), at=at, tolerance=tolerance, python=python, gpus=gpus)


def examine_request(
    request: RunRequest,
    caller: Caller,
    *,
    at: float,
    tolerance: float,
    python: Path | None,
    gpus: int | None,
    on_line: Callable[[str], object] = nothing,
) -> Exam:
    """Start an emulator, upload, and take the exam; `on_line` gets the script's lines. Raises as `examine`."""
    emulator = installed_emulator("modelarts exam")
    request.start_by(BOOT, BOOT_FILE, "MODELARTS_EXAM_SCRIPT", MODELARTS_EXAM_OUTPUTS=",".join(request.out))
    chosen = python_for(emulator, request.code, python)
    asked = Asked(chosen, request.requirements, request.environments, gpus=gpus)
    with (
        new_emulator(emulator, caller, asked) as environment,
        ModelArts(config=config_of(environment)) as ma,
    ):

        def preempt(job_id: str) -> None:
            emulator.call_control(environment, "POST", "faults", {"job": job_id, "kind": "preempted"})

        return take_exam(
            ma,
            request.prepare(ma, emulator, environment, asked, caller),
            preempt,
            jobs=Jobs(ma, clock=Clock(time.monotonic, caller.sleep)),
            at=at,
            tolerance=tolerance,
            note=caller.note,
            on_line=on_line,
        )


def take_exam(
    ma: ModelArts,
    body: "JobRequest",
    preempt: Callable[[str], object],
    *,
    jobs: Jobs | None = None,
    at: float = 0.4,
    tolerance: float = TOLERANCE,
    note: Callable[[str], object] = nothing,
    on_line: Callable[[str], object] = nothing,
) -> Exam:
    """Run the job of `body` twice, the second time preempted at this share, and compare.

    `preempt` gets a job's id, and preempts its first task. `note` gets what is done, `on_line` each line of the script.
    Raises ExamError, and JobFailed if the script fails by itself; failing after the restart is a result.
    """
    if not 0 < at < 1:
        raise ValueError(f"the share must be between 0 and 1, not {at}")
    note("Run A: the whole training.")
    whole = JobFollower(on_line)
    jobs = jobs or ma.jobs
    whole.follow(jobs.submit(_renamed(body, "a"), unique=True))
    points = _comparable(whole.attempts[-1]) if whole.attempts else []
    wanted = max(math.ceil(at * len(points)), 2) if len(points) >= FEWEST_POINTS else None  # 2: one may be unsaved

    note(f"Run B: the same, preempted at {at:.0%} and restarted.")
    broken, job = JobFollower(on_line), jobs.submit(_renamed(body, "b"), unique=True)
    is_preempted, kept_files = False, -1

    def check() -> None:
        nonlocal is_preempted, kept_files
        if not broken.attempts:
            return
        done = len(_comparable(broken.attempts[0]))
        seconds = time.monotonic() - broken.began
        if not is_preempted and (seconds >= at * whole.seconds if wanted is None else done >= wanted):
            is_preempted = True
            note("Preempted.")
            try:
                preempt(job.id)
            except Exception as error:
                why = TOO_LATE if "does not run" in str(error) else f"the script could not be preempted: {error}"
                raise ExamError(why) from error
        if kept_files < 0 and len(broken.attempts) > 1:
            kept_files = sum(len(ma.obs.list(url)) for url in job.outputs().values())

    failure = None
    try:
        broken.follow(job, check)
    except JobFailed as error:
        if len(broken.attempts) == 1:  # not when it was restarted
            raise
        failure = error
    is_all_done = len(_comparable(broken.attempts[0])) >= len(points) > 0 and not broken.attempts[-1].points
    if failure is None and (len(broken.attempts) == 1 or is_all_done):
        raise ExamError(TOO_LATE)
    if points and not broken.attempts[0].points:
        raise ExamError(TOO_EARLY)
    return judge(whole, broken, tolerance=tolerance, kept_files=kept_files, failure=failure)


def _renamed(body: "JobRequest", run: str) -> "JobRequest":
    """Return the request of a run: outputs of its own, restored before each attempt, and one restart."""
    metadata, algorithm = body["metadata"], body["algorithm"]
    annotations = {**metadata.get("annotations", {}), RETRY: "1"}
    outputs: list[OutputRequestDict] = [
        {"name": each["name"], "remote": {"obs": {"obs_url": f"{channel_url(each)}{run}/"}}, "prefetch_to_local": True}
        for each in algorithm["outputs"]
    ]
    return {
        **body,
        "metadata": {**metadata, "name": f"{metadata['name']}-{run}", "annotations": annotations},
        "algorithm": {**algorithm, "outputs": outputs},
    }


def judge(
    whole: JobFollower, broken: JobFollower, *, tolerance: float, kept_files: int, failure: JobFailed | None = None
) -> Exam:
    """Compare the runs; `kept_files` is the number of output files that were there when the second attempt began.

    `failure` says how the second attempt failed, if it did.
    """
    first, second = broken.attempts[0], broken.attempts[-1]
    a, before, after = (_comparable(each) for each in (whole.attempts[-1], first, second))
    places = _places(a)
    stop = max((places.get(key, -1) for key in _places(before)), default=-1) + 1
    again = _aligned(a, after)
    begin = min(again, default=len(a))  # the first point of A that the second attempt repeats or goes on with
    names = [name for point in a for name in point.values]
    name = max(dict.fromkeys(names), key=names.count, default="")  # that with most values, the first of several
    where = f"{a[stop - 1]}" if 0 < stop <= len(a) and a[stop - 1].key else f"point {stop}"
    resumed = f"{a[begin]}" if begin < len(a) and a[begin].key else f"point {begin + 1}"
    stopped = f"It was stopped after {where}" if a else "It was stopped"
    compared = ((each, _difference(a[each], after[again[each]], tolerance)) for each in sorted(again))
    different, difference = next(((each, text) for each, text in compared if text), (0, ""))
    same, reason = "There is no curve to go on with.", ""
    if failure is not None:
        went_on = f"{stopped} and failed when it was restarted."
        reason = f"it fails when it is restarted: {str(failure).removesuffix('.')}"
    elif not again:
        when = " after the restart" if a else ""
        went_on = f"{stopped} and restarted; no numbers say where it went on."
        same = f"The script prints no numbers{when}, so the curves cannot be compared."
        reason = f"it prints no numbers{when}, such as epoch 3 loss 0.31, by which it could be judged"
    elif begin == 0:
        went_on, reason = f"{stopped} and began again with {resumed}.", _why_again(first, second, kept_files)
    else:
        twice = f": it did {stop - begin} of {len(a)} points twice" if begin < stop else ""
        left = f": it left {begin - stop} points out" if begin > stop else ""
        went_on = f"{stopped} and went on with {resumed}{twice}{left}."
        same = f"From there the curve is the same, within {tolerance:g}."
        if difference:
            same, reason = (
                f"The curve differs from {difference}.",
                _why_different(a, after[again[different]], different, name),
            )
        if left:
            reason = "it leaves a part of the training out"

    lost = _cost_s(before, after, again, stop)
    cost = f"A stop costs {lost:.1f} s of {broken.seconds:.1f} s; the run without a stop took {whole.seconds:.1f} s."
    repeated = [point.values[name] for point in (*before, *after) if name in point.values]
    return Exam(
        passed=not reason,
        went_on=went_on,
        same_curve=same,
        cost=cost,
        reason=reason,
        metric=name,
        curves=(tuple(point.values[name] for point in a if name in point.values), tuple(repeated)),
        stopped_at=len([point for point in before if name in point.values]),
    )


def _comparable(attempt: Attempt) -> list[Point]:
    """Return the points with counters, or all if none has any."""
    return [point for point in attempt.points if point.key] or attempt.points


def _places(points: Sequence[Point]) -> dict[tuple[Key, tuple[str, ...], int], int]:
    """The places of points by their names: counters and what they measure, and a number if that is not unique."""
    seen: Counter[tuple[Key, tuple[str, ...]]] = Counter()
    places = {}
    for place, point in enumerate(points):
        what = (point.key, tuple(point.values))
        places[(*what, seen[what])] = place
        seen[what] += 1
    return places


def _aligned(a: Sequence[Point], second: Sequence[Point]) -> dict[int, int]:
    """Return for points of A the point of the second attempt that stands for it: by counters, else from the end."""
    if any(point.key for point in second):
        places = _places(a)
        return {places[key]: place for key, place in _places(second).items() if key in places and key[0]}
    return {len(a) - back: len(second) - back for back in range(1, min(len(a), len(second)) + 1)}


def _difference(a: Point, b: Point, tolerance: float) -> str:
    """Name the first value of A that B has not, within the tolerance; empty if they are the same."""
    for name, value in a.values.items():
        other = b.values.get(name, math.nan)
        is_near = math.isclose(value, other, rel_tol=tolerance, abs_tol=1e-12)
        if not is_near and not (math.isnan(value) and math.isnan(other)):
            return f"{a} on: {name} is {other:g} instead of {value:g}"
    return ""


def _why_again(first: Attempt, second: Attempt, kept_files: int) -> str:
    """Say why the second attempt began again."""
    if kept_files == 0 and first.lost:
        return f"checkpoint is not an output: {first.lost} was written elsewhere"
    if kept_files == 0:
        return "nothing lay in its outputs when it was restarted: the script had written no checkpoint yet"
    if not second.read:
        return "reads no checkpoint: nothing opened below the folder of its outputs ($TRAIN_URL)"
    return f"reads {second.read[0]}, and begins again all the same"


def _why_different(a: Sequence[Point], b: Point, place: int, name: str) -> str:
    """Say what the first difference points to: a value near that of A, or one as at the beginning."""
    value, expected, start = b.values.get(name), a[place].values.get(name), a[0].values.get(name)
    if value is not None and expected is not None and start is not None and abs(value - start) < abs(value - expected):
        return f"weights are not restored: {name} is as at the beginning"
    return "data order differs: it goes on at the same level, but the state of the random numbers is not restored"


def _cost_s(first: Sequence[Point], second: Sequence[Point], again: Mapping[int, int], stop: int) -> float:
    """Return the seconds from the last point before the stop until the second attempt had come as far."""
    if not first or not second:
        return 0.0
    redone = [second[place].at_s for a, place in again.items() if a < stop]
    new = [second[place].at_s for a, place in again.items() if a >= stop]
    reached = max(redone) if redone else min(new, default=second[-1].at_s)
    return reached - first[-1].at_s
