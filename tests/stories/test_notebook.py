"""The notebook of the examples runs from its first cell to its last, and its views are tables and pictures."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def notebook() -> nbformat.NotebookNode:
    return nbformat.read(EXAMPLES / "digits.ipynb", as_version=4)


def outputs(notebook: nbformat.NotebookNode, kind: str) -> list[str]:
    """What the cells show in this format, in their order."""
    found = (output for cell in notebook.cells for output in cell.get("outputs", ()))
    return [output["data"][kind] for output in found if kind in output.get("data", {})]


def test_it_is_stored_without_outputs(notebook: nbformat.NotebookNode) -> None:
    """They would hold names and paths of the machine that ran it."""
    assert all(not cell.outputs and cell.execution_count is None for cell in notebook.cells if cell.cell_type == "code")


def test_it_trains_a_model_and_shows_job_curve_and_list(
    notebook: nbformat.NotebookNode, environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On an emulator whose variables the kernel has, as with `modelarts emulator run -- jupyter lab`."""
    shutil.copytree(EXAMPLES / "digits", tmp_path / "digits")
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "matplotlib"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))

    NotebookClient(notebook, timeout=90, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()

    submitted, ended, listed = outputs(notebook, "text/html")
    assert submitted.startswith("<table><tr><th>name</th>")
    assert "<td>Completed</td>" in ended
    assert "<td>Completed</td>" in listed
    assert len(outputs(notebook, "image/png")) == 1
    log = "".join(output.text for cell in notebook.cells for output in cell.get("outputs", ()) if "text" in output)
    assert "epoch 6/6" in log
    assert (tmp_path / "digits-outputs" / "train_url" / "model.npz").exists()
