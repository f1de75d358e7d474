"""Temporary folders of runs."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from modelarts_contract import temporary

PROGRAM = """
import sys
from modelarts_contract import temporary
with temporary.folder() as folder:
    print(folder, flush=True)
    sys.stdin.read()
"""


def test_the_folder_of_a_killed_run_goes_with_the_next_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of a run that goes on stays, and so does what somebody else has called alike."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    foreign = tmp_path / "modelarts-contract-notes"
    foreign.mkdir()
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        left = Path(process.stdout.readline().strip())
        with temporary.folder():
            assert left.exists()
        process.kill()
        process.wait()
        assert left.exists()

        with temporary.folder() as own:
            assert set(tmp_path.iterdir()) == {foreign, own}

    assert list(tmp_path.iterdir()) == [foreign]
