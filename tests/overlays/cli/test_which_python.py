"""The Python that runs a script is the same for every command: the table of what is active and what is called."""

from __future__ import annotations

import os
import sys
import venv
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.overlays.cli.conftest import ENGINE, FLAVOR, Run

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.local.emulator import config_of
from modelarts_toolkit.local_emulator import PYTHON, PYTHON_CHOSEN_BY

Environments: TypeAlias = Mapping[str, Path]
Train: TypeAlias = Callable[..., "tuple[list[str], str]"]

OWN = "own"  # the toolkit's
SCRIPT = "import sys\nprint('prefix', sys.prefix, flush=True)\n"
SUBMIT = (
    "job",
    "submit",
    "--code",
    ".",
    "--boot",
    "train.py",
    "--engine",
    ENGINE,
    "--flavor",
    FLAVOR,
    "--name",
    "which",
)
COMMANDS = {
    "run, new emulator": ("run", "train.py", "--new"),
    "run, running emulator": ("run", "train.py"),
    "job submit": SUBMIT,
    "job submit --rehearse": (*SUBMIT, "--rehearse=60s"),
    "exam": ("exam", "train.py", "-v"),  # it ends at once: before it could be preempted
}
QUICK = ("run, running emulator", "job submit")

# What the caller has: environments by the names of variables and places; with which the script runs, and why.
ACTIVE = {
    "nothing": ({}, OWN, "the toolkit's own"),
    "VIRTUAL_ENV": ({"VIRTUAL_ENV": "a"}, "a", "VIRTUAL_ENV"),
    "CONDA_PREFIX": ({"CONDA_PREFIX": "a"}, "a", "CONDA_PREFIX"),
    "both": ({"VIRTUAL_ENV": "a", "CONDA_PREFIX": "b"}, "a", "VIRTUAL_ENV"),
    "on PATH only": ({"PATH": "a"}, "a", "PATH"),
    ".venv in the folder": ({"folder": "a"}, "a", ".venv"),
    ".venv above the folder": ({"above": "a"}, "a", ".venv"),
    ".venv and PATH": ({"folder": "a", "PATH": "b"}, "a", ".venv"),
    "CONDA_PREFIX, .venv and PATH": ({"CONDA_PREFIX": "a", "folder": "b", "PATH": "c"}, "a", "CONDA_PREFIX"),
    "an environment that is gone": (
        {"VIRTUAL_ENV": "gone", "PATH": "b"},
        "b",
        "PATH; VIRTUAL_ENV={gone} has no Python",
    ),
    "--engine": ({"option": "a"}, "a", "--engine"),
    "--engine and all others": (
        {"option": "a", "VIRTUAL_ENV": "b", "CONDA_PREFIX": "c", "folder": "b", "PATH": "c"},
        "a",
        "--engine",
    ),
}
CELLS = [
    pytest.param(active, command, marks=() if command in QUICK else pytest.mark.ci, id=f"{active}: {command}")
    for active, (given, _, _) in ACTIVE.items()
    for command in COMMANDS
    if not ("option" in given and command.startswith("job"))  # --engine of a job is one of the service
]


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory) -> Environments:
    """Virtual environments by their names, with the Python of this process."""
    folder = tmp_path_factory.mktemp("environments")
    for name in "abc":
        venv.create(folder / name, symlinks=True)
    return {name: folder / name for name in ("a", "b", "c", "gone")} | {OWN: Path(sys.prefix)}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with Emulator(tmp_path_factory.mktemp("running")) as emulator:
        yield emulator


@pytest.fixture
def train(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, environments: Environments) -> Train:
    """`train(emulator, given, *words)`: the prefixes that the script printed, and what the command said."""

    def train(emulator: Emulator, given: Mapping[str, str], *words: str) -> tuple[list[str], str]:
        folder = tmp_path / "project" / "code"
        folder.mkdir(parents=True)
        (folder / "train.py").write_text(SCRIPT)
        monkeypatch.chdir(folder)
        for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("PATH", str(tmp_path / "empty"))
        for name, value in emulator.environment().items():
            monkeypatch.setenv(name, value)
        options: list[str] = []
        for what, environment in given.items():
            prefix = environments.get(environment)
            if prefix is None:
                monkeypatch.setenv(what, environment)
            elif what in ("folder", "above"):
                (folder if what == "folder" else folder.parent).joinpath(".venv").symlink_to(prefix)
            elif what == "option":
                options = ["--engine", str(prefix / "bin" / "python")]
            else:
                monkeypatch.setenv(what, str(prefix / "bin" if what == "PATH" else prefix))
        done = run(*words, *options)
        lines = [line for line in done.output.splitlines() if line.startswith("prefix ")]
        return [os.path.realpath(line.removeprefix("prefix ")) for line in lines], done.stderr

    return train


