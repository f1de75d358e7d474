"""Take the exam of a script of this machine, in a new emulator."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from modelarts_toolkit.local.caller import Caller, nothing
from modelarts_toolkit.local.emulator import config_of, installed_emulator, new_emulator
from modelarts_toolkit.local.exam import TOLERANCE, Exam, take_exam
from modelarts_toolkit.local.request import RunRequest
from modelarts_toolkit.local.resources import resources_of
from modelarts_toolkit.local.script_python import python_for

BOOT, BOOT_FILE = ".modelarts_exam.py", Path(__file__).with_name("exam_boot.py")


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
    return examine_request(request, Caller(), outputs=outputs, at=at, tolerance=tolerance, python=python, gpus=gpus)


def examine_request(
    request: RunRequest,
    caller: Caller,
    *,
    outputs: Sequence[str],
    at: float,
    tolerance: float,
    python: Path | None,
    gpus: int | None,
    on_line: Callable[[str], object] = nothing,
) -> Exam:
    """Start an emulator, upload, and take the exam; `on_line` gets the lines of the script. Raises as `examine`."""
    from modelarts_toolkit import Jobs, ModelArts
    from modelarts_toolkit.jobs.polling import Clock

    emulator = installed_emulator("modelarts exam")
    request.start_by(BOOT, BOOT_FILE, "MODELARTS_EXAM_SCRIPT", MODELARTS_EXAM_OUTPUTS=",".join(outputs))
    chosen = python_for(emulator, request.code, python)
    with (
        new_emulator(emulator, caller, chosen, request.requirements, gpus=gpus) as environment,
        ModelArts(config=config_of(environment)) as ma,
    ):

        def preempt(job_id: str) -> None:
            emulator.call_control(environment, "POST", "faults", {"job": job_id, "kind": "preempted"})

        request.upload(ma, caller)
        wanted = (chosen, request.environments, request.requirements)
        resources = resources_of(ma, emulator, environment, *wanted, gpus=gpus)
        for sentence in resources.notes:
            caller.note(sentence)
        return take_exam(
            ma,
            request.body(resources),
            preempt,
            jobs=Jobs(ma, clock=Clock(time.monotonic, caller.sleep)),
            at=at,
            tolerance=tolerance,
            note=caller.note,
            on_line=on_line,
        )
