"""The Python of a job: named by its annotation, by an option, or found where the emulator was started."""

from __future__ import annotations

import os
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.conftest import eventually, rejected, serve
from tests.emulator.tuning.conftest import make_body
from tests.emulator.v2.conftest import changed

from modelarts_emulator.execution.protocol import JobSpec, TaskReport

PYTHON = "emulator/python"
SHOW = b"import sys; print('runs', sys.prefix, flush=True)"


@pytest.fixture
def pythons(tmp_path: Path) -> list[str]:
    """The Pythons of two environments."""
    for name in ("first", "second"):
        venv.create(tmp_path / name)
    return [str(tmp_path / name / "bin" / "python") for name in ("first", "second")]


def job_with(api: Any, python: str | None, **algorithm: Any) -> Any:
    """The request for a job that shows its Python."""
    api.store.put(api.bucket, "show/train.py", SHOW)
    program = {"code_dir": f"/{api.bucket}/show/", "boot_file": f"/{api.bucket}/show/train.py"}
    body = api.job_body(**{**program, **algorithm})
    return body if python is None else changed(body, "metadata.annotations", {PYTHON: python})


def prefix(api: Any, body: Any) -> str:
    return str(api.printed(api.create_job(body)["metadata"]["id"], "runs")[0])


def test_a_job_runs_with_the_python_that_it_names_whatever_its_engine_has(tmp_path: Path, pythons: list[str]) -> None:
    """Also in its shell command, and the environment for pip-requirements.txt is made from it."""
    first, second = pythons
    with serve(tmp_path / "data", engines={"PyTorch*": first}, install_requirements=True) as api:
        command: dict[str, Any] = {"engine": {"image_url": "team/torch:1"}, "boot_file": None, "code_dir": None}
        command["command"] = f'python3 -c "{SHOW.decode()}"'

        assert prefix(api, job_with(api, None)) == str(tmp_path / "first")
        assert prefix(api, job_with(api, second)) == str(tmp_path / "second")
        assert prefix(api, job_with(api, second, **command)) == str(tmp_path / "second")

        body = job_with(api, second)
        api.store.put(api.bucket, "show/pip-requirements.txt", b"\n")
        job = api.create_job(body)
        job_id = job["metadata"]["id"]
        assert job["metadata"]["annotations"][PYTHON] == second
        assert api.printed(job_id, "runs")[0].startswith(str(tmp_path / "data" / "environments"))
        log = api.call("GET", f"/training-jobs/{job_id}/tasks/worker-0/logs/preview").json()["content"]
        assert f"installing pip-requirements.txt with {second}" in log


def test_a_python_that_is_not_a_program_of_this_machine_is_rejected(api: Any, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("")
    wrong = [
        "",
        os.path.relpath(sys.executable),
        "python3",
        "./python3",
        "bin/python",
        "~/python",
        str(tmp_path),
        str(tmp_path / "text"),
    ]
    for value in [*wrong, "/no/such/python", "/bin/ls", f"{sys.executable}\0", f"{sys.executable}/x", "/" + "x" * 5000]:
        response = api.call("POST", "/training-jobs", json=job_with(api, value))

        assert rejected(response) == (400, "ModelArts.2788"), value
        assert PYTHON in response.json()["error_msg"], value
        assert "absolute path" in response.json()["error_msg"], value


def test_a_simulated_job_runs_no_python_and_says_so(tmp_path: Path) -> None:
    """A real one follows no plan, also if it names its Python."""
    with serve(tmp_path / "simulated", executor="simulated") as api:
        response = api.call("POST", "/training-jobs", json=job_with(api, sys.executable))
        assert rejected(response) == (400, "ModelArts.2858")
        assert f"{PYTHON}: simulated jobs run no Python" in response.json()["error_msg"]
    with serve(tmp_path / "real") as api:
        annotations = {PYTHON: sys.executable, "emulator/duration": "1"}
        response = api.call("POST", "/training-jobs", json=changed(api.job_body(), "metadata.annotations", annotations))
        assert rejected(response) == (400, "ModelArts.2858")
        assert "emulator/duration: tasks really run here" in response.json()["error_msg"]


def test_a_job_keeps_its_python_over_restarts_of_job_and_emulator(
    restart: Callable[..., Any], puppet: Any, pythons: list[str]
) -> None:
    annotations = {PYTHON: pythons[0], "fault-tolerance/job-retry-num": "1"}
    annotations["fault-tolerance/job-unconditional-retry"] = "true"
    job_id = restart().submit(annotations)
    eventually(lambda: job_id in puppet.specs)
    first: JobSpec = puppet.specs.pop(job_id)
    restart()
    puppet.report(job_id, TaskReport("worker-0", "ended", 1.0, 2.0, 1))
    eventually(lambda: job_id in puppet.specs)

    assert (first.python, first.attempt) == (pythons[0], 0)
    assert (puppet.specs[job_id].python, puppet.specs[job_id].attempt) == (pythons[0], 1)


def test_a_shim_for_all_engines_is_resolved_at_the_start(
    tmp_path: Path, pythons: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a task, with another folder and other variables, it would start another Python."""
    (tmp_path / "shims").mkdir()
    (tmp_path / "shims" / "python3").write_text(f'#!/bin/sh\nexec {pythons[1]} "$@"\n')
    (tmp_path / "shims" / "python3").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'shims'}:/bin")
    for pattern in ("*", "PyTorch*"):
        with serve(tmp_path / "data", engines={pattern: Path("python3")}) as api:
            shown = api.http.get("/_emulator/devices").json()

            assert pythons[1] in shown["pythons"].values(), pattern
            assert str(tmp_path / "shims" / "python3") not in (*shown["pythons"].values(), shown["python"]), pattern


def test_every_trial_of_a_search_runs_with_the_python_of_the_search(
    staged: Any, puppet: Any, pythons: list[str]
) -> None:
    body = changed(make_body(staged, SHOW), "metadata.annotations", {PYTHON: pythons[1]})
    job_id = staged.create_job(body)["metadata"]["id"]
    eventually(lambda: set(puppet.specs) - {job_id})

    assert {spec.python for spec in puppet.specs.values()} == {pythons[1]}


def test_which_pythons_were_named_explicitly_can_be_asked_for(tmp_path: Path, pythons: list[str]) -> None:
    """By an option or the catalogue; others have the default, which in a Python program is its own."""
    file = tmp_path / "catalogue.toml"
    entry = '[[engine]]\nengine_id = "own"\nengine_name = "Own"\nengine_version = "1"\npython = "second/bin/python"\n'
    file.write_text(entry)
    with serve(tmp_path / "data", catalogue=file, engines={"*PyTorch-1.3*": pythons[0]}) as api:
        shown = api.http.get("/_emulator/devices").json()

        assert shown["explicit_pythons"] == ["pytorch-cp36-1.3.0", "own"]
        assert shown["engine_patterns"] == ["*PyTorch-1.3*"]
        assert (shown["python"], shown["python_why"]) == (sys.executable, "the toolkit's own")
        found = {name: shown["pythons"].pop(name) for name in shown["explicit_pythons"]}
        assert found == {"pytorch-cp36-1.3.0": pythons[0], "own": pythons[1]}
        assert set(shown["pythons"].values()) == {sys.executable}