@pytest.mark.parametrize(("active", "command"), CELLS)
def test_the_same_python_runs_a_script_by_every_command(
    train: Train, running: Emulator, environments: Environments, active: str, command: str
) -> None:
    """A rehearsal and what follows it run with the same one."""
    given, expected, why = ACTIVE[active]

    prefixes, said = train(running, given, *COMMANDS[command])

    times = 2 if command.endswith("--rehearse") else 1
    assert set(prefixes) == {os.path.realpath(environments[expected])}, said
    assert len(prefixes) == times or command == "exam"
    lines = [line for line in said.splitlines() if line.startswith("Training with ")]
    assert [line.rpartition(" (")[2] for line in lines] == [f"{why.format(gone=environments['gone'])})."] * times


@pytest.mark.parametrize(
    "words", [("run", "train.py"), SUBMIT, (*SUBMIT, "--rehearse=60s")], ids=lambda words: words[-1]
)
def test_an_engine_of_the_emulator_goes_before_what_is_active(
    train: Train, environments: Environments, tmp_path: Path, words: tuple[str, ...]
) -> None:
    python = environments["b"] / "bin" / "python"
    with Emulator(tmp_path / "data", engines={"pytorch*": python}) as emulator:
        prefixes, said = train(emulator, {"VIRTUAL_ENV": "a"}, *words)

    assert set(prefixes) == {os.path.realpath(environments["b"])}
    assert f"Training with {python} (--engine of the emulator).\n" in said


def test_the_own_option_goes_before_an_engine_of_the_emulator(
    train: Train, environments: Environments, tmp_path: Path
) -> None:
    with Emulator(tmp_path / "data", engines={"*": environments["b"] / "bin" / "python"}) as emulator:
        prefixes, said = train(emulator, {"option": "a"}, "run", "train.py", "-q")

    assert (prefixes, said) == ([os.path.realpath(environments["a"])], "")


