"""Checks of users, which a run loads from a file."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from modelarts_contract.commands import contract

CHECK = """
import schemathesis

@schemathesis.check
def has_a_body(ctx, response, case):
    assert response.content, "every response needs a body"

@schemathesis.check
def names_its_team(ctx, response, case):
    assert "x-team" in response.headers, "every response names the team"
"""


def run(folder: Path, hooks: str) -> Result:
    (folder / "checks.py").write_text(hooks)
    options = ["--documents", "iam", "--operation", "listProjects", "--hooks", str(folder / "checks.py")]
    return CliRunner().invoke(contract, ["run", *options, "--report", str(folder / "report")])


def test_a_user_s_check_is_one_finding_with_its_name(tmp_path: Path) -> None:
    """One that holds is none; one of the page fails as soon as ten bytes are allowed, the other one holds."""
    page = (Path(__file__).parents[4] / "docs" / "how-to" / "add-a-check.md").read_text("utf-8")
    program = page.partition("```python\n")[2].partition("```")[0]

    result = run(tmp_path, program.replace("1_000_000", "10") + CHECK)

    assert result.exit_code == 1, result.output
    findings = json.loads((tmp_path / "report" / "results.json").read_text())["findings"]
    assert {(each["check"], each["operation"]) for each in findings} == {
        ("names_its_team", "listProjects"),
        ("responses_are_small", "listProjects"),
    }


def test_a_file_that_cannot_be_loaded_is_named_with_the_reason(tmp_path: Path) -> None:
    result = run(tmp_path, "import nosuch")

    assert result.exit_code == 3, result.output
    problem = f"{tmp_path / 'checks.py'} cannot be loaded: ModuleNotFoundError: No module named 'nosuch'"
    assert result.output.splitlines()[-1] == f"Error: {problem}"
