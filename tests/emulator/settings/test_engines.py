"""Which Python runs which engine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from modelarts_emulator.server import EmulatorError
from modelarts_emulator.settings import catalogue

PYTORCH = {
    "engine_id": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64",
    "engine_name": "PyTorch",
    "engine_version": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64",
}
ENGINE = "[[engine]]\nengine_id = 'own'\nengine_name = 'Own'\nengine_version = '1'\npython = '{}'\n"


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """Another Python than the emulator's, by name."""
    path = tmp_path / "other-python"
    path.symlink_to(sys.executable)
    return path


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("PyTorch", True),
        ("pytorch*", True),
        ("*1.8.0*", True),
        ("pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64", True),
        ("*", True),
        ("torch", False),
        ("TensorFlow*", False),
    ],
)
def test_a_pattern_fits_name_version_or_id_in_any_case(python: Path, pattern: str, fits: bool) -> None:
    found = catalogue.load_interpreters({pattern: python}, catalogue.load()).find(PYTORCH)

    assert found == (str(python) if fits else sys.executable)


def test_the_first_pattern_that_fits_wins(python: Path) -> None:
    both = catalogue.load_interpreters({"*1.8*": python, "PyTorch*": Path(sys.executable)}, catalogue.load())

    assert both.find(PYTORCH) == str(python)
    assert both.find({"engine_name": "PyTorch", "engine_version": "PyTorch-1.3.0-python3.6"}) == sys.executable


def test_an_image_is_found_by_its_address_and_else_gets_the_emulator_s_python(python: Path) -> None:
    found = catalogue.load_interpreters({"*/torch:*": python}, catalogue.load())

    assert found.find({"image_url": "team/torch:2"}) == str(python)
    assert found.find({"image_url": "team/other:2"}) == sys.executable
    assert found.find(None) == sys.executable


def test_a_pattern_goes_before_the_catalogue(python: Path, tmp_path: Path) -> None:
    file = tmp_path / "catalogue.toml"
    file.write_text(ENGINE.format(python.name))
    offered = catalogue.load(file)
    own = offered.engines["own"]

    assert catalogue.load_interpreters({}, offered).find(own) == str(python)
    assert catalogue.load_interpreters({"own": Path(sys.executable)}, offered).find(own) == sys.executable


def test_a_path_is_relative_to_the_working_folder_or_to_the_home(python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(python.parent)
    monkeypatch.setenv("HOME", str(python.parent))

    for path in ("other-python", "~/other-python"):
        assert catalogue.load_interpreters({"*": Path(path)}, catalogue.load()).find(PYTORCH) == str(python)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "No such file or directory"),
        ("#!/bin/sh\nexit 3\n", "it is not a Python"),
        ("print", "Exec format error"),
    ],
)
def test_a_path_that_is_not_a_python_is_rejected_by_name(tmp_path: Path, text: str | None, reason: str) -> None:
    path = tmp_path / "python"
    if text is not None:
        path.write_text(text)
        path.chmod(0o755)

    with pytest.raises(EmulatorError, match=rf"--engine PyTorch\*: {path} cannot be used \({reason}\): name a Python"):
        catalogue.load_interpreters({"PyTorch*": path}, catalogue.load())


def test_a_file_that_may_not_be_executed_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "catalogue.toml").write_text(ENGINE.format("python"))
    (tmp_path / "python").write_text("")

    with pytest.raises(EmulatorError, match=r"python of engine own: .* cannot be used \(Permission denied\)"):
        catalogue.load_interpreters({}, catalogue.load(tmp_path / "catalogue.toml"))


def test_a_pattern_that_fits_no_engine_is_pointed_out(python: Path, caplog: pytest.LogCaptureFixture) -> None:
    catalogue.load_interpreters({"PyTroch*": python}, catalogue.load())

    assert "--engine PyTroch* fits no engine of the catalogue" in caplog.text


@pytest.mark.parametrize("pattern", ["tf-1.8.0-*", "4"])
def test_a_pattern_fits_engines_of_version_1(python: Path, pattern: str, caplog: pytest.LogCaptureFixture) -> None:
    """An engine that only version 1 has is one of the catalogue: there is no warning."""
    engine = {"engine_id": "4", "engine_name": "TensorFlow", "engine_version": "TF-1.8.0-python3.6"}

    assert catalogue.load_interpreters({pattern: python}, catalogue.load()).find(engine) == str(python)
    assert caplog.records == []
