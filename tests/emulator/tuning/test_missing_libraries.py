"""An emulator whose Python lacks the libraries of searches: all else works, a search is rejected with the remedy."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from modelarts_emulator.settings import accounts

ROOT = Path(__file__).parents[3]
HIDDEN = ("bayes", "hyperopt", "matplotlib", "optuna", "scikit_learn", "sklearn")
START = "import sys; from modelarts_toolkit.cli import main; sys.exit(main())"


@pytest.fixture
def bare(tmp_path: Path, log_in: Any) -> Iterator[Any]:
    """A client of an emulator that sees every package that is installed here, but those that searches need."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if not path.name.lower().startswith(HIDDEN):
            (packages / path.name).symlink_to(path)
    roots = [packages, *(ROOT / name for name in ("generated", "overlays", "emulator"))]
    data = tmp_path / "data"
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", START, "emulator", "--port", "0", "--obs-port", "0", "--data-dir", str(data)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, roots))},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert process.stdout is not None
        ready = process.stdout.readline()
        assert "ready" in ready, ready + process.stdout.read()
        endpoint = json.loads((data / "emulator.json").read_text())["endpoint"]
        identity = accounts.load(data / "credentials.toml")[0]
        yield log_in(SimpleNamespace(endpoint=endpoint, data_dir=data, identity=identity))
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)


def test_a_search_is_rejected_with_what_to_install_and_other_jobs_run(
    bare: Any, search_body: Callable[..., Any]
) -> None:
    response = bare.call("POST", "/training-jobs", json=search_body(bare))

    assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2858")
    said = response.json()["error_msg"]
    assert "hyperparameter search needs bayes_opt, hyperopt, matplotlib, optuna, sklearn" in said
    assert 'pip install "modelarts-toolkit[search]"' in said
    assert bare.call("GET", "/search-algorithms").json()["search_algo_count"] == 3
    job_id = bare.create_job()["metadata"]["id"]
    assert bare.wait_for_phase(job_id, "Completed", "Failed")["status"]["phase"] == "Completed"
