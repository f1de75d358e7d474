"""`modelarts contract run`: wrong usage ends with exit status 2 before anything is tried."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelarts_contract.commands import contract
from modelarts_toolkit.install import install_command


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rate", "2"], "--rate needs --service"),
        (["--yes"], "--yes needs --service"),
        (["--write"], "--write needs --service"),
        (["--service", "https://modelarts.example.com", "--force"], "--force needs --write"),
        (["--update-baseline"], "--update-baseline needs --baseline FILE"),
        (["--service", "https://modelarts.example.com", "--write", "--documents", "v1"], "add v2 to --documents"),
        (["--documents", "v9"], "the documents are"),
        (["--documents", "petstore"], "no document is named 'petstore'"),
        (["--documents", "v2,petstore.yaml"], "Add a document"),
        (["--operation", "showTrainingJob"], "did you mean"),
    ],
)
def test_unknown_names_and_options_without_effect_are_rejected(arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(contract, ["run", *arguments])

    assert done.exit_code == 2, done.output
    assert said in done.output


def test_a_missing_library_is_named_before_anything_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "schemathesis", None)

    done = CliRunner().invoke(contract, ["run"])

    assert done.exit_code == 2, done.output
    assert f"needs schemathesis: {install_command('contract')}" in done.output


def test_without_the_library_of_searches_their_operations_are_not_available(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run says which library they need, and tries everything else."""
    (tmp_path / "optuna.py").write_text("raise ImportError(name='optuna')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    arguments = ["--documents", "v2", "--operation", "showAutoSearchPerTrial", "--operation", "showTrainingJobEngines"]

    done = CliRunner().invoke(contract, ["run", *arguments, "--report", str(tmp_path / "report")])

    assert done.exit_code == 0, done.output
    results = json.loads((tmp_path / "report/results.json").read_text())["documents"]["v2"]["operations"]
    search, engines = results["showAutoSearchPerTrial"], results["showTrainingJobEngines"]
    assert (search["verdict"], engines["verdict"]) == ("not available", "kept")
    assert 'hyperparameter search needs optuna: run: pip install "modelarts-toolkit[search]"' in search["reason"]


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"version": 1, "entries": [1]}'])
def test_a_file_that_is_not_a_baseline_is_named(content: str, tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    file.write_text(content)

    done = CliRunner().invoke(contract, ["run", "--baseline", str(file)])

    assert done.exit_code == 2, done.output
    assert "known.json is not a baseline" in done.output


def test_an_emulator_that_does_not_start_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "modelarts_toolkit.py").write_text("raise SystemExit('broken installation')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    done = CliRunner().invoke(contract, ["run"])

    assert done.exit_code == 3, done.output
    assert "Error: the emulator did not start (exit status 1): broken installation" in done.output


def test_a_baseline_that_does_not_exist_is_wrong_usage(tmp_path: Path) -> None:
    """Without it, known findings would look like new ones."""
    done = CliRunner().invoke(contract, ["run", "--baseline", str(tmp_path / "knwon.json")])

    assert done.exit_code == 2, done.output
    assert "knwon.json does not exist: correct the name" in done.output


def test_a_report_folder_that_cannot_be_made_is_wrong_usage(tmp_path: Path) -> None:
    """Exit status 1 would say that the contract is broken."""
    (tmp_path / "file").touch()

    done = CliRunner().invoke(contract, ["run", "--report", str(tmp_path / "file" / "report")])

    assert done.exit_code == 2, done.output
    assert "cannot be written (Not a directory): name another folder" in done.output
