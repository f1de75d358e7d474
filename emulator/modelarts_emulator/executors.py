"""Creates the executor that the options name; imports only that one, so that the start is quick."""

from __future__ import annotations

from modelarts_emulator.clock import restore
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.execution.protocol import Executor
from modelarts_emulator.execution.registry import ExecutorContext, create_executor
from modelarts_emulator.execution.task.namespaces import PathChoice, PathMode
from modelarts_emulator.options import Options
from modelarts_emulator.settings.catalogue import Catalogue, FindPython
from modelarts_emulator.settings.data_folder import DataFolder
from modelarts_emulator.storage.protocol import Store

RECORDED = ("process", "slurm")


def path_choice(options: Options) -> PathChoice:
    """How tasks are to see their directories; what the nodes of a cluster allow cannot be found out here."""
    if options.executor == "slurm" and options.paths != "namespace":
        return "mapping"
    return options.paths if options.executor in RECORDED else "mapping"


def open_executor(
    options: Options, folder: DataFolder, store: Store, catalogue: Catalogue, find_python: FindPython, paths: PathMode
) -> Executor:
    """The executor of the name in `options.executor`; `find_python` names the Python for an engine.

    Raises EmulatorError if it cannot be had here.
    """
    if options.executor == "simulated":
        from modelarts_emulator.execution.simulated.executor import SimulatedExecutor

        restore(options.clock, folder.path)
        return SimulatedExecutor(folder.jobs, options.clock, options.metrics_period)
    if options.executor in RECORDED:
        return _recorded_executor(options, folder, store, catalogue, find_python, paths)
    name = str(options.executor)
    flavors = {flavor_id: flavor.get("executor", {}).get(name, {}) for flavor_id, flavor in catalogue.flavors.items()}
    context = ExecutorContext(
        folder.jobs,
        store.url,
        options.clock,
        options.metrics_period,
        options.stop_grace_s,
        catalogue.limits.log_bytes,
        flavors,
        find_python,
    )
    return create_executor(name, context)


def _recorded_executor(
    options: Options, folder: DataFolder, store: Store, catalogue: Catalogue, find_python: FindPython, paths: PathMode
) -> Executor:
    """The executor of this machine, or of a cluster: with controllers either way."""
    from modelarts_emulator.execution.process import ProcessExecutor
    from modelarts_emulator.execution.task.recorded_executor import ControllerSettings

    settings = ControllerSettings(
        store.url,
        environments=str(folder.environments.absolute()) if options.install_requirements else None,
        metrics_period=options.metrics_period,
        grace=options.stop_grace_s,
        log_limit=catalogue.limits.log_bytes,
        paths=paths,
    )
    if options.executor == "process":
        return ProcessExecutor(folder.jobs, settings, find_python)
    if options.max_running_jobs is not None:
        raise EmulatorError(
            "--max-running-jobs does not apply to --executor slurm, where the cluster decides how many jobs run:"
            " leave it out, and limit the partition"
        )
    from modelarts_emulator.execution.slurm.commands import read_flavors
    from modelarts_emulator.execution.slurm.executor import SlurmExecutor

    return SlurmExecutor(folder.jobs, settings, read_flavors(catalogue.flavors), find_python)
