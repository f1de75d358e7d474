"""Environments for scripts with a block `# /// script`, which `modelarts run` creates and keeps for the next run."""

import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

import click
import platformdirs

from .interruptions import Interruptions
from .terminal import Terminal, counted

if TYPE_CHECKING:
    from modelarts_toolkit.jobfiles.script_block import ScriptBlock

POLL_S = 0.05
MADE = "made"  # this file exists in a complete environment
# Whether there is a pip that installs into other environments.
HAS_PIP = "import pip, sys; sys.exit(tuple(map(int, pip.__version__.split('.')[:2])) < (22, 3))"

_UNREACHABLE = re.compile(
    r"connection broken|Failed to establish|Name or service not known|name resolution|timed out|ProxyError",
    re.IGNORECASE,
)
_USER_OF_URL = re.compile(r"//[^/@\s]+@")


def cache_folder() -> Path:
    """Return the folder of the environments; it can be deleted at any time."""
    return platformdirs.user_cache_path("modelarts", appauthor=False) / "environments"


def environment_of(block: "ScriptBlock", python: Path, terminal: Terminal, interruptions: Interruptions) -> Path:
    """Return the Python of an environment with the script's packages; `python` itself if it names none.

    Each Python and set of packages has one environment. Raises ConfigError if the script does not support this Python,
    ClickException with pip's reason if the packages cannot be installed.
    """
    if block.requires_python:
        ask = [str(python), "-I", "-c", "import platform; print(platform.python_version())"]
        version = subprocess.run(ask, capture_output=True, check=True, text=True).stdout.strip()  # noqa: S603
        block.check_python([version], f"{version} ({python}): choose another with --engine")
    if not block.dependencies:
        return python
    folder = cache_folder() / _key(block, python)
    made = folder / "bin" / "python"
    if not (folder / MADE).exists():
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _lock(folder.with_suffix(".lock"), terminal, interruptions) as lock:
            if not (folder / MADE).exists():
                terminal.note(f"Installing {counted(len(block.dependencies), 'package')} for {block.script.name}.")
                _Builder(block, python, folder, lock, interruptions).make()
    return made


def _key(block: "ScriptBlock", python: Path) -> str:
    """Return a hash of the packages and the Python; a replaced Python changes it."""
    binary = python.stat()
    about = [block.dependencies, block.requires_python, str(python), binary.st_mtime_ns, binary.st_size]
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:32]


class _Builder:
    """Makes one environment. Its child processes also hold the lock, so that no other run uses the folder meanwhile."""

    def __init__(
        self, block: "ScriptBlock", python: Path, folder: Path, lock: int, interruptions: Interruptions
    ) -> None:
        self._block = block
        self._python = python
        self._folder = folder
        self._lock = lock
        self._interruptions = interruptions

    def make(self) -> None:
        """Make the environment; leaves no folder behind if that fails or is interrupted."""
        shutil.rmtree(self._folder, ignore_errors=True)  # left by a process that was killed
        requirements = self._folder.with_suffix(".txt")
        try:
            requirements.write_text(self._block.requirements, encoding="utf-8")
            self._make_folder_and_pip()
            options = ["--no-input", "--disable-pip-version-check", "--progress-bar", "off", "-r", str(requirements)]
            fact = f"the packages that {self._block.script} asks for cannot be installed"
            self._run([*self._pip, "install", *options], fact)
            (self._folder / MADE).touch()
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        finally:
            requirements.unlink(missing_ok=True)

    def _make_folder_and_pip(self) -> None:
        """Make the empty environment, with its own pip (which takes seconds) only if the Python has no recent one."""
        base, made = str(self._python), str(self._folder / "bin" / "python")
        has_pip = subprocess.run([base, "-I", "-c", HAS_PIP], capture_output=True, check=False).returncode == 0  # noqa: S603
        options = ["--without-pip"] if has_pip else []
        self._run([base, "-I", "-m", "venv", *options, str(self._folder)], "no environment can be made")
        self._pip = [base, "-I", "-m", "pip", "--python", made] if has_pip else [made, "-I", "-m", "pip"]

    def _run(self, command: Sequence[str], fact: str) -> None:
        """Run a command; raises ClickException with the fact and the reason if it fails, Interrupted by a signal."""
        with TemporaryFile() as said:
            process = subprocess.Popen(  # noqa: S603 - the user's own packages
                command,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=[self._lock],
            )
            try:
                while process.poll() is None:
                    self._interruptions.sleep(POLL_S)
            except BaseException:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise
            if process.returncode:
                said.seek(0)
                raise click.ClickException(f"{fact}: {reason_in(said.read().decode('utf-8', 'replace'))}")


def reason_in(output: str) -> str:
    """Return the line of the output that gives the reason of the failure."""
    lines = [line.strip() for line in _USER_OF_URL.sub("//***@", output).splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ").removeprefix("Error: ") for line in lines if line.startswith("ERROR: ")]
    reason = (errors or lines or ["it printed nothing"])[-1].rstrip(".")
    if any(map(_UNREACHABLE.search, lines)):
        return f"{reason} (no index of packages could be reached: check the network and the settings of pip)"
    return reason


@contextmanager
def _lock(path: Path, terminal: Terminal, interruptions: Interruptions) -> Iterator[int]:
    """Wait for the lock and hold it; yields its descriptor."""
    held = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    is_told = False
    try:
        while True:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not is_told:
                    terminal.note("Waiting for another run, which installs the same packages.")
                is_told = True
                interruptions.sleep(POLL_S)
        yield held
    finally:
        os.close(held)
