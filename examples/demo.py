"""The whole pipeline in one run: an emulator, a real training job, and a model that is checked on unseen data.

`make demo`. Everything is made for the run and removed after it; `--keep FOLDER` keeps emulator state and model.
Exit status 0 means: the job completed, and the downloaded model named at least 95 % of the held-out digits right.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import math
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import httpx

from modelarts_toolkit import Job, ModelArts, Progress
from modelarts_toolkit.errors import ToolkitError

EXAMPLE = Path(__file__).parent / "digits"
BUCKET = "modelarts-examples"
BASE = f"obs://{BUCKET}/digits"
PASS_MARK = 0.95
EPOCH = re.compile(r"epoch (\d+)/(\d+) loss ([\d.]+) accuracy ([\d.]+)")
BLOCKS = " ▁▂▃▄▅▆▇█"


class DemoError(Exception):
    """The demo did not do what it promises; the message says why."""


class Terminal:
    """Calm output: steps, dimmed log lines, and one line of live status where there is a terminal."""

    def __init__(self) -> None:
        self.is_live = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self.has_colour = self.is_live and not os.environ.get("NO_COLOR")
        self.width = shutil.get_terminal_size((120, 24)).columns if self.is_live else 120
        self.status = ""

    def paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.has_colour else text

    def line(self, text: str = "") -> None:
        print(("\r\x1b[K" if self.status else "") + text, flush=True)
        if self.status:
            print(self.status, end="", flush=True)

    def show(self, status: str) -> None:
        """Replace the live line; an empty status removes it. Without a terminal nothing is shown."""
        if self.is_live:
            print("\r\x1b[K" + status, end="", flush=True)
            self.status = status

    def step(self, number: int | str, name: str, text: str = "", result: str = "") -> None:
        """Print a step, its result behind it or, where the terminal is too narrow, below it."""
        head = f"{self.paint('1;36', f'{number:>2}')} {self.paint('1', f'{name:<10}')} "
        fits = 14 + len(text) + 2 + len(result) <= self.width
        self.line(head + text + (f"  {self.paint('1', result)}" if result and fits else ""))
        if result and not fits:
            self.line(" " * 14 + self.paint("1", result))


class Calls(logging.Handler):
    """Every HTTP call that is made, as httpx reports it, with the time since the call before."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__(logging.INFO)
        self.terminal = terminal
        self.lines: list[str] = []
        self.count = 0
        self.began = time.perf_counter()
        logger = logging.getLogger("httpx")
        logger.addHandler(self)
        logger.setLevel(logging.INFO)
        logger.propagate = False

    def emit(self, record: logging.LogRecord) -> None:
        if isinstance(record.args, tuple) and len(record.args) == 5:
            method, url, _, status, _ = record.args
            now = time.perf_counter()
            self.lines.append(f"{method:<6} {short(str(url)):<54} {status} {(now - self.began) * 1000:>4.0f} ms")
            self.began = now
            self.count += 1

    @contextlib.contextmanager
    def step(self, number: int, name: str) -> Iterator[list[str]]:
        """Print each call of a step in a line, and behind the last one the result that was put into the list."""
        self.lines, self.began = [], time.perf_counter()
        result: list[str] = []
        yield result
        *others, last = self.lines
        for index, line in enumerate(others):
            self.terminal.step("" if index else number, "" if index else name, line)
        self.terminal.step("" if others else number, "" if others else name, last, "".join(result))


def short(url: str) -> str:
    """The path of a URL, without project and without most of each id, in at most 54 characters."""
    target = httpx.URL(url)
    query = target.query.decode()
    path = target.path + (f"?{query}" if 0 < len(query) < 30 else "")
    path = re.sub(r"^/(v[12])/[0-9a-f]{32}/", r"/\1/…/", path)
    path = re.sub(r"([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f-]{22}", r"\1…", path)
    return path if len(path) <= 54 else f"{path[:24]}…{path[-29:]}"


