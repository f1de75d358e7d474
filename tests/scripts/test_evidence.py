"""The table of evidence is current, and says what the records of runs say."""

import copy
import json
from dataclasses import replace

import pytest

import evidence
import modelarts_openapi
from evidence import load
from modelarts_contract.documents import operations_of

JOBS = "/v2/6a0c2f4e8b1d4c3f9e5a7b2d1c8f0e34/training-jobs"
CREATE_JOB = ("v2", "createTrainingJob")


@pytest.fixture
def records(tmp_path, monkeypatch):
    """A folder for the records of runs, and one for what is written."""
    monkeypatch.setattr(evidence, "RECORDS", tmp_path)
    return tmp_path


def log(folder, name, *lines):
    """An access log with (path, status, client, executor) of POST requests, and the stamp of its run."""
    folder.mkdir(exist_ok=True)
    entries = [
        {"method": "POST", "path": path, "status": status, "user_agent": agent, "executor": executor}
        for path, status, agent, executor in lines
    ]
    (folder / f"test_{name}.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    stamp = {"day": "2026-11-22", "fingerprints": evidence.fingerprints()}
    (folder / evidence.STAMP).write_text(json.dumps(stamp))


def proof(found, key=CREATE_JOB):
    return next(proof for proof in found.operations if proof.key == key)


def test_the_table_is_current():
    """Operations, client, emulator and documents; `make evidence` brings it up to date."""
    assert list(evidence.problems(load())) == []


def test_a_changed_document_or_operation_makes_the_table_stale():
    known = load()
    [first, *others] = known.operations
    moved = replace(first, path="/elsewhere")
    older = replace(first, fingerprint="another")

    assert any("listVersions is missing" in fact for fact in evidence.problems(replace(known, operations=others)))
    assert any("have changed" in fact for fact in evidence.problems(replace(known, operations=[moved, *others])))
    assert next(evidence.problems(replace(known, operations=[older, *others]))) == (
        "iam.listVersions: the document has changed since its cases were generated"
    )
    gone = replace(first, stories=["of_nobody"])
    assert "story of_nobody does not exist any more" in evidence.problems(replace(known, operations=[gone, *others]))


def test_a_story_counts_where_it_succeeded_and_as_executed_where_jobs_were_processes(records):
    log(records / "stories", "simulated", (JOBS, 201, "modelarts-toolkit/1", "simulated"))
    log(records / "stories", "real", (JOBS, 201, "modelarts-toolkit/1", "process"))
    log(
        records / "stories", "rejected", (JOBS, 400, "modelarts-toolkit/1", "process"), ("/nowhere", 200, "", "process")
    )

    found = proof(evidence.collected(None))

    assert (found.stories, found.executed) == (["real", "simulated"], ["real"])


@pytest.mark.parametrize("name", ["description", "name"])
def test_a_fingerprint_changes_with_what_programs_notice_of_an_operation(name):
    """Texts, examples and extensions do not count, a property does, for the operations that refer to it."""

    def marks(change=lambda document: None):
        document = copy.deepcopy(modelarts_openapi.load("v2"))
        change(document)
        return {each.operation_id: evidence.fingerprint(each) for each in operations_of("v2", document)}

    def texts(document):
        operation = document["paths"]["/v2/{project_id}/training-jobs"]["post"]
        operation |= {"summary": "Otherwise", "x-source": "elsewhere"}
        operation["requestBody"]["content"]["application/json"].pop("examples")

    def property_type(document):
        document["components"]["schemas"]["JobMetadata"]["properties"][name]["type"] = "integer"

    known, changed = marks(), marks(property_type)
    assert marks(texts) == known
    assert changed["createTrainingJob"] != known["createTrainingJob"]
    assert changed["listAlgorithms"] == known["listAlgorithms"]
