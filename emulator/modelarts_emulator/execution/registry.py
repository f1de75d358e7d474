"""Executors by name: the emulator's own, and those of other packages (entry points of the group `modelarts.executors`).

An entry point is a function, or a class, that takes an `ExecutorContext` and returns an `Executor`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from modelarts_emulator.errors import EmulatorError, right_name
from modelarts_emulator.execution.protocol import Executor

GROUP = "modelarts.executors"
BUILT_IN = ("process", "simulated", "slurm")


@dataclass(frozen=True, slots=True)
class ExecutorContext:
    """What an executor may need: `jobs_dir` is a folder for its files, `objects_url` the store of code and data.

    `clock` returns the emulator's time in Unix seconds. `flavors` has, by flavor id, what the catalogue says of flavors
    for this executor, `executor = { NAME = {...} }`; it is the executor that checks it, and raises ValueError.
    `find_python` names the Python for a job's engine, as `--engine` and the catalogue say; `JobSpec.python` goes first.
    """

    jobs_dir: Path
    objects_url: str
    clock: Callable[[], float]
    metrics_period_s: float = 60.0
    stop_grace_s: float = 10.0
    log_limit_bytes: int = 1 << 30
    flavors: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    find_python: Callable[[Mapping[str, str] | None], str] = lambda _engine: sys.executable


def executor_names() -> list[str]:
    """All names that `--executor` takes; nothing of the packages is imported."""
    return sorted({*BUILT_IN, *(point.name for point in entry_points(group=GROUP))})


def check_executor_name(name: str) -> None:
    """Raise EmulatorError if no executor has this name."""
    if name in BUILT_IN:  # to look into every installed package takes as long as to start
        return
    names = executor_names()
    if name not in names:
        raise EmulatorError(f"unknown executor {name!r}: {right_name(name, names)}")


def create_executor(name: str, context: ExecutorContext) -> Executor:
    """The executor of another package; raises EmulatorError that names it if it cannot be loaded."""
    check_executor_name(name)
    point = next(point for point in entry_points(group=GROUP) if point.name == name)
    try:
        executor: Executor = point.load()(context)
        if not isinstance(executor, Executor):
            raise TypeError(f"{executor!r} is not an Executor")
    except Exception as error:
        package = point.dist.name if point.dist is not None else "an unknown package"
        raise EmulatorError(
            f"the executor {name!r} ({point.value} of {package}) cannot be loaded: {type(error).__name__}: {error};"
            " repair or remove that package, or choose another --executor"
        ) from error
    return executor
