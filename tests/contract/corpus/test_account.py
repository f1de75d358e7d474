"""A first run at a service with 20 differences: what its one file says of them, and what the ledger gets of it."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from click.testing import CliRunner
from tests.contract.corpus.conftest import QUICK, Bench
from tests.contract.corpus.deviations import DEVIATIONS
from tests.contract.modelarts_contract.run.test_evidence import CASES
from tests.contract.played import OURS
from tests.stories import test_observations as ledger

from modelarts_contract import har
from modelarts_contract.commands import contract
from modelarts_contract.documents import HARMLESS, operations
from modelarts_contract.exchange import Exchange
from modelarts_contract.run import assumptions
from modelarts_contract.run.collecting import collected
from modelarts_contract.run.evidence import write
from modelarts_contract.run.plan import Plan

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


def planted() -> dict[str, Any]:
    chosen = [each for each in DEVIATIONS if PLANTED.get(each.operation) == each.name and each.where == "read"]
    assert len(chosen) == len(PLANTED) == 20
    return {each.operation: each.change() for each in chosen}


@pytest.fixture(scope="module")
def sent() -> list[tuple[str, str]]:
    return []


@pytest.fixture(scope="module")
def reports(bench: Bench, sent: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reports of a run at the service with the differences; `screen.txt` is what it printed."""
    bench.changes |= planted()
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
    assert "only reads" in evidence["operations"]["v2"]["createTrainingJob"]["reason"]
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


def test_the_ledger_gets_each_observation_once(bench: Bench, reports: Path, tmp_path: Path, evidence: Any) -> None:
    """The service responds again as it was seen; the emulator does not, or lacks what has to exist."""
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
    bench.changes |= planted()
    problems: dict[str, str] = {}
    with httpx.Client(base_url=bench.url, headers={"X-Auth-Token": bench.emulated.token}) as there:
        for entry in [entry for entry in entries if "differs" in entry and "has" in entry["response"]]:
            here = problems[entry["operation"]] = problem_of_replay(bench, bench.client, entry)
            assert "given" in here or (here and not problem_of_replay(bench, there, entry)), entry
    assert {name for name, text in problems.items() if "given" not in text} >= {"iam showProject", "v1 listJobEngines"}
    assert "given" in problems["v2 showTrainingJobLogsPreview"]


def problem_of_replay(bench: Bench, client: httpx.Client, entry: Any) -> str:
    """How a service does not respond as it was seen, or what the entry lacks; empty if the service does."""
    try:
        return " ".join(
            ledger.replayed(client, entry, {"project_id": bench.emulated.environment["MODELARTS_PROJECT_ID"]})
        )
    except LookupError as error:
        return str(error)


@pytest.mark.parametrize(("place", "exchanges"), [case[::2] for case in CASES if case[1] == "contradicted"])
def test_the_emulator_does_not_respond_as_what_contradicts_an_assumption(
    place: str, exchanges: list[Exchange], bench: Bench, tmp_path: Path
) -> None:
    """As the ledger says; what says nothing of a body or status is for a person to complete."""
    settled = [each for each in assumptions.judged(exchanges, ("v2",)) if each.place == place]
    run = collected(Plan(("v2",)), bench.emulated, {}, (), datetime.now(UTC), 1)
    write(tmp_path / "evidence.json", replace(run, assumptions=settled), exchanges)

    done = CliRunner().invoke(contract, ["evidence", str(tmp_path / "evidence.json"), "--ledger", str(tmp_path)])

    entries = ledger.entries(tmp_path)
    assert f"v2 {place}" in {entry.get("assumption") for entry in entries.values() if "differs" in entry}, done.output
    for name, entry in entries.items():
        assert bool(problem_of_replay(bench, bench.client, entry)) == (entry["response"] != {"status": 200}), name
        assert ("has" in entry["response"]) == place.startswith(("Cpu", "Flavor", "AlgorithmList")), name
