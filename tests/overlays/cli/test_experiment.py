"""`modelarts experiment` and `modelarts algorithm`."""

import json

from tests.overlays.cli.conftest import ENGINE, Run, Submit

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts


def names(run: Run, *arguments: str) -> list[str]:
    documents = json.loads(run("job", "list", *arguments, "-o", "json").stdout)
    return [each["metadata"]["name"] for each in documents]


def test_an_experiment_is_created_shown_and_deleted(run: Run, ma: ModelArts, submit: Submit) -> None:
    """Its jobs are found by its name or id; one that has jobs is not deleted."""
    created = json.loads(run("experiment", "create", "digits", "--description", "first try", "-o", "json").stdout)
    key = created["metadata"]["id"]
    inside = submit("outside").as_request(name="inside")
    inside["metadata"]["training_experiment_reference"] = {"id": key}
    job = ma.jobs.submit(inside)

    assert names(run, "--experiment", "digits") == names(run, "--experiment", key) == ["inside"]
    assert run("job", "tag", "inside", "team=vision").exit_code == 0
    assert names(run, "in", "--experiment", "digits", "--tag", "team") == ["inside"]
    assert run("experiment", "list").stdout.splitlines()[1].split()[:3] == ["digits", key, "1"]
    assert "first try" in run("experiment", "show", "digits").stdout
    assert "still has jobs" in run("experiment", "delete", "digits", "--yes").stderr
    job.delete()
    assert run("experiment", "delete", "digits", stdin="n\n").exit_code == 1
    assert run("experiment", "delete", "digits", "--yes").exit_code == 0
    assert "The project has no experiments." in run("experiment", "list").stderr


ALGORITHM = f"""
metadata: {{name: from-file}}
job_config:
  code_dir: /work/code/
  boot_file: /work/code/train.py
  engine: {{engine_id: {ENGINE}}}
  parameters: [{{name: dist, value: False}}]
"""


def test_an_algorithm_is_created_from_a_file_listed_shown_and_deleted(run: Run, service: Emulator) -> None:
    """Its id is the result; a wrong request is one sentence."""
    created = run("algorithm", "create", "-", stdin=ALGORITHM)
    assert (created.exit_code, created.stderr) == (0, "Created algorithm from-file.\n")
    assert run("algorithm", "create", "-", stdin=ALGORITHM).exit_code == 6
    stored = created.stdout.strip()
    shown = json.loads(run("algorithm", "get", stored, "-o", "json").stdout)
    assert shown["job_config"]["parameters"][0]["value"] == "False"

    assert "from-file" in run("algorithm", "list").stdout
    assert "/work/code/train.py" in run("algorithm", "get", stored).stdout
    assert run("algorithm", "delete", stored, stdin="n\n").exit_code == 1
    assert run("algorithm", "delete", stored, "--yes").exit_code == 0
    assert "The project has no algorithms." in run("algorithm", "list").stderr
    assert run("algorithm", "get", stored).exit_code == 6
