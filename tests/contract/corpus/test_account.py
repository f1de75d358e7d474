"""A first run at a service with 20 differences: what its one file says of them, and what the ledger gets of it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from tests.contract.corpus.conftest import QUICK, Bench
from tests.contract.corpus.deviations import DEVIATIONS
from tests.contract.played import OURS
from tests.stories import test_observations as ledger

from modelarts_contract import har
from modelarts_contract.commands import contract
from modelarts_contract.documents import HARMLESS, operations

pytestmark = pytest.mark.ci

ROOT = Path(__file__).parents[3]
PLANTED = {
    "iam.showProject": "another status in an error",
    "iam.showToken": "a token without its user",
    "v1.listJobEngines": "an error code in a success",
    "v1.listTrainingJobConfigs": "order is reversed",
    "v1.listTrainingJobs": "sortBy is ignored",
    "v1.listVisualizationJobs": "status is ignored",
    "v1.showTrainingJobConfig": "another name of an engine",
    "v1.showTrainingJobLog": "more lines than there are",
    "v1.showTrainingJobVersion": "a new status number",
    "v2.listAlgorithms": "order is reversed",
    "v2.listTrainingJobEvents": "level is ignored",
    "v2.listTrainingJobStages": "stages go back",
    "v2.listTrainingJobTasks": "another name of a task",
    "v2.listTrainingJobs": "count is not that of the page",
    "v2.showAlgorithmByUuid": "202 for 200",
    "v2.showTrainingExperimentDetails": "more jobs than in the list",
    "v2.showTrainingJobDetails": "an extra member",
    "v2.showTrainingJobEngines": "no Content-Type",
    "v2.showTrainingJobFlavors": "a count too high",
    "v2.showTrainingJobLogsPreview": "the size of a preview is another",
}


@pytest.fixture(scope="module")
def sent() -> list[tuple[str, str]]:
    return []


@pytest.fixture(scope="module")
def reports(bench: Bench, sent: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reports of a run at the service with the differences; `screen.txt` is what it printed."""
    chosen = [each for each in DEVIATIONS if PLANTED.get(each.operation) == each.name and each.where == "read"]
    assert len(chosen) == len(PLANTED) == 20
    bench.changes |= {each.operation: each.change() for each in chosen}
    handle, folder = bench.behave, tmp_path_factory.mktemp("reports")

    def recorded(request: Any, forward: Any) -> Any:
        sent.append((request.method, request.path))
        return handle(request, forward)

    bench.behave = recorded
    environment = bench.emulated.environment
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(OURS)]:
            patch.delenv(name)
        for name, value in {**environment, **QUICK}.items():
            patch.setenv(name, value.replace(environment["MODELARTS_ENDPOINT"], bench.url))
        command = ["run", "--service", "--yes", "--rate", "1000", "--report", str(folder)]
        done = CliRunner().invoke(contract, command)
    (folder / "screen.txt").write_text(done.output)
    return folder


@pytest.fixture
def evidence(reports: Path) -> Any:
    return json.loads((reports / "evidence.json").read_text("utf-8"))["log"]["_evidence"]


def test_every_difference_is_in_the_file(evidence: Any, reports: Path) -> None:
    """As a finding of its operation, or as something new; the screen begins with the verdict and ends with the file."""
    found = {f"{each['document']}.{each['operation']}" for one in evidence["findings"] for each in (one, *one["also"])}
    new = [note for note in evidence["notes"] if "showTrainingJobDetails" in note or "showTrainingJobVersion" in note]

    screen = (reports / "screen.txt").read_text()
    assert set(PLANTED) - found - {"v2.showTrainingJobDetails", "v1.showTrainingJobVersion"} == set(), screen
    assert len(new) == 2, evidence["notes"]
    assert "The contract is broken" in evidence["verdict"]
    lines = screen.partition("responses checked")[2].splitlines()
    assert f"{reports / 'evidence.json'} shows" in lines[-1], screen


def test_nothing_was_changed_and_the_file_tells_of_nobody(
    bench: Bench, sent: list[tuple[str, str]], reports: Path
) -> None:
    """Neither the project, its user, its things and its logs, nor where the service is."""
    text = (reports / "evidence.json").read_text("utf-8")
    known = bench.emulated.environment
    names = ("OS_PASSWORD", "OS_USERNAME", "OS_DOMAIN_NAME", "MODELARTS_PROJECT_ID", "MODELARTS_ACCESS_KEY")
    own = {known[name] for name in names if name in known}
    own |= {"beta-model", "Alpha-model", "gamma-short-job", "delta-config", "beta-board", bench.url, "127.0.0.1"}
    own |= {bench.emulated.token, "the beta model", "/contract/beta"}

    assert [each for each in own if each in text] == []
    changing = [each for each in sent if each[0] not in HARMLESS and not each[1].endswith("/auth/tokens")]
    searches = {each.path.rpartition("/")[2] for each in operations("v2").values() if each.kind == "read"}
    assert [each for each in changing if each[1].rpartition("/")[2] not in searches] == []
    assert len(list(har.read(reports / "evidence.json"))) > 300


def test_the_ledger_gets_each_observation_once(reports: Path, tmp_path: Path, evidence: Any) -> None:
    """Also what the emulator does not do as it was seen; a second time, nothing is new."""
    folder = tmp_path / "observed"
    shutil.copytree(ROOT / "tests" / "data" / "observed", folder)
    before = {file.name: file.read_bytes() for file in folder.glob("*.yaml")}
    command = ["evidence", str(reports / "evidence.json"), "--ledger", str(folder)]

    first, second = CliRunner().invoke(contract, command), CliRunner().invoke(contract, command)

    assert (first.exit_code, second.exit_code) == (0, 0), first.output
    assert second.output == "Nothing is new.\n"
    assert {name: (folder / name).read_bytes() for name in before} == before
    entries = [yaml.safe_load(file.read_text("utf-8")) for file in folder.glob("*.yaml") if file.name not in before]
    settled = [each for each in evidence["assumptions"] if each["outcome"] != "not seen"]
    assert len([entry for entry in entries if "assumption" in entry]) == len(settled) > 25
    assert {entry["strength"] for entry in entries} <= ledger.STRENGTHS
    assert "v2 showTrainingJobFlavors" in {entry["operation"] for entry in entries if "differs" in entry}
