"""Job files with values of the wrong kind: problems with their places, never a traceback."""

import copy
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from click.testing import CliRunner

from modelarts_toolkit import Config, ModelArts
from modelarts_toolkit.cli.commands import modelarts
from modelarts_toolkit.jobfiles.file import parse_job_file
from modelarts_toolkit.jobfiles.settings import ALIASES, SETTINGS, JobSettings

FILES = 400
VALUES = json.loads(
    '[null, "", 0, 5, -1, true, 1.5, "x", [], ["x"], [1], [null], [{}], [[]], {}, {"x": 1}, {"name": null}]'
)
SHORT = yaml.safe_load("""
name: a
description: x
code: code
boot: train.py
engine: e
flavor: f
nodes: 1
inputs: {data_url: code, described: {remote: {obs: {obs_url: obs://b/i/}}}}
outputs: {train_url: out}
parameters: {lr: 0.1}
env: {A: "1"}
log_url: obs://b/l/
""")
V2 = SHORT | yaml.safe_load("""
metadata: {description: y, workspace_id: "0", annotations: {a: b}}
algorithm:
  parameters: [{name: x, value: "1"}]
  inputs: [{name: i, remote: {obs: {obs_url: obs://b/i/}}}]
  environments: {B: "2"}
  engine: {engine_name: PyTorch}
  policies: {auto_search: {skip_search_params: x}}
spec:
  resource: {node_count: 2, pool_id: p}
  log_export_path: {obs_url: obs://b/l/}
  auto_stop: {duration: 1, time_unit: HOURS}
""")
Check = Callable[[dict[str, Any]], list[str]]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in parts:
        yield (*path, name)
        yield from places(each, (*path, name))


def mutated(document: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """A document with one or two values of another kind."""
    found = copy.deepcopy(document)
    for _ in range(chance.choice((1, 1, 2))):
        *parents, last = chance.choice([*places(found)])
        part: Any = found
        for name in parents:
            part = part[name]
        part[last] = copy.deepcopy(chance.choice(VALUES))
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "train.py").write_text("print(1)")
    return tmp_path


@pytest.fixture
def check(folder: Path) -> Iterator[Check]:
    """The problems of a file with this content."""
    file = folder / "job.yaml"
    with ModelArts(config=Config(endpoint="http://127.0.0.1:9", token="t", project_id="p")) as ma:

        def check(document: dict[str, Any]) -> list[str]:
            file.write_text(yaml.safe_dump(document, sort_keys=False))
            return ma.jobs.check_file(file, offline=True)

        yield check


def test_every_mistake_has_a_place(check: Check, folder: Path) -> None:
    """Whatever kinds of values a file has."""
    chance = random.Random(34)
    problems = [problem for _ in range(FILES) for problem in check(mutated(V2, chance))]

    assert [problem for problem in problems if not problem.startswith(str(folder / "job.yaml"))] == []
    assert problems


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"algorithm": {"engine": "pytorch_1.8"}}, ":2:3: algorithm.engine: must be a mapping of fields, not 'pyt"),
        ({"code": 5, "boot": "train.py"}, ":1:1: code: must be a text, not 5"),
        ({"code": ["x"], "boot": "train.py"}, ":1:1: code: must be a text, not a list"),
        ({"flavor": ["f"]}, ":1:1: flavor: must be a text, not a list"),
        ({"nodes": "two"}, ":1:1: nodes: must be an integer, not 'two'"),
        ({"parameters": {"lr": [1]}}, ":2:3: parameters.lr: must be a text, not a list"),
        ({"inputs": {"a": {"remote": "x"}}}, ":3:5: inputs.a.remote: must be a mapping of fields, not 'x'"),
    ],
)
def test_a_value_of_the_wrong_kind_is_said_once(folder: Path, changes: dict[str, Any], problem: str) -> None:
    """What follows from it is not."""
    file = folder / "job.yaml"
    others = {name: value for name, value in SHORT.items() if name not in (*changes, "engine")}
    engine = {} if "algorithm" in changes else {"engine": "e"}
    file.write_text(yaml.safe_dump({**changes, **engine, **others}, sort_keys=False))

    said = CliRunner().invoke(modelarts, ["job", "check", "--offline", str(file)])

    assert said.exit_code == 1
    lines = said.output.splitlines()[1:]
    assert len(lines) == 1
    assert problem in lines[0]


