"""scripts/derive_sync.py: synchronous twins of asynchronous modules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
