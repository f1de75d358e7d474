"""`modelarts run` of a script with a block `# /// script`: the packages are really installed."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.emulator.execution.local.test_requirements import PASSWORD, shared, wheels
from tests.overlays.cli.conftest import Run
from tests.overlays.cli.test_run_signals import MODELARTS

from modelarts_toolkit.cli.script_environment import MADE, cache_folder, reason_in

pytestmark = pytest.mark.ci

__all__ = ["shared", "wheels"]

SCRIPT = """\
# /// script
# requires-python = ">=3.11"
# dependencies = ["asked_for"]
# ///
import asked_for, sys
print("found", asked_for.VALUE, sys.prefix)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder has `train.py`; environments are kept in a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)  # the same Python for this process and others
    (tmp_path / "code").mkdir()
    monkeypatch.chdir(tmp_path / "code")
    Path("train.py").write_text(SCRIPT)
    return tmp_path


def environments() -> list[Path]:
    return [each for each in cache_folder().glob("*") if each.is_dir()]


def test_an_environment_is_made_once_and_found_again(run: Run, wheels: Path, folder: Path) -> None:
    """The second run needs no index of packages; the first of two at once makes it for both."""
    command = [MODELARTS, "run", "train.py"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    results = [(*process.communicate(), process.returncode) for process in both]
    (made,) = environments()

    assert [(output, status) for output, _, status in results] == [(f"found 1.0 {made}\n", 0)] * 2
    assert sum("Installing 1 package for train.py." in errors for _, errors, _ in results) == 1
    again = run("run", "train.py", PIP_FIND_LINKS=str(folder))
    assert (again.stdout, again.exit_code) == (f"found 1.0 {made}\n", 0)
    assert "Installing" not in again.stderr


def test_an_unknown_package_is_one_sentence_and_leaves_nothing(run: Run, wheels: Path, folder: Path) -> None:
    Path("train.py").write_text(SCRIPT.replace("asked_for", "unheard_of"))

    done = run("run", "train.py")

    assert done.exit_code == 1
    expected = "cannot be installed: No matching distribution found for unheard_of"
    assert expected.replace("_", "-") in done.stderr.replace("_", "-")
    assert done.stderr.count("\n") == 2
    assert environments() == []


def test_another_python_than_the_script_requires_is_an_error(run: Run, folder: Path) -> None:
    Path("train.py").write_text(SCRIPT.replace(">=3.11", "<3.11"))

    done = run("run", "train.py")

    assert done.exit_code == 1
    assert f"train.py requires Python <3.11 (in its script block), not {sys.version.split()[0]}" in done.stderr


def test_files_of_requirements_beside_a_block_are_an_error(run: Run, folder: Path) -> None:
    """As when the job is submitted."""
    Path("requirements.txt").write_text("six\n")
    assert "the code folder has requirements.txt: remove one of them" in run("run", "train.py").stderr
    done = run("run", "train.py", "--requirements", "requirements.txt")

    assert done.exit_code == 2
    assert "leave --requirements out" in done.stderr


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """An index of packages that accepts connections and never responds."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(120)
        yield listener


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_installation_leaves_no_half_environment(
    run: Run, wheels: Path, folder: Path, silent: socket.socket, number: signal.Signals
) -> None:
    """What a killed one leaves is not used, and made anew."""
    index = f"http://127.0.0.1:{silent.getsockname()[1]}/simple"
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    variables |= {"PIP_INDEX_URL": index, "PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "0"}
    process = subprocess.Popen([MODELARTS, "run", "train.py"], env=variables, stderr=subprocess.PIPE, text=True)
    connection, _ = silent.accept()  # pip asks

    process.send_signal(number)
    process.communicate()

    assert process.returncode in (143, -number)
    assert not any((each / MADE).exists() for each in environments())
    connection.close()
    silent.close()  # so that pip, which nobody ends after a SIGKILL, gives up
    if number == signal.SIGTERM:
        assert environments() == []
    else:
        assert run("run", "train.py").stdout.startswith("found 1.0 ")


def test_the_reason_of_pip_is_a_line_without_secrets() -> None:
    said = f"""\
    WARNING: Retrying after connection broken by NewConnectionError: https://user:{PASSWORD}@localhost/simple
    ERROR: Could not find a version
    ERROR: No matching distribution found for six @ https://user:{PASSWORD}@localhost/six.whl
    """

    reason = reason_in(said)

    assert reason.startswith("No matching distribution found for six @ https://***@localhost/six.whl (no index of")
    assert "\n" not in reason
