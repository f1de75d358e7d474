"""The pytest plugin, in projects of their own with warnings as errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from modelarts_emulator.server import Emulator

# The other plugins that are installed here take longer to load than all these tests take.
CONFIGURATION = """[pytest]
filterwarnings = error
addopts = -p no:cacheprovider -p no:schemathesis -p no:hypothesispytest
"""
TESTS = '''
import pytest

from modelarts_toolkit import ModelArts


@pytest.mark.parametrize("run", [1, 2])
def test_begins_with_nothing(emulator_environment, emulator, run):
    """Whatever another test left is gone, and faults strike a client that knows nothing of the emulator."""
    emulator.faults.add(kind="status", status=503, count=1)
    with ModelArts() as client:
        assert client.v2.training_jobs.list_training_jobs({"limit": 50}).total == 0
        assert emulator.faults.list()[0]["struck"] == 1
    emulator.plans.add(job="*")
    emulator.clock.advance(3600)


def test_leaves_the_environment_alone(emulator, monkeypatch):
    import os

    assert "MODELARTS_ENDPOINT" not in os.environ
'''


def project(folder: Path, tests: str = TESTS, configuration: str = "") -> Path:
    folder.mkdir()
    (folder / "pytest.ini").write_text(CONFIGURATION + configuration)
    (folder / "test_own.py").write_text(tests)
    return folder


def start(folder: Path, *options: str, **variables: str) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MODELARTS_", "PYTEST_"))}
    environment |= variables
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", *options],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run(folder: Path, *options: str) -> str:
    return start(folder, *options).communicate()[0]


def test_every_test_begins_anew_and_runs_at_the_same_time_do_not_meet(tmp_path: Path) -> None:
    """The environment is set only where it is asked for."""
    running = [start(project(tmp_path / name)) for name in ("one", "two")]

    outputs = [process.communicate()[0] for process in running]

    assert ["3 passed" in output for output in outputs] == [True, True], outputs


def test_the_workers_of_one_run_have_folders_of_their_own_in_the_configured_one(tmp_path: Path) -> None:
    """As pytest-xdist starts them: at the same time, with the worker's name in a variable."""
    folder = project(tmp_path / "one", configuration="emulator_data_dir = data\n")
    workers = ["gw0", "gw1"]

    running = [start(folder, PYTEST_XDIST_WORKER=worker) for worker in workers]

    outputs = [process.communicate()[0] for process in running]
    assert ["3 passed" in output for output in outputs] == [True, True], outputs
    assert sorted(path.name for path in (folder / "data").iterdir()) == workers


def test_a_second_run_on_the_same_folder_is_told_whose_it_is(tmp_path: Path) -> None:
    with Emulator(tmp_path / "data", executor="simulated") as first:
        output = run(project(tmp_path / "one"), f"--emulator-data-dir={tmp_path / 'data'}")

    assert f"already served by {first.endpoint}" in output


def test_settings_come_from_the_configuration_and_options_overrule_them(tmp_path: Path) -> None:
    tests = (
        "import os\n\ndef test_settings(emulator):\n"
        "    assert emulator.data_dir.name == os.environ['EXPECTED_FOLDER']\n"
        "    assert (emulator.data_dir / 'objects/sown/key').read_text() == 'x'\n"
    )
    folder = project(tmp_path / "one", tests, "emulator_data_dir = data\nemulator_seeds = seeds\n")
    (folder / "seeds/objects/sown").mkdir(parents=True)
    (folder / "seeds/objects/sown/key").write_text("x")

    for options, expected in (((), "data"), (("--emulator-data-dir=other",), "other")):
        (folder / "conftest.py").write_text(f"import os\n\nos.environ['EXPECTED_FOLDER'] = {expected!r}\n")
        assert "1 passed" in run(folder, *options)


@pytest.mark.parametrize(
    ("configuration", "message"), [("emulator_executor = slurm\n", "'slurm'"), ("emulator_seeds = none\n", "--seeds")]
)
def test_a_wrong_setting_is_told(tmp_path: Path, configuration: str, message: str) -> None:
    folder = project(tmp_path / "one", "def test_any(emulator):\n    pass\n", configuration)

    assert message in run(folder)


def test_a_run_that_does_not_ask_for_the_emulator_does_not_load_it(tmp_path: Path) -> None:
    tests = (
        "import sys\n\ndef test_any():\n    assert not {'modelarts_emulator.server', 'starlette'} & set(sys.modules)\n"
    )

    assert "1 passed" in run(project(tmp_path / "one", tests))
