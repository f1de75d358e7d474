"""The pytest plugin, in projects of their own with warnings as errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts, WaitTimeout  # noqa: F401 - what one run in this process loads, others share

pytest_plugins = ["pytester"]

# The other plugins that are installed here take longer to load than all these tests take.
CONFIGURATION = """[pytest]
filterwarnings = error
addopts = -p no:cacheprovider -p no:schemathesis -p no:hypothesispytest -p no:xdist
"""
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
def project(kept_imports: object, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with the plugin, whose runs know nothing of the one that runs them."""
    pytester.plugins = [kept_imports]
    for name in [name for name in os.environ if name.startswith(("MODELARTS_", "PYTEST_"))]:
        monkeypatch.delenv(name)
    pytester.makeini(CONFIGURATION)
    return pytester


def run(project: pytest.Pytester, tests: str, *options: str, configuration: str = "") -> pytest.RunResult:
    """Run the tests in this process."""
    project.makeini(CONFIGURATION + configuration)
    project.makepyfile(test_own=tests)
    return project.runpytest_inprocess(*options, plugins=project.plugins)


def test_every_test_begins_anew_beside_another_emulator(project: pytest.Pytester) -> None:
    """The environment is set only where it is asked for."""
    with Emulator(executor="simulated"):
        run(project, TESTS).assert_outcomes(passed=3)


def test_a_marker_gives_the_emulator_options(project: pytest.Pytester) -> None:
    """Tests with the same options share an emulator; a test's options go before those of its class."""
    tests = """
        import pytest

        seen = {}

        @pytest.mark.emulator(max_jobs=1, region="eu-nl")
        class TestMarked:
            def test_class(self, emulator):
                seen["class"] = emulator
                assert emulator.environment()["OS_REGION_NAME"] == "eu-nl"

            @pytest.mark.emulator(region="eu-de")
            def test_method(self, emulator, modelarts):
                seen["method"] = emulator
                assert emulator.environment()["OS_REGION_NAME"] == "eu-de"

        @pytest.mark.emulator(region="eu-nl", max_jobs=1)
        def test_shared(emulator):
            assert emulator is seen["class"] is not seen["method"]

        def test_plain(emulator):
            assert emulator not in seen.values()
    """
    run(project, tests, configuration="emulator_data_dir = data\n").assert_outcomes(passed=4)

    assert sorted(path.name for path in (project.path / "data").iterdir()) == ["main", "main-1", "main-2"]


WRONG_MARKERS = {
    "colour='red'": "Emulator() has no option 'colour': *",
    "data_dir='x'": "the marker emulator cannot set data_dir: use --emulator-data-dir",
    "3": "the marker emulator takes options by their names only",
    "max_running_jobs=0": "max_running_jobs must be at least 1, not 0: *",
}


def test_a_wrong_marker_is_reported_in_one_line(project: pytest.Pytester) -> None:
    tests = [f"@pytest.mark.emulator({marker})\n{ANY}" for marker in WRONG_MARKERS]
    texts = [text.replace("test_any", f"test_{number}") for number, text in enumerate(tests)]
    result = run(project, "\n\n".join(["import pytest", *texts]))

    result.assert_outcomes(errors=len(WRONG_MARKERS))
    result.stdout.fnmatch_lines(list(WRONG_MARKERS.values()))
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_a_test_has_a_client_and_sees_what_was_called(project: pytest.Pytester) -> None:
    tests = """
        def test_flavors(emulator, modelarts):
            flavors = modelarts.v2.flavors.show_training_job_flavors(flavor_type="CPU")
            (call,) = emulator.calls.list("showTrainingJobFlavors")
            assert (call.query, call.response) == ({"flavor_type": "CPU"}, flavors.to_dict())
            assert emulator.calls.list("createTrainingJob") == []

        def test_next(emulator):
            assert emulator.calls.list() == []
    """
    run(project, tests).assert_outcomes(passed=2)


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
def test_a_wrong_setting_is_reported_in_one_line(project: pytest.Pytester, configuration: str, message: str) -> None:
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


def test_a_library_that_is_not_installed_is_reported_with_the_command_that_installs_it(
    project: pytest.Pytester,
) -> None:
    output = run_process(project.path, ANY, "import sys\n\nsys.modules['sqlalchemy'] = None\n")

    assert "need more libraries (sqlalchemy): pip install 'modelarts-toolkit[emulator]'" in output
    assert "1 error" in output
    assert "pytest_plugin.py" not in output
