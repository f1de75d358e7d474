"""`modelarts flavor`, `engine` and `algorithm`."""

import json

import pytest
from tests.overlays.cli.conftest import ENGINE, FLAVOR, Run

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts


def test_flavors_are_listed_by_type(run: Run, service: Emulator) -> None:
    lines = run("flavor", "list").stdout.splitlines()
    cpu = json.loads(run("flavor", "list", "--type", "cpu", "-o", "json").stdout)

    assert lines[0].split() == ["FLAVOR", "TYPE", "CORES", "MEMORY", "ACCELERATORS", "NODES"]
    assert any(line.startswith(f"{FLAVOR} ") for line in lines)
    assert {each["flavor_type"] for each in cpu} == {"CPU"}


def test_engines_are_found_by_a_part_of_their_names(run: Run, service: Emulator) -> None:
    found = json.loads(run("engine", "list", "PYTORCH", "-o", "json").stdout)

    assert ENGINE in [each["engine_id"] for each in found]
    assert len(found) < len(json.loads(run("engine", "list", "-o", "json").stdout))
    assert "No engines found." in run("engine", "list", "none").stderr


@pytest.fixture
def stored(ma: ModelArts) -> str:
    """The id of a stored algorithm."""
    created = ma.v2.algorithms.create_algorithm(
        {
            "metadata": {"name": "digits"},
            "job_config": {
                "code_dir": "/work/code/",
                "boot_file": "/work/code/train.py",
                "engine": {"engine_id": ENGINE},
            },
        }
    )
    return str(created.metadata.id)


def test_an_algorithm_is_listed_shown_and_deleted(run: Run, stored: str) -> None:
    assert "digits" in run("algorithm", "list").stdout
    assert "/work/code/train.py" in run("algorithm", "get", stored).stdout
    assert run("algorithm", "delete", stored, stdin="n\n").exit_code == 1
    assert run("algorithm", "delete", stored, "--yes").exit_code == 0
    assert "The project has no algorithms." in run("algorithm", "list").stderr
    assert run("algorithm", "get", stored).exit_code == 6


def test_an_algorithm_is_created_from_a_file(run: Run, service: Emulator) -> None:
    """Its id is the result; a wrong request is one sentence."""
    text = f"""
metadata: {{name: from-file}}
job_config:
  code_dir: /work/code/
  boot_file: /work/code/train.py
  engine: {{engine_id: {ENGINE}}}
  parameters: [{{name: dist, value: False}}]
"""

    done = run("algorithm", "create", "-", stdin=text)

    assert done.exit_code == 0, done.stderr
    created = json.loads(run("algorithm", "get", done.stdout.strip(), "-o", "json").stdout)
    assert created["job_config"]["parameters"][0]["value"] == "False"
    assert done.stderr == "Created algorithm from-file.\n"
    assert run("algorithm", "create", "-", stdin=text).exit_code == 6
