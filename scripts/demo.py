"""The whole pipeline in one run: an emulator, a real training job, and a model that is checked on unseen data.

`make demo`. Everything is made for the run and removed after it; `--keep FOLDER` keeps emulator state and model.
Exit status 0 means: the job completed, and the downloaded model named at least 95 % of the held-out digits right.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import logging
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx

from modelarts_toolkit import ModelArts
from modelarts_toolkit.errors import ToolkitError

EXAMPLE = Path(__file__).parents[1] / "examples" / "digits"
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
        self.is_live = sys.stdout.isatty()
        self.has_colour = self.is_live and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
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

    def title(self, number: int | str, name: str, text: str = "") -> None:
        self.line(f"{self.paint('1;36', f'{number:>2}')}  {self.paint('1', f'{name:<11}')} {text}".rstrip())

    def detail(self, text: str) -> None:
        self.line(self.paint("2", f"    {text}"))


class Calls(logging.Handler):
    """Every HTTP call that the toolkit makes, as httpx reports it, with the time since the call before."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__(logging.INFO)
        self.terminal = terminal
        self.project_id = ""
        self.quiet = False
        self.count = 0
        self.began = time.perf_counter()
        logger = logging.getLogger("httpx")
        logger.addHandler(self)
        logger.setLevel(logging.INFO)
        logger.propagate = False

    def emit(self, record: logging.LogRecord) -> None:
        if not isinstance(record.args, tuple) or len(record.args) != 5:
            return
        method, url, _, status, _ = record.args
        self.count += 1
        milliseconds = (time.perf_counter() - self.began) * 1000
        self.began = time.perf_counter()
        if not self.quiet:
            target = httpx.URL(str(url))
            path = target.path.replace(self.project_id, "{project_id}") if self.project_id else target.path
            query = f"?{target.query.decode()}" if target.query and len(target.query) < 40 else ""
            self.terminal.detail(f"{method:<6} {shorter(path + query, 74):<74} {status} {milliseconds:>5.0f} ms")

    @contextlib.contextmanager
    def step(self, number: int, name: str) -> Iterator[list[str]]:
        """Print a step's title, then its calls, then the one-line result put into the list."""
        self.terminal.title(number, name)
        self.began = time.perf_counter()
        result: list[str] = []
        yield result
        for text in result:
            self.terminal.line("    " + text)

    @contextlib.contextmanager
    def hushed(self) -> Iterator[None]:
        self.quiet = True
        yield
        self.quiet = False


