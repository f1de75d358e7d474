"""Strict type checkers accept ordinary user code, and find the mistakes that users make."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from operation_examples import examples

ROOT = Path(__file__).resolve().parents[2]
CODE = Path(__file__).with_name("user_code.py")
# Each comment is what the messages about its line must have in them; a line without one is right.
MISTAKES = """\
from collections.abc import AsyncIterator, Iterator
from typing import assert_type

import httpx

import modelarts_toolkit
from modelarts_api.client import Call
from modelarts_api import v3  # v3
from modelarts_api.errors import NotFond  # NotFond
from modelarts_api.v2 import Api, AsyncApi
from modelarts_api.v2 import Apii  # Apii
from modelarts_api.v2 import models
from modelarts_api.v2.models import CreateAlgorithmRequest, CreateTrainingJobRequestDict, LogPreview, TrainingJob
from modelarts_api.v2.models import TraininJob  # TraininJob
from modelarts_contract.documents import Document  # Document
from modelarts_emulator.runtime import Emulatr  # Emulatr
from modelarts_openapi import laod  # laod
from modelarts_toolkit import JobFailled  # JobFailled
from modelarts_toolkit import ModelArts


def use(ma: ModelArts, job: TrainingJob) -> None:
    wrong_key: CreateTrainingJobRequestDict = {"kind": "job", "metadata": {"name": "a"}, "sepc": {}}  # sepc
    no_name: CreateTrainingJobRequestDict = {"kind": "job", "metadata": {"nme": "a"}}  # nme
    wrong_kind: CreateTrainingJobRequestDict = {"kind": "jobb", "metadata": {"name": "a"}}  # jobb
    create = ma.v2.training_jobs.create_training_job
    create({"kind": "job", "metdata": {"name": "a"}})  # metdata
    create({"kind": "job", "metadata": {"name": "a"}, "spec": {"resource": {"flavour_id": "cpu"}}})  # "flavour_id"
    create({"kind": "job", "metadata": {"name": "a"}, "algorithm": {"parameters": [{"value": 0.1}]}})  # "float"
    ma.v2.training_jobs.stop_training_job("a", {"action_type": "stop"})  # 'stop'
    ma.v2.training_jobs.iter_training_jobs({"sort": "name"})  # "sort"
    ma.jobs.submit({"kind": "job", "metdata": {"name": "a"}})  # metdata
    ma.jobs.submit({"metadata": {"name": "a"}, "spec": {"resource": {"flavour_id": "f"}}})  # flavour_id
    ma.jobs.submit({"metadata": {"name": "a"}, "algorithm": {"parameters": [{"name": "lr", "value": 0.1}]}})
    ma.jobs.submit({"metadata": {"name": "a"}, "algorithm": {"parameters": [{"value": [0.1]}]}})  # list[float]
    ma.jobs.get("a").sumbit()  # sumbit
    ma.options(timout=5)  # "timout"
    ma.options(headers={"X-Trace": 5})  # "int"
    ma.options(timeout="5")  # "timeout"
    ma.v2.client.options(retries=1)  # "retries"
    with ma.options() as call:
        assert_type(call, Call)
        assert_type(ma.v2.training_jobs.show_training_job_details("j"), TrainingJob)
    assert_type(call.response, httpx.Response)
    assert_type(call.request_id, str | None)
    print(call.respnse)  # "respnse"
    print(modelarts_toolkit.ModelArt)  # ModelArt
    print(job.status.phase == "Complete")  # Complete
    print(job.metadata.nme)  # nme
    print(job.endpoints.ssh)  # None


async def types(api: Api, later: AsyncApi) -> None:
    assert_type(api.training_jobs.show_training_job_details("j"), TrainingJob)
    assert_type(await later.training_jobs.show_training_job_details("j"), TrainingJob)
    assert_type(api.logs.show_training_job_logs_preview("j", "t"), LogPreview | None)
    assert_type(api.training_jobs.iter_training_jobs(), Iterator[TrainingJob])
    assert_type(later.training_jobs.iter_training_jobs({}), AsyncIterator[TrainingJob])
    api.training_jobs.iter_training_jobs(limit=5)  # "limit"
    api.training_jobs.show_training_job_details(1)  # "str"
    api.training_jobs.create_training_job(CreateAlgorithmRequest())  # "CreateAlgorithmRequest"
    api.training_jobs.create_training_job({"kind": "job"})  # "metadata"
    api.training_jobs.show_job("j")  # "show_job"
    print(models.TrainingJbo)  # "TrainingJbo"
    TrainingJob(colour="red")  # "colour"
"""


Said = dict[str, dict[int, str]]  # what a checker says about each line of each file


def mypy(folder: Path) -> Said:
    """What mypy says in its strict mode."""
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context", str(folder)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not said.stderr
    found: defaultdict[str, defaultdict[int, str]] = defaultdict(lambda: defaultdict(str))
    for line in said.stdout.splitlines():
        path, number, message = line.split(":", 2)
        found[Path(path).name][int(number)] += message
    return {**found}


def pyright(folder: Path) -> Said:
    """What pyright says in its strict mode."""
    (folder / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(folder)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not said.stderr
    report = json.loads(said.stdout)
    assert report["summary"]["filesAnalyzed"] == 2
    found: defaultdict[str, defaultdict[int, str]] = defaultdict(lambda: defaultdict(str))
    for diagnostic in report["generalDiagnostics"]:
        line = diagnostic["range"]["start"]["line"] + 1
        found[Path(diagnostic["file"]).name][line] += f"{diagnostic['message']}\n"
    return {**found}


@pytest.fixture(scope="module", params=[mypy, pyright])
def said(request, tmp_path_factory):
    """What a checker says about ordinary code and about mistakes, in one run: it begins by reading all packages."""
    folder = tmp_path_factory.mktemp("code")
    shutil.copy(CODE, folder)
    (folder / "mistakes.py").write_text(MISTAKES)
    return request.param(folder)


def test_ordinary_user_code_is_accepted(said):
    """Neither checker has anything to say about it in its strict mode; the code does not silence any."""
    assert not re.search(r"# type:|cast\(|assert |\bAny\b", CODE.read_text())
    assert set(said) == {"mistakes.py"}


def test_each_mistake_is_found_where_it_is(said):
    """Misspelt names of all five packages, wrong request bodies, and fields that may be missing or do not exist."""
    expected = {n: line.rpartition("  # ")[2] for n, line in enumerate(MISTAKES.splitlines(), 1) if "  # " in line}
    found = said["mistakes.py"]

    assert found.keys() == expected.keys()
    assert {number: text for number, text in expected.items() if text not in found[number]} == {}


def test_the_calls_that_the_reference_shows_pass_the_type_checker(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    lines = ["from modelarts_toolkit import ModelArts", "def show(ma: ModelArts, token: str) -> None:"]
    program.write_text("\n".join([*lines, *(f"    {example.python}" for example in examples().values()), ""]))
    command = [sys.executable, "-m", "mypy", "--no-error-summary", str(program)]

    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout

    assert said == ""