def chart(values: Sequence[float], height: int, width: int, unit: str = "", logarithmic: bool = False) -> Iterator[str]:
    """Draw the values as columns of Unicode blocks, the top row first, with the highest and lowest value beside."""
    scale: Callable[[float], float] = math.log if logarithmic else float
    low, high = (min(values) if logarithmic else 0.0), max(values)
    span = scale(high) - scale(low) if high > low else 1.0
    levels = [1 + (scale(value) - scale(low)) / span * (height * 8 - 1) for value in values]
    wide = max(1, width // len(values))
    for row in reversed(range(height)):
        cells = "".join(BLOCKS[round(min(8.0, max(0.0, level - row * 8)))] * wide for level in levels)
        label = f"{high:.3g} {unit}" if row == height - 1 else f"{low:.3g} {unit}" if row == 0 else ""
        yield f"{label:>12} ┤{cells}"


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for listener in sockets:
            listener.bind(("127.0.0.1", 0))
        return [listener.getsockname()[1] for listener in sockets]


@contextlib.contextmanager
def emulator(folder: Path, terminal: Terminal, *more: str) -> Iterator[None]:
    """Run `modelarts emulator` on free ports, with more options, and set what `modelarts emulator env` prints."""
    modelarts = str(Path(sys.executable).with_name("modelarts"))
    port, obs_port = free_ports(2)
    options = ["--port", str(port), "--obs-port", str(obs_port), "--data-dir", str(folder)]
    began = time.perf_counter()
    command = [modelarts, "emulator", *options, "--metrics-period", "1", *more]
    with (folder.parent / "emulator.log").open("w+") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            if process.stdout is None or not process.stdout.readline():
                process.wait(5)
                raise DemoError(f"the emulator did not start: {Path(log.name).read_text()}")
            exports = subprocess.run([modelarts, "emulator", "env", *options[-2:]], stdout=subprocess.PIPE, check=True)
            for line in exports.stdout.decode().splitlines():
                action, *words = shlex.split(line)
                for word in words:
                    name, _, value = word.partition("=")
                    os.environ[name] = value
                    if action == "unset":
                        del os.environ[name]
            addresses = f"{os.environ['MODELARTS_ENDPOINT']}, objects on {os.environ['MODELARTS_OBS_ENDPOINT']}"
            terminal.step("", "emulator", f"{addresses}, ready after {time.perf_counter() - began:.1f} s")
            yield
        finally:
            process.send_signal(signal.SIGINT)
            try:
                status = process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                status = process.wait()
            terminal.show("")
            terminal.step("", "emulator", f"stopped, exit status {status}")
    if status != 0:
        raise DemoError(f"the emulator ended with exit status {status}")


def train(job: Job, terminal: Terminal, calls: Calls) -> list[float]:
    """Follow the job to its end, showing log lines and progress as they come; return the loss of each epoch."""
    losses: list[float] = []
    phase, epoch_bar = str(job.phase), ""
    began, calls_before = time.monotonic(), calls.count

    def refresh() -> None:
        terminal.show(terminal.paint("33", f"   {phase:<10} {time.monotonic() - began:5.1f} s  {epoch_bar}"))

    def progressed(progress: Progress) -> None:
        nonlocal phase
        if progress.phase != phase and not terminal.is_live:
            terminal.line(f"   {progress.phase} after {time.monotonic() - began:.1f} s")
        phase = str(progress.phase)
        refresh()

    for line in job.logs(follow=True, poll=(0.2, 0.5), on_progress=progressed):
        if epoch := EPOCH.search(line):
            losses.append(float(epoch[3]))
            done = round(20 * int(epoch[1]) / int(epoch[2]))
            epoch_bar = f"{'█' * done}{'░' * (20 - done)}  epoch {epoch[1]} of {epoch[2]}"
        terminal.line(terminal.paint("2", f"   │ {line}"))
        refresh()
    job.wait()
    terminal.show("")
    seconds = job.running_time.total_seconds() if job.running_time else 0.0
    terminal.line(f"   {job.phase} after {seconds:.1f} s of running; {calls.count - calls_before} calls to follow it")
    return losses


def walk(ma: ModelArts, terminal: Terminal, calls: Calls, folder: Path) -> None:
    """The nine steps of the PyTorch use case, with the proof that the model is good before the last one."""
    algorithm_body = json.loads((EXAMPLE / "algorithm.json").read_text())
    job_body = json.loads((EXAMPLE / "job.json").read_text())
    flavor_id = job_body["spec"]["resource"]["flavor_id"]
    engine_version = algorithm_body["job_config"]["engine"]["engine_version"]

    with calls.step(1, "token") as result:
        projects = ma.iam.projects.list_projects().projects
        result.append(f"project {projects[0].name}")
    with calls.step(2, "flavors") as result:
        flavors = ma.v2.flavors.show_training_job_flavors(flavor_type="CPU").flavors
        flavor = next(flavor for flavor in flavors if flavor.flavor_id == flavor_id)
        result.append(f"{len(flavors)}, one is {flavor.flavor_id}")
    with calls.step(3, "engines") as result:
        engines = ma.v2.engines.show_training_job_engines().items
        engine = next(engine for engine in engines if engine.engine_version == engine_version)
        result.append(f"{len(engines)}, one is {engine.engine_name}")
    with calls.step(4, "algorithm") as result:
        algorithm = ma.v2.algorithms.create_algorithm(algorithm_body)
        result.append(f"{algorithm.metadata.name}, id {algorithm.metadata.id[:8]}…")
    with calls.step(5, "job") as result:
        job_body["algorithm"]["id"] = algorithm.metadata.id
        job = ma.jobs.submit(job_body)
        result.append(f"{job.name}, id {job.id[:8]}…, {job.phase}")
    terminal.step(6, "details", f"GET    /v2/…/training-jobs/{job.id[:8]}…, again and again")
    losses = train(job, terminal, calls)
    task = job.tasks[0]
    with calls.step(7, "log") as result:
        url = ma.v2.logs.show_obs_url_of_training_job_logs(job.id, task).obs_url
        lines = httpx.get(url).raise_for_status().text.splitlines()
        result.append(f"{len(lines)} lines")
    if sum(line.startswith("epoch ") for line in lines) != len(losses):
        raise DemoError("the log behind the link and the lines that were followed differ")
    with calls.step(8, "metrics") as result:
        metrics = ma.v2.metrics.show_training_job_metrics(job.id, task)
        values = {metric.metric: metric.value for metric in metrics.metrics} if metrics else {}
        cpu = [value for value in values.get("cpuUsage", []) if value >= 0]
        result.append(f"{len(values)}, cpuUsage with {len(cpu)} values")
    if not cpu:
        raise DemoError("the job has no CPU metric")

    judge(ma, terminal, folder, losses, cpu)

    with calls.step(9, "delete") as result:
        ma.v2.training_jobs.delete_training_job(job.id)
        ma.v2.algorithms.delete_algorithm(algorithm.metadata.id)
        result.append("both are gone")


def judge(ma: ModelArts, terminal: Terminal, folder: Path, losses: list[float], cpu: list[float]) -> None:
    """Download the model, load it, and score it on images that were never uploaded."""
    sys.path.insert(0, str(EXAMPLE))
    from score import score

    ma.obs.download(f"{BASE}/outputs/", folder / "outputs")
    accuracy = score(folder / "outputs" / "model.npz")
    history = json.loads((folder / "outputs" / "metrics.json").read_text())["epochs"]
    terminal.line()
    terminal.line(f"   loss over {len(history)} epochs, logarithmic")
    for row in chart([epoch["loss"] for epoch in history], 5, 60, logarithmic=True):
        terminal.line(terminal.paint("36", row))
    terminal.line("   CPU of the job, one value per second")
    for row in chart(cpu, 3, 40, "%"):
        terminal.line(terminal.paint("35", row))
    terminal.line()
    verdict = f"{accuracy:.1%} of the held-out digits named right (at least {PASS_MARK:.0%} wanted)"
    terminal.step("", "model", terminal.paint("1;32" if accuracy >= PASS_MARK else "1;31", verdict))
    if accuracy < PASS_MARK:
        raise DemoError("the model is not good enough")
    if len(losses) != len(history):
        raise DemoError(f"{len(losses)} epochs were followed in the log, but {len(history)} were trained")


def run(folder: Path, terminal: Terminal) -> None:
    state = folder / "emulator"
    state.mkdir(parents=True, exist_ok=True)
    calls = Calls(terminal)
    with emulator(state, terminal), ModelArts() as ma:
        ma.obs.create_bucket(BUCKET)
        code = ma.obs.upload(EXAMPLE / "code", f"{BASE}/code/")
        data = ma.obs.upload(EXAMPLE / "data", f"{BASE}/data/")
        size = (code.bytes + data.bytes) / 1000
        terminal.step("", "upload", f"{code.files + data.files} files, {size:.0f} kB, to {BASE}/")
        walk(ma, terminal, calls, folder)


def main(title: str, run: Callable[..., None], *more: argparse.ArgumentParser) -> int:
    """Run a demo in a folder of its own and say how it ended; the exit status.

    `run` gets the folder, the terminal, and the options of `more` parsers by name.
    """
    parser = argparse.ArgumentParser(description="Train a real model on the emulator and check it.", parents=more)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="work in FOLDER and leave everything there")
    options = vars(parser.parse_args())
    keep: Path | None = options.pop("keep")
    terminal = Terminal()
    began = time.perf_counter()
    terminal.line(terminal.paint("1", title))
    terminal.line()
    try:
        with contextlib.nullcontext(keep) if keep else tempfile.TemporaryDirectory(prefix="modelarts-demo-") as folder:
            run(Path(folder).resolve(), terminal, **options)
    except (DemoError, ToolkitError, httpx.HTTPError) as error:
        terminal.line(terminal.paint("1;31", f"The demo failed: {error}"))
        return 1
    except KeyboardInterrupt:
        terminal.line("interrupted")
        return 130
    terminal.line()
    terminal.line(terminal.paint("1", f"Done in {time.perf_counter() - began:.1f} s"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main("A training job from end to end, on the emulator", run))
