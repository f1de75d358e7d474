"""`modelarts v1 config`, and what jobs of version 1 can be made of."""

import json
from pathlib import Path

from tests.overlays.cli.conftest import Run
from tests.overlays.cli.v1.test_jobs import SHORT, V1_ENGINE

from modelarts_emulator.server import Emulator


def test_settings_are_stored_and_run(run: Run, quick: Emulator, project: Path) -> None:
    (project / "job.yaml").write_text(SHORT)
    stored = run("v1", "config", "create", "digits", "job.yaml", "--description", "small")
    assert stored.exit_code == 0, stored.stderr

    done = run("v1", "job", "submit", "--config", "digits", "--name", "again", "--parameter", "lr=0.3")

    assert done.exit_code == 0, done.stderr
    assert "lr 0.3\ntrained" in done.stdout
    config = json.loads(run("v1", "config", "get", "digits", "-o", "json").stdout)
    assert (config["config_desc"], config["engine_version"]) == ("small", V1_ENGINE)


def test_options_take_the_place_of_stored_settings(run: Run, quick: Emulator, project: Path) -> None:
    """Another flavor replaces the stored number of one, other data the stored folder."""
    (project / "job.yaml").write_text(SHORT)
    run("v1", "config", "create", "digits", "job.yaml")

    options = ["--flavor", "modelarts.vm.cpu.2u", "--nodes", 2, "--input", "code"]
    done = run("v1", "job", "submit", "--config", "digits", "--name", "small", *options)

    assert done.exit_code == 0, done.stderr
    job = json.loads(run("v1", "job", "get", "small", "-o", "json").stdout)
    assert (job["spec_code"], job["worker_server_num"]) == ("modelarts.vm.cpu.2u", 2)
    assert quick.objects.get(f"obs:/{job['data_url']}train.py") == b"print('hello')\n"
    assert run("v1", "version", "create", "small", "--flavor", "modelarts.vm.cpu.8u", "--nodes", 1).exit_code == 0
    assert "modelarts.vm.cpu.8u" in run("v1", "job", "get", "small").stdout


def test_settings_are_listed_replaced_and_deleted(run: Run, quick: Emulator, project: Path) -> None:
    (project / "job.yaml").write_text(SHORT)
    run("v1", "config", "create", "digits", "job.yaml")

    assert run("v1", "config", "create", "digits", "job.yaml").exit_code == 6
    assert run("v1", "config", "create", "digits", "job.yaml", "--replace", "--parameter", "lr=2").exit_code == 0
    assert "lr=2" in run("v1", "config", "get", "digits").stdout
    assert run("v1", "config", "list").stdout.splitlines()[1].split()[0] == "digits"
    assert run("v1", "config", "delete", "digits", "--yes").exit_code == 0
    assert run("v1", "config", "list").stderr == "No configurations found.\n"


def test_a_stored_configuration_excludes_a_file(run: Run, quick: Emulator, project: Path) -> None:
    (project / "job.yaml").write_text(SHORT)
    run("v1", "config", "create", "digits", "job.yaml")

    assert run("v1", "job", "submit", "job.yaml", "--config", "digits").exit_code == 2


def test_engines_flavors_and_algorithms_are_listed(run: Run, quick: Emulator) -> None:
    engines = json.loads(run("v1", "engine", "list", "tf-1.8.0", "-o", "json").stdout)

    assert V1_ENGINE in [each["engine_version"] for each in engines]
    assert "modelarts.vm.cpu.8u" in run("v1", "flavor", "list").stdout
    assert "softmax_regression" in run("v1", "algorithm", "list").stdout
