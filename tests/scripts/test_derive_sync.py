"""scripts/derive_sync.py: synchronous twins of asynchronous modules."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from derive_sync import derived

ROOT = Path(__file__).parents[2]
WORKFLOW = '''\
class AsyncJob:
    async def wait(self, client: "AsyncClient") -> "AsyncJob":
        """Wait; see `AsyncJob.logs`."""
        async with client as one:
            lines = [line async for line in await one.logs_async()]  # AsyncJob has `await`
        return await call_within_async(5, lambda: one.show(lines, async_limit=1))
'''
TWIN = '''\
class Job:
    def wait(self, client: "Client") -> "Job":
        """Wait; see `Job.logs`."""
        with client as one:
            lines = [line for line in one.logs()]  # Job has `await`
        return call_within(5, lambda: one.show(lines, async_limit=1))
'''


def test_a_twin_is_the_same_text_without_async_and_await() -> None:
    """Names in annotations, docstrings and comments change, too; other words that contain async stay."""
    assert derived(WORKFLOW) == TWIN


def test_a_check_names_what_differs_and_a_run_repairs_it(tmp_path: Path) -> None:
    """A twin without a workflow is removed."""
    folder = tmp_path / "jobs"
    (folder / "_async").mkdir(parents=True)
    (folder / "_sync").mkdir()
    (folder / "_async" / "waiting.py").write_text("async def wait() -> None:\n    pass\n")
    (folder / "_sync" / "stale.py").write_text("")
    command = [sys.executable, str(ROOT / "scripts/derive_sync.py"), "--sources", str(tmp_path)]

    check = subprocess.run([*command, "--check"], capture_output=True, text=True, check=False)
    subprocess.run(command, check=True, capture_output=True)

    assert (check.returncode, check.stderr.count("run `make generate`")) == (1, 2)
    assert [file.name for file in (folder / "_sync").iterdir()] == ["waiting.py"]
    assert "\ndef wait() -> None:" in (folder / "_sync" / "waiting.py").read_text()


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("old", "new", "file", "named"),
    [
        (
            "operationId: stopTrainingJob",
            "operationId: endTrainingJob",
            "paths/training-job-actions.yaml",
            "stop_training_job",
        ),
        ("full_size", "whole_size", "schemas/LogPreview.yaml", "full_size"),
        ("action_type", "action_kind", "schemas/StopTrainingJobRequest.yaml", "action_type"),
    ],
    ids=["an operation", "a field of a response", "a field of a request"],
)
def test_a_document_that_renames_an_operation_or_a_field_fails_the_type_check_of_the_workflow(
    tmp_path: Path, old: str, new: str, file: str, named: str
) -> None:
    """The client is generated from the changed document; the workflow and its twin fail before anything runs."""
    for folder in ("generated", "overlays", "openapi"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    document = tmp_path / "openapi/v2" / file
    document.write_text(document.read_text("utf-8").replace(old, new), "utf-8")
    places = ["--source", str(tmp_path / "openapi"), "--target", str(tmp_path / "generated")]
    subprocess.run([sys.executable, str(ROOT / "scripts/generate.py"), *places], check=True, capture_output=True)
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "overlays/modelarts_toolkit/jobs"]

    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout

    for twin in ("_async", "_sync"):
        assert any(f"/jobs/{twin}/" in line and named in line for line in said.splitlines()), said
