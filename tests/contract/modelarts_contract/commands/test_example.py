"""`modelarts contract example`: recorded exchanges become examples of the documents and seeds of the emulator."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.contract.modelarts_contract.test_validation import JOBS, created

from modelarts_contract import har
from modelarts_contract.commands import contract
from modelarts_contract.examples import SEEDS
from modelarts_contract.exchange import Exchange
from modelarts_emulator.runtime import FAMILIES
from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts

ROOT = Path(__file__).parents[4]
sys.path.append(str(ROOT / "scripts"))

from bundle import bundle  # noqa: E402 - the scripts are not a package

JOB: Any = {
    "kind": "job",
    "metadata": {"name": "board-report"},
    "algorithm": {
        "code_dir": "/acme/code/",
        "boot_file": "/acme/code/train.py",
        "engine": {"engine_id": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"},
    },
    "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
}


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(contract, ["example", *map(str, arguments)])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A recording of a browser: nothing in it is redacted."""
    file = tmp_path / "session.har"
    har.write(file, [Exchange("GET", "https://example.com/pets", 200), created(JOB), created(JOB, {"kind": "job"})])
    return file


def test_an_exchange_becomes_examples_that_its_operation_names(file: Path, tmp_path: Path) -> None:
    """One of the request and one of the response, without names; the documents can be bundled with them."""
    openapi = Path(shutil.copytree(ROOT / "openapi", tmp_path / "openapi"))

    done = run(file, "recorded", "--entry", "2", "--openapi", openapi)

    folder = openapi / "v2" / "examples"
    request, response = (folder / f"createTrainingJob.{case}.json" for case in ("recorded", "recorded-response"))
    assert done.exit_code == 0, done.output
    assert set(done.output.split()) == {str(request), str(response), str(openapi / "v2/paths/training-jobs.yaml")}
    operation = bundle(openapi / "v2" / "openapi.yaml").document["paths"]["/v2/{project_id}/training-jobs"]["post"]
    examples = operation["requestBody"]["content"]["application/json"]["examples"]
    assert examples["createTrainingJob.recorded"]["value"] == json.loads(request.read_text())
    shown = operation["responses"]["201"]["content"]["application/json"]["examples"]
    assert "createTrainingJob.recorded-response" in shown
    assert not {"board-report", "acme"} & set(request.read_text().replace("/", '"').split('"'))


def test_an_operation_without_examples_gets_its_first(tmp_path: Path) -> None:
    openapi, file = Path(shutil.copytree(ROOT / "openapi", tmp_path / "openapi")), tmp_path / "s.har"
    rejection = {"error_msg": "No.", "error_code": "ModelArts.2775"}
    job = JOBS.replace("training-jobs", "training-jobs/425b7087-83de-49ed-9e40-5bb642be956f")
    har.write(file, [Exchange("GET", job, 400, response_body=json.dumps(rejection).encode())])

    done = run(file, "missing", "--openapi", openapi)

    assert done.exit_code == 0, done.output
    paths = bundle(openapi / "v2" / "openapi.yaml").document["paths"]
    content = paths["/v2/{project_id}/training-jobs/{training_job_id}"]["get"]["responses"]["400"]["content"]
    [(name, shown)] = content["application/json"]["examples"].items()
    assert (name, shown["value"]) == ("showTrainingJobDetails.missing", rejection)


def test_a_creation_becomes_a_seed_that_an_emulator_loads(file: Path, tmp_path: Path) -> None:
    """With an object for its code; whatever cannot be one is named with the reason."""
    seeds = tmp_path / "seeds"

    done = run(file, "night", "--seeds", seeds)

    assert done.exit_code == 0, done.output
    assert "entry 1 is left out: it is not as documented: no document has GET /name-" in done.output
    assert "entry 3 is left out: it is not as documented" in done.output
    with Emulator(executor="simulated", seeds=seeds) as emulator, pytest.MonkeyPatch.context() as environment:
        for name, value in emulator.environment().items():
            environment.setenv(name, value)
        with ModelArts() as ma:
            [job] = ma.v2.training_jobs.list_training_jobs({}).items
    assert job.metadata.name == json.loads((seeds / "training-jobs" / "night-2.json").read_text())["metadata"]["name"]


def test_the_folders_of_seeds_are_those_of_the_emulator() -> None:
    known = {(family.name, kind.operation_id): kind.folder for family in FAMILIES for kind in family.fixtures}

    assert known == SEEDS


def test_nothing_is_overwritten(file: Path, tmp_path: Path) -> None:
    seeds = tmp_path / "seeds"
    run(file, "night", "--entry", "2", "--seeds", seeds)
    before = (seeds / "training-jobs" / "night.json").read_text()

    done = run(file, "night", "--entry", "2", "--seeds", seeds)

    assert done.exit_code == 1
    assert "exists already: choose another case than night" in " ".join(done.output.split())
    assert (seeds / "training-jobs" / "night.json").read_text() == before


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (("night",), "name a folder to write to: --openapi, --seeds, or both"),
        (("Night", "--seeds", "s"), "'Night' cannot name a file: use small letters, digits and hyphens"),
        (("night", "--seeds", "s", "--entry", "9"), "has no entry 9: it has 3"),
        (("night", "--openapi", "."), "openapi.yaml does not exist: name the folder openapi of a clone"),
    ],
)
def test_wrong_usage_creates_nothing(
    file: Path, arguments: tuple[str, ...], fact: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    done = run(file, *arguments)

    assert done.exit_code == 2
    assert fact in " ".join(done.output.split())
    assert list(tmp_path.iterdir()) == [file]
