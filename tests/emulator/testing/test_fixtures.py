"""Seeds: what exists after a start without state and after a reset, and which seeds are rejected."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.conftest import serve

from modelarts_emulator.server import Emulator, EmulatorError
from modelarts_toolkit import ModelArts, WaitTimeout  # noqa: F401 - what one run in this process loads, others share

BUCKET = "cnnorth4-job-test-v2"
CODE = "pytorch/fast_example/code/cpu"


PROGRAM = {"app_url": f"/{BUCKET}/{CODE}/", "boot_file_url": f"/{BUCKET}/{CODE}/test-pytorch.py", "engine_id": 4}
V1 = {
    "v1-training-jobs": {
        "job_name": "seeded-v1",
        "config": {"worker_server_num": 1, "spec_id": 7, "data_url": f"/{BUCKET}/pytorch/", **PROGRAM},
    },
    "v1-training-job-configs": {"config_name": "digits", "worker_server_num": 1, "spec_id": 7},
}


def names(api: Any) -> list[str]:
    jobs = api.call("POST", "/training-job-searches", json={}).json()["items"]
    return [job["metadata"]["name"] for job in jobs]


@pytest.fixture
def seeds(tmp_path: Path, api: Any) -> Path:
    """A bucket with code, an algorithm, and a job of that algorithm."""
    folder = tmp_path / "seeds"
    for kind in (f"objects/{BUCKET}/{CODE}", "algorithms", "training-jobs", *V1):
        (folder / kind).mkdir(parents=True)
    (folder / f"objects/{BUCKET}/{CODE}/test-pytorch.py").write_text("print('seeded')\n")
    (folder / "objects/.hidden").touch()
    algorithm = api.algorithm_body(inputs=[], outputs=[])
    (folder / "algorithms/digits.json").write_text(json.dumps(algorithm))
    job = {**api.job_body(), "metadata": {"name": "seeded"}, "algorithm": {"id": "@digits"}}
    (folder / "training-jobs/one.json").write_text(json.dumps(job))
    for kind, body in V1.items():
        (folder / kind / "one.json").write_text(json.dumps(body))
    return folder


def test_a_start_without_state_and_a_reset_sow_the_seeds(tmp_path: Path, seeds: Path) -> None:
    with serve(tmp_path / "data", executor="simulated", seeds=seeds, check_responses=True) as api:
        assert names(api) == ["seeded"]
        assert api.store.read(BUCKET, f"{CODE}/test-pytorch.py")
        api.create_job()

        api.emulator.reset()

        assert names(api) == ["seeded"]
        v1 = api.project.replace("/v2/", "/v1/")
        assert [job["job_name"] for job in api.http.get(f"{v1}/training-jobs").json()["jobs"]] == ["seeded-v1"]
        configs = api.http.get(f"{v1}/training-job-configs").json()["configs"]
        assert [config["config_name"] for config in configs] == ["digits"]
        algorithms = api.call("GET", "/algorithms").json()["items"]
        job = api.call("POST", "/training-job-searches", json={}).json()["items"][0]
        assert [job["algorithm"]["id"]] == [algorithm["metadata"]["id"] for algorithm in algorithms]


def test_state_survives_a_restart_and_keeps_the_seeds_away_unless_it_is_to_be_forgotten(
    tmp_path: Path, seeds: Path, log_in: Any
) -> None:
    options: dict[str, Any] = {"data_dir": tmp_path / "data", "executor": "simulated"}
    with serve(**options) as api:
        first = api.create_job()["metadata"]["name"]
    with Emulator(**options, seeds=seeds) as emulator:
        assert names(log_in(emulator)) == [first]
    with Emulator(**options, seeds=seeds, forget=True) as emulator:
        assert names(log_in(emulator)) == ["seeded"]
    with Emulator(**options, forget=True) as emulator:
        assert names(log_in(emulator)) == []


def write(path: Path, content: Any) -> None:
    path.write_text(content if isinstance(content, str) else json.dumps(content))


WRONG: list[tuple[str, Any, str]] = [
    ("training-jobs/two.json", "{", "Invalid JSON"),
    ("training-jobs/two.json", {"kind": "job"}, "required"),
    ("training-jobs/two.json", {"kind": "job", "metadata": {"name": "x"}, "algorithm": {"id": "@none"}}, "@none"),
    ("algorithms/two.json", {"metadata": {"name": "x"}}, "job_config"),
    ("objects/Bad_Bucket", "", "Bad_Bucket"),
    ("objects/loose.txt", "", "it is not a folder"),
    ("jobs", "", "is not known: use objects/"),
]


def test_a_wrong_seed_is_rejected_by_its_name_and_nothing_is_left(tmp_path: Path, seeds: Path, log_in: Any) -> None:
    """Before anything is made if there are no seeds, and by a reset if it has become wrong."""
    with pytest.raises(EmulatorError, match="--seeds"):
        Emulator(tmp_path / "data", seeds=tmp_path / "none").__enter__()
    assert not (tmp_path / "data").exists()
    for file, content, reason in WRONG:
        write(seeds / file, content)
        with pytest.raises(EmulatorError, match=file) as caught:
            Emulator(tmp_path / "data", executor="simulated", seeds=seeds).__enter__()
        assert reason in str(caught.value), (file, content)
        (seeds / file).unlink()
    with Emulator(tmp_path / "data", executor="simulated") as emulator:
        assert names(log_in(emulator)) == []
    with Emulator(tmp_path / "other", executor="simulated", seeds=seeds) as emulator:
        write(seeds / "training-jobs/one.json", "[")
        response = log_in(emulator).http.post("/_emulator/reset")
        assert (response.status_code, "one.json" in response.json()["error_msg"]) == (409, True)


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


def test_has_a_client_and_sees_what_was_called(emulator, modelarts):
    flavors = modelarts.v2.flavors.show_training_job_flavors(flavor_type="CPU")
    (call,) = emulator.calls.list("showTrainingJobFlavors")
    assert (call.query, call.response) == ({"flavor_type": "CPU"}, flavors.to_dict())
    assert emulator.calls.list("createTrainingJob") == []


def test_leaves_the_environment_alone(emulator):
    import os

    assert "MODELARTS_ENDPOINT" not in os.environ
    assert emulator.calls.list() == []
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
        run(project, TESTS).assert_outcomes(passed=4)


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
    run(project, tests).assert_outcomes(passed=4)


WRONG_MARKERS = {
    "colour='red'": "Emulator() has no option 'colour': *",
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


def test_settings_come_from_the_configuration_and_options_overrule_them(project: pytest.Pytester) -> None:
    tests = """
        import pathlib

        def test_settings(emulator):
            pathlib.Path("found").write_text(emulator.objects.get("obs://seeded/key").decode())
    """
    for folder in ("seeds", "others"):
        seed = project.path / folder / "objects/seeded/key"
        seed.parent.mkdir(parents=True)
        seed.write_text(folder)

    for options, expected in (((), "seeds"), (("-o", "emulator_seeds=others"), "others")):
        result = run(project, tests, *options, configuration="emulator_seeds = seeds\n")
        result.assert_outcomes(passed=1)
        assert (project.path / "found").read_text() == expected, options


def test_a_wrong_setting_is_reported_in_one_line(project: pytest.Pytester) -> None:
    for configuration, message in (
        ("emulator_executor = slurm\n", "*'slurm': use simulated or process"),
        ("emulator_seeds = none\n", "*--seeds"),
    ):
        result = run(project, ANY, configuration=configuration)

        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines([message])
        result.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_a_run_that_does_not_ask_for_the_emulator_does_not_load_it(project: pytest.Pytester) -> None:
    """If a library is not installed, a test that asks for it gets the command that installs it."""
    loaded = "{'modelarts_emulator.server', 'starlette'} & set(sys.modules)"
    (project.path / "test_own.py").write_text(f"import sys\n\ndef test_plain():\n    assert not {loaded}\n\n{ANY}")
    (project.path / "conftest.py").write_text("import sys\n\nsys.modules['sqlalchemy'] = None\n")
    command = [sys.executable, "-m", "pytest", "-q"]
    output = subprocess.run(command, cwd=project.path, capture_output=True, text=True, check=False).stdout

    assert "1 passed, 1 error" in output
    assert "need more libraries (sqlalchemy): pip install 'modelarts-toolkit[emulator]'" in output
    assert "pytest_plugin.py" not in output