@pytest.fixture
def shims(tmp_path: Path, environments: Environments, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a python3 that starts the Python of environment `b` in the caller's folder, else that of `c`."""
    folder = tmp_path / "shims"
    folder.mkdir()
    text = f"""#!/bin/sh
environment=c
[ -n "$CALLER" ] && [ -e train.py ] && [ -z "$TRAIN_URL" ] && environment=b
exec {environments["a"].parent}/$environment/bin/python "$@"
"""
    (folder / "python3").write_text(text)
    (folder / "python3").chmod(0o755)
    monkeypatch.setenv("CALLER", "is here")
    return folder


@pytest.mark.parametrize("named", ["python3", "{}/python3"])
@pytest.mark.parametrize("command", ["run, new emulator", "run, running emulator", "exam"])
def test_a_shim_that_is_named_is_resolved_where_the_caller_is(
    train: Train, running: Emulator, environments: Environments, shims: Path, command: str, named: str
) -> None:
    prefixes, said = train(running, {"PATH": str(shims)}, *COMMANDS[command], "--engine", named.format(shims))

    assert set(prefixes) == {os.path.realpath(environments["b"])}, said
    assert f"Training with {environments['b']}/bin/python (--engine)." in said


@pytest.mark.parametrize("program", ["/bin/true", "/bin/ls"])
@pytest.mark.parametrize("command", ["run, new emulator", "run, running emulator", "exam"])
def test_a_program_that_is_no_python_is_rejected_before_anything_starts(
    train: Train, running: Emulator, program: str, command: str
) -> None:
    prefixes, said = train(running, {}, *COMMANDS[command], "--engine", program)

    assert prefixes == []
    assert f"Error: --engine: {program} is not a Python that runs here: name a Python" in said
    assert "Starting an emulator" not in said


@pytest.mark.parametrize("command", ["submit", "check"])
@pytest.mark.parametrize("program", ["/bin/ls", "/no/such/python"])
def test_a_job_that_names_no_python_is_rejected_before_it_is_submitted(
    train: Train, running: Emulator, tmp_path: Path, program: str, command: str
) -> None:
    file = tmp_path / "named.yaml"
    file.write_text(f"metadata: {{annotations: {{{PYTHON}: {program}}}}}\n")

    _, said = train(running, {}, "job", command, file, *SUBMIT[2:-2], "--name", "no-python")

    assert f"{program} is not a " in said
    assert "name a Python" in said
    with ModelArts(config=config_of(running.environment())) as ma:
        assert ma.jobs.list(name="no-python") == []


def test_a_shim_that_a_job_names_is_resolved_where_the_caller_is(
    train: Train, running: Emulator, environments: Environments, shims: Path, tmp_path: Path
) -> None:
    (tmp_path / "named.yaml").write_text(f"metadata: {{annotations: {{{PYTHON}: {shims}/python3}}}}\n")

    prefixes, said = train(running, {}, "job", "submit", tmp_path / "named.yaml", *SUBMIT[2:])

    assert set(prefixes) == {os.path.realpath(environments["b"])}, said


@pytest.mark.parametrize("form", ["http://localhost:{}", "http://LOCALHOST:{}/", "http://127.0.0.1:{}//"])
def test_another_spelling_of_the_endpoint_is_the_same_emulator(
    train: Train, running: Emulator, environments: Environments, form: str
) -> None:
    given = {"MODELARTS_ENDPOINT": form.format(running.endpoint.rpartition(":")[2]), "VIRTUAL_ENV": "a"}

    prefixes, said = train(running, given, *SUBMIT)

    assert set(prefixes) == {os.path.realpath(environments["a"])}, said
    assert "bin/python (VIRTUAL_ENV)." in said


def test_an_emulator_of_which_nothing_proves_that_it_is_mine_trains_with_its_own(
    train: Train, running: Emulator, environments: Environments, tmp_path: Path
) -> None:
    """Such as a second one, whose folder no variable names."""
    given = {"MODELARTS_EMULATOR_DATA_DIR": str(tmp_path / "none"), "VIRTUAL_ENV": "a"}

    prefixes, said = train(running, given, *SUBMIT)

    assert os.path.realpath(environments["a"]) not in prefixes
    assert f"Training with the Python of the emulator at {running.endpoint}: nothing proves that it is yours" in said


def test_the_python_of_a_job_is_not_copied(train: Train, running: Emulator, environments: Environments) -> None:
    """Running it again from the command line chooses anew, by the same rule."""
    train(running, {"VIRTUAL_ENV": "a"}, *SUBMIT[:-1], "copied")
    with ModelArts(config=config_of(running.environment())) as ma:
        job = ma.jobs.get("copied")
        annotations = job.details.to_dict()["metadata"]["annotations"]
        request = job.as_request()

    assert annotations[PYTHON] == str(environments["a"] / "bin" / "python")
    assert annotations[PYTHON_CHOSEN_BY] == "VIRTUAL_ENV"
    assert not [name for name in request["metadata"].get("annotations", {}) if "python" in name]


def test_a_job_is_run_again_with_the_python_that_is_active_now(
    run: Run, train: Train, running: Emulator, environments: Environments, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(running, {"VIRTUAL_ENV": "a"}, *SUBMIT[:-1], "again")
    monkeypatch.setenv("VIRTUAL_ENV", str(environments["b"]))

    done = run("job", "rerun", "again")

    assert f"prefix {environments['b']}\n" in done.stdout, done.output


def test_a_job_that_named_its_python_is_run_again_with_it(
    run: Run,
    train: Train,
    running: Emulator,
    environments: Environments,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By the same emulator, each time; a request that a program makes of it has none."""
    python = environments["c"] / "bin" / "python"
    (tmp_path / "named.yaml").write_text(f"metadata: {{annotations: {{{PYTHON}: {python}}}}}\n")
    train(running, {}, "job", "submit", tmp_path / "named.yaml", *SUBMIT[2:-1], "named")
    monkeypatch.setenv("VIRTUAL_ENV", str(environments["b"]))

    for job in ("named", "once-more"):
        done = run("job", "rerun", job, "--name", "once-more" if job == "named" else "twice")

        assert f"prefix {environments['c']}\n" in done.stdout, done.output
        assert f"Training with {python} (annotation {PYTHON}).\n" in done.stderr, job
    with ModelArts(config=config_of(running.environment())) as ma:
        assert PYTHON not in ma.jobs.get("twice").as_request()["metadata"].get("annotations", {})


def test_no_other_service_hears_of_a_python(
    run: Run, project: Path, quick: Emulator, environments: Environments
) -> None:
    """An emulator of somebody else, which runs nothing here, would reject it."""
    job = (project / "job.yaml").read_text()
    (project / "job.yaml").write_text(f"{job}metadata: {{annotations: {{{PYTHON}: /usr/bin/python3}}}}\n")

    done = run("job", "submit", "job.yaml", VIRTUAL_ENV=str(environments["a"]))

    assert done.exit_code == 0, done.output
    assert "Training with" not in done.stderr
    with ModelArts() as ma:
        assert PYTHON not in ma.jobs.list()[0].details.to_dict()["metadata"]["annotations"]