def shorter(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width // 2 - 1]}…{text[-(width // 2) :]}"


def chart(values: Sequence[float], height: int, width: int, unit: str) -> Iterator[str]:
    """Draw the values as columns of Unicode blocks, top row first, with the highest and lowest value at the side."""
    width = min(width, len(values))
    bounds = [round(column * len(values) / width) for column in range(width + 1)]
    columns = [max(values[first:last]) for first, last in itertools.pairwise(bounds)]
    top = max(columns) or 1.0
    for row in reversed(range(height)):
        cells = (min(8, max(0, round(value / top * height * 8) - row * 8)) for value in columns)
        label = f"{top:.3g} {unit}" if row == height - 1 else f"0 {unit}" if row == 0 else ""
        yield f"{label:>9} ┤{''.join(BLOCKS[cell] for cell in cells)}"


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for listener in sockets:
            listener.bind(("127.0.0.1", 0))
        return [listener.getsockname()[1] for listener in sockets]


@contextlib.contextmanager
def emulator(folder: Path, terminal: Terminal) -> Iterator[None]:
    """Run `modelarts emulator` on free ports and set the variables that `modelarts emulator env` prints."""
    modelarts = str(Path(sys.executable).with_name("modelarts"))
    port, obs_port = free_ports(2)
    options = ["--port", str(port), "--obs-port", str(obs_port), "--data-dir", str(folder)]
    began = time.perf_counter()
    log = (folder.parent / "emulator.log").open("w+")
    process = subprocess.Popen(
        [modelarts, "emulator", *options, "--metrics-period", "1"], stdout=subprocess.PIPE, stderr=log, text=True
    )
    try:
        ready = process.stdout.readline() if process.stdout else ""
        if not ready:
            process.wait(5)
            raise DemoError(f"the emulator did not start:\n{Path(log.name).read_text()}")
        terminal.title("", "emulator", f"ready after {time.perf_counter() - began:.2f} s: {ready.strip()}")
        exports = subprocess.run([modelarts, "emulator", "env", *options], capture_output=True, text=True, check=True)
        for line in exports.stdout.splitlines():
            name, _, value = shlex.split(line)[1].partition("=")
            os.environ[name] = value
        yield
    finally:
        process.send_signal(signal.SIGINT)
        try:
            status = process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            raise DemoError("the emulator did not stop on Ctrl-C") from None
        log.close()
        terminal.title("", "emulator", f"stopped, exit status {status}")


def train(ma: ModelArts, job: Any, terminal: Terminal, calls: Calls) -> list[float]:
    """Follow the job to its end, showing log lines and progress as they come; return the loss of each epoch."""
    losses: list[float] = []
    state = {"phase": str(job.status.phase), "epoch": ""}
    began = time.monotonic()

    def refresh() -> None:
        elapsed = time.monotonic() - began
        terminal.show(terminal.paint("33", f"    {state['phase']:<10} {elapsed:5.1f} s  {state['epoch']}"))

    def progressed(progress: Any) -> None:
        if progress.phase != state["phase"] and not terminal.is_live:
            terminal.line(f"    {progress.phase} after {time.monotonic() - began:.1f} s")
        state["phase"] = progress.phase
        refresh()

    for line in ma.follow_logs(job, poll=(0.2, 0.5), on_progress=progressed):
        if epoch := EPOCH.search(line):
            losses.append(float(epoch[3]))
            done = round(20 * int(epoch[1]) / int(epoch[2]))
            state["epoch"] = f"{'█' * done}{'░' * (20 - done)}  epoch {epoch[1]} of {epoch[2]}"
        terminal.detail(f"│ {line}")
        refresh()
    job = ma.wait(job)
    terminal.show("")
    terminal.line(f"    {job.status.phase} after {time.monotonic() - began:.1f} s, {calls.count} calls in all so far")
    return losses


def walk(ma: ModelArts, terminal: Terminal, calls: Calls, folder: Path) -> None:
    """The nine steps of the PyTorch use case, then the proof that the model is good."""
    algorithm_body = json.loads((EXAMPLE / "algorithm.json").read_text())
    job_body = json.loads((EXAMPLE / "job.json").read_text())
    flavor_id = job_body["spec"]["resource"]["flavor_id"]
    engine = algorithm_body["job_config"]["engine"]

    with calls.step(1, "token") as result:
        projects = ma.iam.projects.list_projects()
        calls.project_id = ma.config.project_id
        result.append(f"project {projects.projects[0].name}, id {ma.config.project_id}")
    with calls.step(2, "flavors") as result:
        flavors = ma.v2.flavors.show_training_job_flavors(flavor_type="CPU")
        flavor = next(flavor for flavor in flavors.flavors if flavor.flavor_id == flavor_id)
        result.append(f"{flavors.total_count} flavors, among them {flavor.flavor_id}: {flavor.flavor_name}")
    with calls.step(3, "engines") as result:
        engines = ma.v2.engines.show_training_job_engines()
        found = next(item for item in engines.items if item.engine_version == engine["engine_version"])
        result.append(f"{engines.total} engines, among them {found.engine_name} {found.engine_version}")
    with calls.step(4, "algorithm") as result:
        algorithm = ma.v2.algorithms.create_algorithm(algorithm_body)
        result.append(f"{algorithm.metadata.name}, id {algorithm.metadata.id}")
    with calls.step(5, "job") as result:
        job_body["algorithm"]["id"] = algorithm.metadata.id
        job = ma.v2.training_jobs.create_training_job(job_body)
        result.append(f"{job.metadata.name}, id {job.metadata.id}, phase {job.status.phase}")
    with calls.step(6, "details"), calls.hushed():
        losses = train(ma, job, terminal, calls)
    task = job.status.tasks[0]
    with calls.step(7, "log") as result:
        url = ma.v2.logs.show_obs_url_of_training_job_logs(job.metadata.id, task).obs_url
        log = httpx.get(url).raise_for_status().text
        result.append(f"{len(log.splitlines())} lines, {len(log.encode()):,} bytes behind the link")
        if log.count("epoch ") < len(losses):
            raise DemoError("the log behind the link lacks lines that were followed")
    with calls.step(8, "metrics") as result:
        metrics = ma.v2.metrics.show_training_job_metrics(job.metadata.id, task)
        if metrics is None:
            raise DemoError("the job has no metrics")
        values = {metric.metric: metric.value for metric in metrics.metrics}
        cpu = [value for value in values["cpuUsage"] if value >= 0]
        result.append(f"{', '.join(values)}: {len(values['cpuUsage'])} values each")

    judge(ma, terminal, calls, folder, losses, cpu)

    with calls.step(9, "delete") as result:
        ma.v2.training_jobs.delete_training_job(job.metadata.id)
        ma.v2.algorithms.delete_algorithm(algorithm.metadata.id)
        result.append("job and algorithm are gone")


def judge(ma: ModelArts, terminal: Terminal, calls: Calls, folder: Path, losses: list[float], cpu: list[float]) -> None:
    """Download the model, load it, and score it on images that were never uploaded."""
    sys.path.insert(0, str(EXAMPLE))
    from score import score

    with calls.hushed():
        ma.obs.download(f"{BASE}/outputs/", folder / "outputs")
    accuracy = score(folder / "outputs" / "model.npz")
    history = json.loads((folder / "outputs" / "metrics.json").read_text())["epochs"]
    terminal.line()
    terminal.line(f"    loss over {len(history)} epochs")
    for row in chart([epoch["loss"] for epoch in history], 5, 60, ""):
        terminal.line(terminal.paint("36", row))
    terminal.line(f"    CPU of the job, one value per second, {max(cpu, default=0):.0f} % of the machine at most")
    for row in chart(cpu or [0.0], 3, 60, "%"):
        terminal.line(terminal.paint("35", row))
    terminal.line()
    verdict = f"{accuracy:.1%} of the held-out digits named right (at least {PASS_MARK:.0%} wanted)"
    terminal.title("", "model", terminal.paint("1;32" if accuracy >= PASS_MARK else "1;31", verdict))
    if accuracy < PASS_MARK:
        raise DemoError("the model is not good enough")
    if len(losses) != len(history):
        raise DemoError(f"{len(losses)} epochs were followed in the log, but {len(history)} were trained")


def run(folder: Path, terminal: Terminal) -> None:
    state = folder / "emulator"
    state.mkdir(parents=True, exist_ok=True)
    calls = Calls(terminal)
    with emulator(state, terminal), ModelArts() as ma:
        with calls.hushed():
            ma.obs.create_bucket(BUCKET)
            code = ma.obs.upload(EXAMPLE / "code", f"{BASE}/code/")
            data = ma.obs.upload(EXAMPLE / "data", f"{BASE}/data/")
        size = (code.bytes + data.bytes) / 1000
        terminal.title("", "upload", f"{code.files + data.files} files, {size:.0f} kB to {BASE}/")
        walk(ma, terminal, calls, folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="work in FOLDER and leave everything there")
    keep: Path | None = parser.parse_args().keep
    terminal = Terminal()
    began = time.perf_counter()
    terminal.line(terminal.paint("1", "A training job from end to end, on the emulator"))
    terminal.line()
    try:
        if keep:
            run(keep, terminal)
        else:
            with tempfile.TemporaryDirectory(prefix="modelarts-demo-") as folder:
                run(Path(folder), terminal)
    except (DemoError, ToolkitError, httpx.HTTPError) as error:
        terminal.show("")
        terminal.line(terminal.paint("1;31", f"The demo failed: {error}"))
        return 1
    except KeyboardInterrupt:
        terminal.show("")
        terminal.line("interrupted")
        return 130
    terminal.line()
    terminal.line(terminal.paint("1", f"Done in {time.perf_counter() - began:.1f} s"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
