"""The pytest plugin, in projects of their own with warnings as errors."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from modelarts_emulator.server import Emulator

pytest_plugins = ["pytester"]

# The other plugins that are installed here take longer to load than all these tests take.
CONFIGURATION = """[pytest]
filterwarnings = error
addopts = -p no:cacheprovider -p no:schemathesis -p no:hypothesispytest -p no:xdist
"""
README = (Path(__file__).parents[3] / "README.md").read_text("utf-8")
EXAMPLE = next(block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "def test_" in block)
TESTS = '''
import pytest

from modelarts_toolkit import ModelArts


@pytest.mark.parametrize("run", [1, 2])
def test_begins_with_nothing(emulator_environment, emulator, run):
    """Whatever another test left is gone, and faults apply to a client that knows nothing of the emulator."""
    emulator.faults.add(kind="status", status=503, count=1)
    with ModelArts() as client:
        assert client.v2.training_jobs.list_training_jobs({"limit": 50}).total == 0
        assert emulator.faults.list()[0]["applied"] == 1
    emulator.plans.add(job="*")
    emulator.clock.advance(3600)


def test_leaves_the_environment_alone(emulator, monkeypatch):
    import os

    assert "MODELARTS_ENDPOINT" not in os.environ
'''
ANY = "def test_any(emulator):\n    assert emulator.data_dir.is_dir()\n"


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with the plugin, whose runs know nothing of the one that runs them."""
    for name in [name for name in os.environ if name.startswith(("MODELARTS_", "PYTEST_"))]:
        monkeypatch.delenv(name)
    pytester.makeini(CONFIGURATION)
    return pytester


def run(project: pytest.Pytester, tests: str, *options: str, configuration: str = "") -> pytest.RunResult:
    """Run the tests in this process."""
    project.makeini(CONFIGURATION + configuration)
    project.makepyfile(test_own=tests)
    return project.runpytest_inprocess(*options)


def test_every_test_begins_anew_beside_another_emulator(project: pytest.Pytester) -> None:
    """The environment is set only where it is asked for."""
    with Emulator(executor="simulated"):
        run(project, TESTS).assert_outcomes(passed=3)


def test_the_example_of_the_readme_runs_as_written(project: pytest.Pytester) -> None:
    run(project, EXAMPLE).assert_outcomes(passed=1)


def test_the_workers_of_one_run_have_folders_of_their_own_in_the_configured_one(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pytest-xdist gives each its name in a variable; a run without workers has a folder, too."""
    for worker in ("gw0", "gw1", None):
        monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
        if worker is not None:
            monkeypatch.setenv("PYTEST_XDIST_WORKER", worker)
        run(project, ANY, configuration="emulator_data_dir = data\n").assert_outcomes(passed=1)

    assert sorted(path.name for path in (project.path / "data").iterdir()) == ["gw0", "gw1", "main"]


def test_a_folder_that_holds_something_else_is_left_alone(project: pytest.Pytester) -> None:
    """Neither what an emulator of the user keeps there is deleted, nor what never was an emulator's."""
    data, foreign = project.path / "data", project.path / "foreign" / "main"
    with Emulator(data, executor="simulated") as own:
        own.objects.put("obs://my-bucket/model.bin", "weights")
    (foreign / "objects" / "thesis").mkdir(parents=True)

    run(project, ANY, f"--emulator-data-dir={data}").assert_outcomes(passed=1)
    result = run(project, ANY, f"--emulator-data-dir={foreign.parent}")

    assert (data / "objects" / "my-bucket" / "model.bin").read_text() == "weights"
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"the data folder {foreign} held other files *"])
    assert (foreign / "objects" / "thesis").is_dir()


def test_a_second_run_on_the_same_folder_is_told_whose_it_is(project: pytest.Pytester) -> None:
    with Emulator(project.path / "data" / "main", executor="simulated") as first:
        result = run(project, ANY, "--emulator-data-dir=data")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*already served by {first.endpoint}*"])
    result.stdout.no_fnmatch_line("*Traceback*")
    assert sum(line.startswith("the data folder ") for line in result.outlines) == 1  # beside pytest's summary


def test_settings_come_from_the_configuration_and_options_overrule_them(project: pytest.Pytester) -> None:
    tests = """
        import pathlib

        def test_settings(emulator):
            assert (emulator.data_dir / "objects/seeded/key").read_text() == "x"
            pathlib.Path("found").write_text(str(emulator.data_dir))
    """
    seed = project.path / "seeds/objects/seeded/key"
    seed.parent.mkdir(parents=True)
    seed.write_text("x")

    for options, expected in (((), "data"), (("--emulator-data-dir=other",), "other")):
        result = run(project, tests, *options, configuration="emulator_data_dir = data\nemulator_seeds = seeds\n")
        result.assert_outcomes(passed=1)
        assert (project.path / "found").read_text() == str(project.path / expected / "main")


@pytest.mark.parametrize(
    ("configuration", "message"),
    [("emulator_executor = slurm\n", "*'slurm': use simulated or process"), ("emulator_seeds = none\n", "*--seeds")],
)
def test_a_wrong_setting_is_told_in_one_line(project: pytest.Pytester, configuration: str, message: str) -> None:
    result = run(project, ANY, configuration=configuration)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


def run_process(folder: Path, tests: str, conftest: str = "") -> str:
    """Run the tests in a process of its own, which has imported nothing yet."""
    (folder / "test_own.py").write_text(tests)
    (folder / "conftest.py").write_text(conftest)
    command = [sys.executable, "-m", "pytest", "-q"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


def test_a_run_that_does_not_ask_for_the_emulator_does_not_load_it(project: pytest.Pytester) -> None:
    tests = (
        "import sys\n\ndef test_any():\n    assert not {'modelarts_emulator.server', 'starlette'} & set(sys.modules)\n"
    )

    assert "1 passed" in run_process(project.path, tests)


def test_a_library_that_is_not_installed_is_told_with_the_command_that_installs_it(project: pytest.Pytester) -> None:
    output = run_process(project.path, ANY, "import sys\n\nsys.modules['sqlalchemy'] = None\n")

    assert "need more libraries (sqlalchemy): pip install 'modelarts-toolkit[emulator]'" in output
    assert "1 error" in output
    assert "pytest_plugin.py" not in output
