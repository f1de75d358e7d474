"""Strict type checkers accept ordinary user code, and find the mistakes that users make."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = Path(__file__).with_name("user_code.py")
TOOLS = ROOT / ".cache" / "pyright"
PYRIGHT = "pyright@1.1.407"
MISTAKES = """\
from modelarts_api.v2.models import CreateTrainingJobRequestDict, TrainingJob
from modelarts_toolkit import ModelArts


def use(ma: ModelArts, job: TrainingJob) -> None:
    wrong_key: CreateTrainingJobRequestDict = {"kind": "job", "metadata": {"name": "a"}, "sepc": {}}  # sepc
    no_name: CreateTrainingJobRequestDict = {"kind": "job", "metadata": {"nme": "a"}}  # nme
    wrong_kind: CreateTrainingJobRequestDict = {"kind": "jobb", "metadata": {"name": "a"}}  # jobb
    ma.submit({"kind": "job", "metdata": {"name": "a"}})  # "submit"
    ma.v2.training_jobs.stop_training_job("a", {"action_type": "stop"})  # "stop_training_job"
    ma.v2.training_jobs.iter_training_jobs({"sort": "name"})  # "iter_training_jobs"
    print(job.status.phase == "Complete")  # Complete
    print(job.metadata.nme)  # nme
    print(job.endpoints.ssh)  # None
"""


def mypy(file: Path) -> str:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(file)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout


def test_there_are_enough_functions():
    assert len(re.findall(r"^(async )?def ", CODE.read_text(), re.MULTILINE)) >= 20
    assert not re.search(r"# type:|cast\(|assert |\bAny\b", CODE.read_text())


def test_mypy_accepts_ordinary_user_code():
    assert mypy(CODE) == ""


def test_mypy_finds_each_mistake(tmp_path):
    file = tmp_path / "mistakes.py"
    file.write_text(MISTAKES)
    found: dict[int, str] = {}
    for message in mypy(file).splitlines():
        _, number, text = message.split(":", 2)
        found[int(number)] = found.get(int(number), "") + text

    expected = {n: line.rpartition("  # ")[2] for n, line in enumerate(MISTAKES.splitlines(), 1) if "  # " in line}
    assert found.keys() == expected.keys()
    assert {number: text for number, text in expected.items() if text not in found[number]} == {}


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_pyright_accepts_ordinary_user_code(tmp_path):
    """In strict mode; npm installs it into .cache at the first run."""
    if shutil.which("npm") is None:
        pytest.skip("pyright needs npm, which is not installed")
    if not (TOOLS / "node_modules" / ".bin" / "pyright").exists():
        TOOLS.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--prefix", ".", "--no-audit", "--no-fund", PYRIGHT]
        installed = subprocess.run(command, cwd=TOOLS, capture_output=True, text=True, check=False)
        if installed.returncode:
            pytest.skip(f"npm cannot install pyright: {installed.stderr[-400:]}")
    shutil.copy(CODE, tmp_path)
    packages = ", ".join(f'"{ROOT / folder}"' for folder in ("generated", "overlays"))
    (tmp_path / "pyrightconfig.json").write_text(f'{{"typeCheckingMode": "strict", "extraPaths": [{packages}]}}')
    command = [
        str(TOOLS / "node_modules" / ".bin" / "pyright"),
        "--pythonpath",
        sys.executable,
        "--project",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
    assert "0 errors, 0 warnings" in done.stdout
