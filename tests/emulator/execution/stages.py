"""The stages of the emulator's own executors, and of the one in `examples/`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.suites.executor_suite import FOREVER_S, ScriptStage

from modelarts_emulator.clock import Clock
from modelarts_emulator.execution.process import ProcessExecutor
from modelarts_emulator.execution.protocol import Executor, JobSpec
from modelarts_emulator.execution.registry import ExecutorContext, create_executor
from modelarts_emulator.execution.simulated.executor import SimulatedExecutor
from modelarts_emulator.execution.slurm.commands import SlurmFlavor
from modelarts_emulator.execution.slurm.executor import SlurmExecutor
from modelarts_emulator.execution.task.namespaces import PathMode, choose_path_mode
from modelarts_emulator.execution.task.recorded_executor import ControllerSettings


class ControllerStage(ScriptStage):
    """Tasks have controllers; they measure every `metrics_period` seconds."""

    metrics_period = 60.0

    @property
    def settings(self) -> ControllerSettings:
        """What controllers are told."""
        return ControllerSettings(self.store.url, metrics_period=self.metrics_period, grace=0.5)


class ProcessStage(ControllerStage):
    """Processes of this machine."""

    paths: PathMode = "mapping"

    def new_executor(self, context: ExecutorContext) -> Executor:
        return ProcessExecutor(context.jobs_dir, replace(self.settings, paths=self.paths))


class CommandStage(ScriptStage):
    """The executor in `examples/`, with a shell in place of `ssh HOST`."""

    command = "sh -c"

    def new_executor(self, context: ExecutorContext) -> Executor:
        with installed_example(self._folder, self.command):
            return create_executor("command", context)


@contextmanager
def installed_example(folder: Path, command: str = "sh -c") -> Iterator[None]:
    """Let the package in `examples/command-executor` be installed, with entry points in `folder` and this command."""
    source = Path(__file__).parents[3] / "examples" / "command-executor"
    project = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))["project"]
    info = folder / "command_executor.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    lines = [
        line
        for group, points in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in points.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TASK_COMMAND", command)
        patch.syspath_prepend(source)
        patch.syspath_prepend(folder)
        yield


class NamespaceStage(ProcessStage):
    """Real scripts in namespaces of their own; skips the test where the system forbids them."""

    paths: PathMode = "namespace"

    def __init__(self, folder: Path) -> None:
        mode, reason = choose_path_mode("auto", [folder])
        if mode != "namespace":
            pytest.skip(reason)
        super().__init__(folder)


class SlurmStage(ControllerStage):
    """Jobs of a Slurm cluster, which `SLURM_CONF` names."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        super().__init__(folder)

    flavors: ClassVar = {"": SlurmFlavor(("--mem=64M",))}

    def with_cards(self, job: JobSpec, count: int) -> JobSpec:
        """The same job, which asks Slurm for cards."""
        return replace(job, resources=replace(job.resources, gpu_count=count))

    def new_executor(self, context: ExecutorContext) -> Executor:
        if self._executors:
            self._executors.pop().close()  # one at a time works on a folder
        return SlurmExecutor(self._folder / "jobs", self.settings, self.flavors)


class SimulatedStage:
    """Plans on a clock that is moved from one event to the next."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._jobs = 0
        self._clock = Clock()
        self._clock.freeze()
        self._simulated: SimulatedExecutor | None = None
        self.renew()

    def renew(self) -> None:
        self.close()
        self._simulated = SimulatedExecutor(self._folder / "jobs", self._clock)
        self.executor: Executor = self._simulated

    def job(self, line: str, seconds: float, codes: Sequence[int], nodes: int, fails: str) -> JobSpec:
        self._jobs += 1
        others = {f"worker-{index}" for index in range(nodes)} - {fails} if fails else ()
        tasks = {task: {"duration": FOREVER_S} for task in others}
        plan = {"log": line, "duration": seconds, "exit_code": codes, "tasks": tasks}
        annotations = {f"emulator/{name}": json.dumps(value) for name, value in plan.items()}
        return JobSpec(f"job-{self._jobs}", "job", node_count=nodes, command="none", annotations=annotations)

    def attempt(self, job: JobSpec, number: int) -> JobSpec:
        return replace(job, attempt=number)

    def with_cards(self, job: JobSpec, count: int) -> JobSpec:
        return job

    def wait_for(self, is_true: Callable[[], Any]) -> None:
        assert self._simulated is not None
        while not is_true():
            change = self._simulated.next_change()
            assert change is not None, "nothing is to come"
            self._clock.advance_to(change)

    def close(self) -> None:
        if self._simulated is not None:
            self._simulated.close()
