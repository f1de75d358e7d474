"""The block `# /// script` of a script (PEP 723), and what becomes of it when a job is submitted."""

from pathlib import Path
from typing import Any

import pytest
from tests.overlays.cli.conftest import JOB, Run

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ConfigError, ModelArts
from modelarts_toolkit.jobfiles.script_block import REQUIREMENT_FILES, script_block

BLOCK = """\
# /// script
# requires-python = ">=3.6"
# dependencies = [
#   "numpy>=2",
#
#   "six ; python_version < '4'",
# ]
# ///
print('hello')
"""


@pytest.fixture
def with_block(project: Path) -> Path:
    """The current folder has a job file whose script has a block."""
    (project / "code" / "train.py").write_text(BLOCK)
    return project


@pytest.fixture
def ma(quick: Emulator) -> Any:
    with ModelArts() as client:
        yield client


def test_a_block_is_read_as_the_standard_says(tmp_path: Path) -> None:
    """Line endings of Windows are as good, other blocks are passed over, and most scripts have none."""
    script = tmp_path / "train.py"
    script.write_bytes(b"#!/usr/bin/env python\r\n" + BLOCK.replace("\n", "\r\n").encode())

    block = script_block(script)

    assert block is not None
    assert block.requirements == "numpy>=2\nsix ; python_version < '4'\n"
    assert block.requires_python == ">=3.6"
    script.write_text("# /// other\n# dependencies = 1\n# ///\n")
    assert script_block(script) is None
    script.write_text("# /// script\n# dependencies = 1\n")
    assert script_block(script) is None, "a block that does not end is none"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("dependencies = [", "is not valid TOML"),
        ("dependencies = 'numpy'", "dependencies must be a list"),
        ("dependencies = [1]", "must name packages"),
        ("dependencies = ['--index-url=https://example.com']", "must name packages"),
        ('dependencies = ["six\\n--index-url=https://example.com"]', "must name packages"),
        ("requires-python = 3.11", "requires-python must be a text"),
        ("requires-python = 'new'", "requires-python must be versions"),
        ("dependencies = []\n# ///\n\n# /// script\n# dependencies = []", "has 2 script blocks"),
    ],
)
def test_a_wrong_block_is_named(tmp_path: Path, content: str, message: str) -> None:
    script = tmp_path / "train.py"
    script.write_text(f"# /// script\n# {content}\n# ///\n")

    with pytest.raises(ConfigError, match=message):
        script_block(script)


@pytest.mark.parametrize("version", ["job", "v1"])
def test_dependencies_become_a_file_beside_the_code(
    run: Run, quick: Emulator, ma: Any, with_block: Path, version: str
) -> None:
    """Also of version 1; the user's folder is not changed."""
    if version == "v1":
        text = JOB.replace("pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64", "TF-1.8.0-python3.6")
        Path("job.yaml").write_text(text)

    done = run(*(["v1", "job"] if version == "v1" else ["job"]), "submit", "job.yaml")

    assert done.exit_code == 0, done.stderr
    assert "Uploaded pip-requirements.txt, of the script block of code/train.py: numpy>=2, six" in done.stderr
    found = (ma.v1_jobs if version == "v1" else ma.jobs).list()[0].refresh()
    code = f"obs://{found.code.removeprefix('obs://').strip('/')}/"
    assert quick.objects.get(f"{code}pip-requirements.txt") == b"numpy>=2\nsix ; python_version < '4'\n"
    assert not Path("code/pip-requirements.txt").exists()


@pytest.mark.parametrize("name", REQUIREMENT_FILES)
def test_a_file_of_the_users_own_is_never_replaced(run: Run, quick: Emulator, with_block: Path, name: str) -> None:
    """It may be left out of the upload, then the block counts."""
    Path("code", name).write_text("six\n")

    done = run("job", "submit", "job.yaml")

    assert done.exit_code == 1
    assert f"the code folder has {name}: remove one of them" in done.stderr
    Path("code/.modelartsignore").write_text(f"/{name}\n")
    assert run("job", "submit", "job.yaml").exit_code == 0


def test_an_engine_with_another_python_is_rejected_before_anything_is_sent(
    run: Run, quick: Emulator, ma: Any, with_block: Path
) -> None:
    """Also where a pattern chooses the engine."""
    Path("code/train.py").write_text(BLOCK.replace(">=3.6", ">=3.11"))

    exact, pattern = run("job", "submit", "job.yaml"), run("job", "check", "job.yaml", "--engine", "pytorch_1.8*")

    for done in (exact, pattern):
        assert done.exit_code == 1
        assert "train.py requires Python >=3.11 (in its script block), not 3.7 of the engine pytorch_1.8" in done.stderr
    Path("code/train.py").write_text(BLOCK.replace(">=3.6", ">=3.7.4"))
    assert run("job", "check", "job.yaml").exit_code == 0, "the engine's 3.7 may be any"
    assert ma.jobs.list() == []


def test_a_custom_image_brings_its_own_packages(run: Run, quick: Emulator, ma: Any, with_block: Path) -> None:
    """The service installs files of requirements for preset images only."""
    text = JOB.replace("engine: ", "image: swr/image:1 #").replace("boot:", "command: python train.py\nboot:")
    Path("job.yaml").write_text(text.replace("boot: train.py\n", ""))

    done = run("job", "submit", "job.yaml")

    assert done.exit_code == 0, done.stderr
    code = ma.jobs.list()[0].refresh().code
    assert [each.url for each in ma.obs.list(code) if "requirements" in each.url] == []
