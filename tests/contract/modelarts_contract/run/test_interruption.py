"""What a run says that a signal ended."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path


def test_an_interrupted_run_reports_what_it_has_seen_and_calls_nothing_broken(tmp_path: Path) -> None:
    """Its exit status is that of an interruption."""
    command = [sys.executable, "-m", "modelarts_toolkit", "contract", "run", "--documents", "v1"]
    command += ["--report", str(tmp_path / "report")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any("responses checked" in line for line in process.stderr)  # it has begun
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate()

    assert process.returncode == 130, output + errors
    assert "it was interrupted" in errors
    assert json.loads((tmp_path / "report" / "results.json").read_text())["findings"] == []
