"""The Python of a task, with what its code requires: `pip-requirements.txt` at the top of its code directory.

A task that installs something by itself changes the packages of a Python that is on its path.

Each pair of interpreter and requirements gets one environment, made once and kept; requirements that name files of
the code get one of their own in the task's folder. Whoever makes an environment holds its lock, and so does
everything that pip starts: a builder that is killed leaves it to the next one, to be made anew.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from modelarts_emulator.execution.container import Container
from modelarts_emulator.execution.staging import StagingError
from modelarts_emulator.execution.task.task_process import TaskLog
from modelarts_emulator.settings.chosen_python import interpreter_of, is_program
from modelarts_emulator.storage.links import is_within

NAMES = ("python", "python3")
FILE = "pip-requirements.txt"
REMEDY = "start the emulator with --install-requirements, or install it into the engine's Python (--engine)"

ANOTHER = "name another one (--engine of the emulator or of modelarts run, or VIRTUAL_ENV)"

PROGRAMS = {"bin", "condabin"}

_MADE = "made.json"
_FOR_PIP = re.compile(r"PIP_\w+|(https?|all|no)_proxy|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE", re.IGNORECASE)
_LAST = 12
"""Lines of pip's output that a failure repeats."""


def for_pip(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that say where pip finds packages, perhaps with a password: not for the user's process."""
    return {name: value for name, value in environ.items() if _FOR_PIP.fullmatch(name)}


@dataclass(frozen=True, slots=True)
class Interpreter:
    """`python` runs the boot file; `folders` come first on the path."""

    python: str
    folders: tuple[str, ...]


def prepare(
    container: Container, python: str, environments: Path | None, environ: Mapping[str, str], log: TaskLog
) -> Interpreter:
    """The interpreter of the task, once its code has been fetched.

    Raises StagingError if it is gone, if the task cannot see it, or if it lacks what the code requires.
    `environments` is the folder of environments with what code requires; None: nothing is installed.
    """
    if not is_program(python):
        raise StagingError(f"the Python of this job, {python}, is not there: make it anew, or {ANOTHER}")
    for path in (python, os.path.realpath(python)) if container.has_true_paths else ():
        if hiding := next((mounted for mounted in container.mounted if is_within(path, mounted)), None):
            why = f"lies behind the {hiding} that the task has of its own"
            raise StagingError(f"the Python of this job, {path}, {why}: use --paths mapping, or {ANOTHER}")
    python = _ensure_environment(container, python, environments, environ, log)
    shims = container.map("/usr/local/bin")
    shims.mkdir(parents=True, exist_ok=True)
    for name in NAMES:  # scripts, because a link would lose its environment
        (shims / name).write_text(f'#!/bin/sh\nexec {shlex.quote(python)} "$@"\n')
        (shims / name).chmod(0o755)
    return Interpreter(python, (str(shims), str(Path(python).parent)))


def _pythons(python: str, environ: Mapping[str, str]) -> Iterator[tuple[Path, list[Path]]]:
    """The folder of each Python that a task with these variables finds, or of its environment, with those of packages.

    Not the system's `/usr`: what installs there has records elsewhere, too. pip installs into `/usr/local`.
    """
    programs = [Path(python), *(Path(folder, "-") for folder in environ["PATH"].split(os.pathsep))]
    if not _is_in_environment(python):
        programs.append(Path(os.path.realpath(python)))
    programs.append(interpreter_of(Path(python), environ) or Path(python))
    folders = [os.path.realpath(path.parent) for path in programs if path.parent.name in PROGRAMS]
    for folder in dict.fromkeys(Path(folder).parent for folder in folders):
        if folder != Path("/usr") and (packages := list(folder.glob("lib*/python3*/*-packages"))):
            yield folder, packages


def _is_in_environment(python: str) -> bool:
    return Path(python).parent.with_name("pyvenv.cfg").exists()


def changeable(python: str, environ: Mapping[str, str]) -> list[str]:
    """The directories in which a task can change a Python that it finds, those that hold others first.

    Without an environment, pip may install for this user alone, into directories that are made here.
    """
    home = Path(os.path.realpath(environ.get("HOME", "/")))
    own = {home / ".local" / "bin", home / ".local" / "lib"}
    found: set[Path] = set()
    for folder, packages in _pythons(python, environ):
        if any(os.access(path, os.W_OK) for path in (folder, *packages)):
            found |= own if home.is_relative_to(folder) or folder == home / ".local" else {folder}
    with suppress(OSError):
        if not _is_in_environment(python) and home.is_dir():
            for folder in own:
                folder.mkdir(parents=True, exist_ok=True)
            found |= own
    return sorted(map(str, found))


def installed(python: str, environ: Mapping[str, str]) -> set[str]:
    """What says in these directories which packages are installed, with their versions."""
    path = f"{environ['PATH']}:{environ.get('HOME', '')}/.local/bin"
    folders = [folder for _, packages in _pythons(python, {**environ, "PATH": path}) for folder in packages]
    return {str(entry) for folder in folders for end in ("dist-info", "egg-*") for entry in folder.glob(f"*.{end}")}


def _ensure_environment(
    container: Container, python: str, environments: Path | None, environ: Mapping[str, str], log: TaskLog
) -> str:
    """The Python of an environment that has what the code requires; `python` itself if it requires nothing.

    Without a folder for environments nothing is installed, and the log says so. Raises StagingError if pip fails.
    """
    code = container.code
    if container.job.command is not None or code is None or not (code / FILE).is_file():
        return python
    if environments is None:
        log.service(f"{FILE} is not installed: {REMEDY}", "WARNING")
        return python
    environ = for_pip(environ) | container.environment([str(Path(python).parent)], environ)
    builder = _EnvironmentBuilder(python, code, environ, log)
    if _names_files_of(code):
        return builder.make(container.map("/usr/local/modelarts-environment"))
    environments.mkdir(parents=True, exist_ok=True)
    folder = environments / _fingerprint(python, (code / FILE).read_bytes(), environ)
    with _lock(folder.with_suffix(".lock"), log) as lock:
        if not (folder / _MADE).exists():
            shutil.rmtree(folder, ignore_errors=True)
            builder.make(folder, lock)
            (folder / _MADE).write_text(json.dumps({"python": python}))
    return str(folder / "bin" / "python")


@dataclass(frozen=True, slots=True)
class _EnvironmentBuilder:
    """Makes environments of one interpreter with what one code directory requires."""

    _python: str
    _code: Path
    _environ: Mapping[str, str]
    _log: TaskLog

    def make(self, folder: Path, *locks: int) -> str:
        """Make the environment; returns its Python. The locks are held until everything started here has ended."""
        self._log.service(f"installing {FILE} with {self._python}")
        made = str(folder / "bin" / "python")
        self._run([self._python, "-I", "-m", "venv", "--system-site-packages", "--without-pip", str(folder)], locks)
        self._add_packages_of_engine(made)
        if subprocess.run([made, "-I", "-c", "import pip"], capture_output=True, check=False).returncode != 0:  # noqa: S603
            self._run([made, "-I", "-m", "ensurepip", "--default-pip"], locks)
        options = ["--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
        self._run([made, "-I", "-m", "pip", "install", *options, "-r", FILE], locks)
        return made

    def _add_packages_of_engine(self, made: str) -> None:
        """Let the new environment see the packages of the interpreter's own environment, which venv leaves out."""
        ask = "import json, site, sys; print(json.dumps([sys.prefix != sys.base_prefix, site.getsitepackages()]))"
        is_environment, seen = json.loads(_response([self._python, "-I", "-c", ask]))
        if is_environment:
            own = Path(json.loads(_response([made, "-I", "-c", ask]))[1][0])
            lines = [f"import site; site.addsitedir({path!r})\n" for path in seen]
            (own / "modelarts-engine.pth").write_text("".join(lines))

    def _run(self, command: Sequence[str], locks: Sequence[int]) -> None:
        last: deque[bytes] = deque(maxlen=_LAST)
        process = subprocess.Popen(  # noqa: S603 - the user's requirements are to be installed
            command,
            cwd=self._code,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=locks,
        )
        with process:
            try:
                for line in process.stdout or ():
                    last.append(line)
                    self._log.output(line)
                code = process.wait()
            except BaseException:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                raise
        if code != 0:
            said = b"".join(last).decode(errors="replace").strip()
            raise StagingError(
                f"{FILE} cannot be installed with {self._python} (exit code {code}); correct the file, or make its"
                f" packages available to pip (PIP_INDEX_URL, PIP_FIND_LINKS). The last lines were:\n{said}"
            )


def _response(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout  # noqa: S603


def _names_files_of(code: Path) -> bool:
    """Whether a line names something in the code directory: then the same words may mean other content elsewhere."""
    words = re.split(r"[\s=,@;]+", (code / FILE).read_text(errors="replace").replace("file:", ""))
    return any(word and (word.startswith(".") or (code / word).exists()) for word in words)


def _fingerprint(python: str, content: bytes, environ: Mapping[str, str]) -> str:
    """Of everything that decides what is installed; an interpreter that was replaced is another one."""
    binary = Path(python).stat()
    about = [python, binary.st_mtime_ns, binary.st_size, sorted(for_pip(environ).items()), content.hex()]
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:32]


@contextmanager
def _lock(path: Path, log: TaskLog) -> Iterator[int]:
    """Hold the lock, from now or from when its holders have ended; yields its descriptor."""
    held = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            log.service(f"waiting for another task that installs the same {FILE}")
            fcntl.flock(held, fcntl.LOCK_EX)
        yield held
    finally:
        os.close(held)
