"""The JSON Schema of job files: it and `modelarts job check` agree."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from click.testing import CliRunner

from modelarts_toolkit.cli.commands import modelarts
from modelarts_toolkit.jobfiles.file import parse_job_file
from modelarts_toolkit.jobfiles.settings import ALIASES, SETTINGS

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