def test_settings_of_python_are_checked_like_those_of_a_file(folder: Path) -> None:
    """An unknown key, and a value of another kind."""
    file = folder / "job.yaml"
    file.write_text(yaml.safe_dump(SHORT))
    wrong: Any = {"flavour": "x", "boot": 5}
    right: JobSettings = {"code": folder / "code", "nodes": 2}

    with ModelArts(config=Config(endpoint="http://127.0.0.1:9", token="t", project_id="p")) as ma:
        assert ma.jobs.check_file(file, right, offline=True) == []
        problems = ma.jobs.check_file(file, wrong, offline=True)

    assert ["flavour: unknown key; did you mean 'flavor'" in problems[0], "boot: must be a text" in problems[1]] == [
        True,
        True,
    ]


ROOT = Path(__file__).parents[2]
SHOWN = {
    "docs/cli.md": re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "cli.md").read_text("utf-8"), re.DOTALL)[0],
    **{
        str(path.relative_to(ROOT)): path.read_text("utf-8")
        for path in (ROOT / "examples").glob("*/job.json")
        if "job_name" not in path.read_text("utf-8")  # of version 1
    },
}
JOB = {"image": "team/image:1", "command": "true", "flavor": "modelarts.vm.cpu.8u"}
CHANNEL = {"name": "a", "remote": {"obs": {"obs_url": "obs://bucket/a/"}}}


@pytest.fixture(scope="module")
def schema() -> jsonschema_rs.Validator:
    printed = json.loads(CliRunner().invoke(modelarts, ["job", "schema"]).stdout)
    jsonschema_rs.meta.validate(printed)
    return jsonschema_rs.validator_for(printed)


@pytest.mark.parametrize("name", SHOWN)
def test_job_files_that_are_shown_fit_the_schema(schema: jsonschema_rs.Validator, name: str) -> None:
    schema.validate(parse_job_file(SHOWN[name], name).document)


def test_the_schema_has_every_key_in_both_spellings(schema: jsonschema_rs.Validator) -> None:
    for key in (*SETTINGS, *ALIASES):
        schema.validate({key: None})
        schema.validate({key.replace("_", "-"): None})


@pytest.mark.parametrize(
    ("changed", "is_valid"),
    [
        ({}, True),
        ({"name": None, "nodes": "2", "uid": "1000"}, True),
        ({"train-instance-count": 2, "env-variables": ["LEVEL=debug"]}, True),
        ({"inputs": {"a": "obs://bucket/a/"}, "input": None}, True),
        ({"inputs": ["a=obs://bucket/a/", {"b": {"remote": CHANNEL["remote"]}}]}, True),
        ({"parameters": {"lr": 0.1, "fast": True}, "env": {"LEVEL": 1}}, True),
        ({"algorithm": {"inputs": [CHANNEL], "parameters": [{"name": "lr", "value": 0.1}]}}, True),
        ({"metadata": {}, "spec": {"resource": {}, "auto_stop": {"time_unit": "HOURS", "duration": 1}}}, True),
        ({"flavour": "x"}, False),
        ({"name": "a job"}, False),
        ({"description": "x" * 257}, False),
        ({"nodes": 0}, False),
        ({"uid": 1}, False),
        ({"command": ["true"]}, False),
        ({"parameters": ["lr"]}, False),
        ({"parameters": {"lr": [1]}}, False),
        ({"inputs": {"a b": "obs://bucket/a/"}}, False),
        ({"kind": "jobs"}, False),
        ({"spec": {"resource": {"node_cnt": 1}}}, False),
        ({"spec": {"auto_stop": {"time_unit": "YEARS", "duration": 1}}}, False),
        ({"algorithm": {"inputs": [{"remote": CHANNEL["remote"]}]}}, False),
    ],
    ids=lambda value: json.dumps(value)[:50],
)
def test_schema_and_check_agree(
    schema: jsonschema_rs.Validator, tmp_path: Path, changed: dict[str, Any], is_valid: bool
) -> None:
    """The file is read as it is written, before numbers in it become texts."""
    (tmp_path / "job.json").write_text(json.dumps(JOB | changed))

    checked = CliRunner().invoke(modelarts, ["job", "check", "--offline", str(tmp_path / "job.json")])

    assert (schema.is_valid(JOB | changed), checked.exit_code == 0) == (is_valid, is_valid), checked.output
