"""An executor that runs tasks by a command such as `ssh gpu-{index}`, on machines that share no files with this one.

`TASK_COMMAND` gets one more argument, a line for a shell; `{index}` is the task's node. Code and inputs go to standard
input, outputs come from standard output, as tar archives. A runner per task outlives the emulator. Files in
`jobs_dir/<job>/<attempt>`: `spec.json`, `stop` to end it, `<task>.json` its report, `.lock`, `.err` its errors.
"""

import fcntl
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from tarfile import TarError, tar_filter
from tempfile import TemporaryDirectory
from typing import Any

from modelarts_emulator.execution import protocol, staging
from modelarts_emulator.execution.container import Container
from modelarts_emulator.execution.protocol import Executor, JobSpec, PollResult, TaskEvent, TaskReport
from modelarts_emulator.execution.registry import ExecutorContext
from modelarts_emulator.storage.files import replace_file
from modelarts_emulator.storage.protocol import open_store

SCRIPT = """mkdir -p {root} && cd {root} && tar xf - && cd {cwd} || exit 1
setsid {program} >&2 </dev/null & echo $! >{root}/pid
wait $!; code=$?; kill -s KILL -- -$! 2>/dev/null; cd {root} && tar cf - .; rm -rf {root}; exit $code"""


class CommandExecutor(Executor):
    """Starts runners and reads what they report; it remembers nothing, so another one can continue at any time."""

    def __init__(self, context: ExecutorContext) -> None:
        self._jobs = context.jobs_dir
        self._settings = (os.environ["TASK_COMMAND"], context.objects_url, context.stop_grace_s)

    def submit(self, spec: JobSpec) -> str:
        protocol.check_job_id(spec.job_id)
        if (newest := self._newest(spec.job_id)) is None or int(newest.name) < spec.attempt:
            folder = self._jobs / spec.job_id / str(spec.attempt)
            folder.mkdir(parents=True, exist_ok=True)
            replace_file(folder / "spec.json", json.dumps([protocol.spec_to_json(spec), *self._settings]).encode())
        self.advance([spec.job_id])
        return spec.job_id

    def advance(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """Start tasks that never started, and end those whose runner was killed."""
        attempts = [attempt for attempt in map(self._newest, handles) if attempt]
        for place in [attempt / report.task for attempt in attempts for report in _reports(attempt)]:
            with suppress(BlockingIOError), place.with_suffix(".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not place.with_suffix(".json").exists():
                    runner = ["/bin/sh", "-c", '"$@" 2>>"$0" &', f"{place}.err", sys.executable, __file__, str(place)]
                    subprocess.run(runner, pass_fds=[lock.fileno()], start_new_session=True, check=True)
                elif _report(place).state != "ended":
                    _update(place, state="ended", ended_at=time.time(), exit_code=137, message=f"see {place}.err")
        return {}

    def poll(self, handles: Collection[str]) -> PollResult:
        return {attempt.parent.name: _reports(attempt) for attempt in map(self._newest, handles) if attempt}

    def cancel(self, handle: str) -> None:
        if attempt := self._newest(handle):
            (attempt / "stop").touch()

    def delete(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """Runners end the processes of tasks whose folders are gone."""
        for handle in filter(self._newest, handles):
            shutil.rmtree((self._jobs / handle).rename(self._jobs / f".{handle}.{time.time_ns()}"), ignore_errors=True)
        return {}

    def log_file(self, handle: str, task: str) -> Path:
        if not (attempt := self._newest(handle)) or task not in [report.task for report in _reports(attempt)]:
            raise KeyError(f"{handle}/{task}")
        return attempt.parent / f"{task}.log"

    def _newest(self, job_id: str) -> Path | None:
        known = self._jobs.glob(f"{job_id}/*/spec.json") if protocol.is_job_id(job_id) else ()
        return max((path.parent for path in known), key=lambda folder: int(folder.name), default=None)


def _reports(attempt: Path) -> list[TaskReport]:
    spec, *_ = json.loads((attempt / "spec.json").read_bytes())
    return [_report(attempt / task) for task in protocol.task_names(spec["node_count"])]


def _report(place: Path) -> TaskReport:
    with suppress(FileNotFoundError):
        values = json.loads(place.with_suffix(".json").read_bytes())
        return TaskReport(**values | {"events": tuple(TaskEvent(**event) for event in values["events"])})
    return TaskReport(place.name, "preparing", attempt=int(place.parent.name))


def _update(place: Path, *messages: str, **changes: Any) -> None:
    report = _report(place)
    events = (*report.events, *(TaskEvent(time.time(), f"[{place.name}] {message}") for message in messages))
    replace_file(place.with_suffix(".json"), json.dumps(asdict(replace(report, events=events, **changes))).encode())


def run(place: Path) -> None:
    """Be the runner of a task: fetch, run and deliver."""
    _update(place)
    spec, command, objects_url, grace_s = json.loads((place.parent / "spec.json").read_bytes())
    job, index = protocol.spec_from_json(spec), int(place.name.split("-")[1])
    store, message = open_store(objects_url, job.account_id), None
    with TemporaryDirectory() as files, TemporaryDirectory() as archives:
        container = Container(job, index, Path(files))
        try:
            staging.fetch(container, store, lambda _: None)
            code = _execute(place, shlex.split(command.replace("{index}", str(index))), grace_s, container, archives)
            staging.Uploader(container, store).upload()
        except (staging.StagingError, OSError, TarError) as error:
            code, message = 1, str(error)
    end = {"state": "ended", "ended_at": time.time(), "exit_code": code, "message": message}
    _update(place, f"Training finished. Exit code {code}.", **end)


def _execute(place: Path, command: list[str], grace_s: float, container: Container, archives: str) -> int:
    """Run the program where the command leads, and fetch its files; returns its exit code as a shell counts it."""
    files, root = str(container.folder), f"/tmp/modelarts-{container.job.job_id}-{container.job.attempt}-{place.name}"
    variables = [f"{name}={value}" for name, value in container.environment((), {}).items() if name != "PATH"]
    program = shlex.join(["env", *variables, *staging.program(container, "python3")])
    script = SCRIPT.format(root=root, cwd=shlex.quote(str(container.working_dir)), program=program).replace(files, root)
    archive, output = Path(shutil.make_archive(f"{archives}/in", "tar", files)), Path(archives, "out.tar")
    log, deadline = place.parents[1] / f"{place.name}.log", 0.0
    _update(place, "training started.", state="running", started_at=time.time())
    with archive.open("rb") as stdin, output.open("wb") as stdout, log.open("ab") as stderr:
        process = subprocess.Popen([*command, script], stdin=stdin, stdout=stdout, stderr=stderr)
    while process.poll() is None:
        time.sleep(0.1)
        failed = any(_report(path).exit_code for path in place.parent.glob("worker-*.json"))
        if (failed or (place.parent / "stop").exists() or not place.parent.exists()) and time.monotonic() >= deadline:
            line = f"kill -s {'KILL' if deadline else 'TERM'} -- -$(cat {root}/pid)"
            if subprocess.run([*command, line]).returncode == 0:
                deadline = deadline or time.monotonic() + grace_s
    if output.stat().st_size:  # empty if the machine could not be reached
        shutil.unpack_archive(
            output, files, filter=lambda one, to: tar_filter(one.replace(linkname=one.linkname.replace(root, to)), to)
        )
    return process.returncode


if __name__ == "__main__":
    run(Path(sys.argv[1]))
