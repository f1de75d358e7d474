"""`pip-requirements.txt` is installed before the job starts, into an environment of the engine's Python, once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from tests.local_servers import LocalHandler, serving

if TYPE_CHECKING:
    from tests.emulator.execution.conftest import Bench

REPORT = "import json, sys, {0}; print('found', json.dumps([{0}.VALUE, {0}.__file__, sys.prefix]))"


def wheel(folder: Path, name: str, version: str = "1.0", value: str = "") -> Path:
    """A package with one module that holds the value."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", f"VALUE = {value or version!r}\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


PASSWORD = "only-for-pip"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the packages and the environments of all tests: what one has installed, the next one finds."""
    folder = tmp_path_factory.mktemp("requirements")
    (folder / "wheels").mkdir()
    wheel(folder / "wheels", "asked_for")
    wheel(folder / "wheels", "wanted_by_two")
    return folder


@pytest.fixture
def wheels(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where pip finds packages; it asks nobody else, although a setting names another place with a password."""
    folder = shared / "wheels"
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_NO_WARN_CONFLICTS", "0")  # to compare all installed packages takes two seconds
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", f"https://user:{PASSWORD}@localhost/simple")
    return folder


def submit(bench: Bench, requirements: str, script: str, **members: object) -> str:
    """Start a job whose code asks for the requirements; returns its id."""
    job = bench.spec(script, **members)
    bench.store.put("data", f"{job.job_id}/code/pip-requirements.txt", requirements.encode())
    bench.executor.submit(job)
    return job.job_id


def found(bench: Bench, job_id: str) -> list[str]:
    """What the script of `REPORT` said."""
    line = next((line for line in bench.log(job_id).splitlines() if line.startswith("found ")), None)
    assert line is not None, bench.log(job_id)
    value: list[str] = json.loads(line.removeprefix("found "))
    return value


@pytest.fixture
def installing(bench: Bench, shared: Path) -> Bench:
    """A bench whose jobs get what they require."""
    bench.executor = bench.new_executor(environments=str(shared / "environments"))
    return bench


def test_without_the_option_nothing_is_installed_and_the_log_says_so(bench: Bench, wheels: Path) -> None:
    job_id = submit(bench, "asked_for\n", "import asked_for")

    assert bench.end(job_id).exit_code == 1
    assert "[WARNING]" in bench.log(job_id)
    assert "pip-requirements.txt is not installed: start the emulator with --install-requirements" in bench.log(job_id)
    assert "No module named 'asked_for'" in bench.log(job_id)


def test_jobs_with_the_same_requirements_share_an_environment_that_adds_to_the_engine_s(
    installing: Bench, wheels: Path, shared: Path
) -> None:
    """Two tasks of one job want it at the same time as another job does; scripts do not see what only pip may know."""
    bench = installing
    script = "import os, psutil\nprint(dict(os.environ))\n" + REPORT.format("wanted_by_two")
    jobs = [submit(bench, "wanted_by_two==1.0\n", script, node_count=nodes) for nodes in (2, 1)]
    for job_id in jobs:
        assert bench.end(job_id).exit_code == 0, bench.log(job_id)

    logs = [bench.log(jobs[0], "worker-0"), bench.log(jobs[0], "worker-1"), bench.log(jobs[1])]
    assert sum("Successfully installed wanted_by_two-1.0" in log for log in logs) == 1
    assert PASSWORD not in "".join(logs) + bench.place(jobs[0]).spec.read_text()
    value, file, prefix = found(bench, jobs[0])
    assert found(bench, jobs[1]) == [value, file, prefix]
    assert (value, Path(prefix).parent) == ("1.0", shared / "environments")
    assert Path(file).is_relative_to(prefix)
    assert subprocess.run([sys.executable, "-c", "import wanted_by_two"], capture_output=True).returncode != 0


def test_a_package_among_the_code_is_installed_for_this_job_alone(
    installing: Bench, wheels: Path, tmp_path: Path
) -> None:
    """The same words may mean another file in the next job: each gets its own."""
    bench, jobs = installing, []
    for value in ("first", "second"):
        package = wheel(tmp_path, "brought_along", value=value)
        job = bench.spec(REPORT.format("brought_along"))
        bench.store.put("data", f"{job.job_id}/code/{package.name}", package.read_bytes())
        bench.store.put("data", f"{job.job_id}/code/pip-requirements.txt", f"./{package.name}\n".encode())
        bench.executor.submit(job)
        jobs.append(job.job_id)
    for job_id in jobs:
        assert bench.end(job_id).exit_code == 0, bench.log(job_id)

    assert [found(bench, job_id)[0] for job_id in jobs] == ["first", "second"]


def test_a_failure_fails_the_task_with_pip_s_own_words(installing: Bench, wheels: Path) -> None:
    bench = installing
    report = bench.end(submit(bench, "no-such-package==7\n", "print('started')"))

    assert report.exit_code == 1
    assert report.started_at is None
    assert "pip-requirements.txt cannot be installed" in (report.message or "")
    assert "No matching distribution found for no-such-package==7" in (report.message or "")
    assert "started" not in bench.log()


class Links(LocalHandler):
    """Where pip looks for packages: it gets no response until it may have one."""

    asked = threading.Event()
    may_respond = threading.Event()
    package = b""

    def do_GET(self) -> None:
        self.asked.set()
        self.may_respond.wait(300)
        page = b'<!DOCTYPE html><a href="/asked_for-1.0-py3-none-any.whl">asked_for</a>'
        body, kind = (self.package, "application/zip") if self.path.endswith(".whl") else (page, "text/html")
        with suppress(ConnectionError):
            self.respond(200, body, {"Content-Type": kind})


@pytest.fixture
def links(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Links]]:
    """Links whose responses are kept back by the test."""
    Links.asked.clear()
    Links.may_respond.clear()
    Links.package = next(wheels.glob("asked_for-*")).read_bytes()
    with serving(Links) as address:
        monkeypatch.setenv("PIP_FIND_LINKS", f"{address}/")
        yield Links
        Links.may_respond.set()


def test_a_maker_that_is_killed_leaves_the_environment_to_the_next(installing: Bench, links: type[Links]) -> None:
    """Of two jobs that want the same one makes it, is killed with its controller, and the other makes it anew."""
    bench = installing
    killed = submit(bench, "asked_for\n", "print('started')")
    assert links.asked.wait(300), bench.log(killed)
    waiting = submit(bench, "asked_for\n", REPORT.format("asked_for"))
    bench.wait_for_log("waiting for another task that installs the same", waiting)
    os.kill(json.loads(bench.place(killed).claim.read_text())["pid"], signal.SIGKILL)

    assert bench.end(killed).exit_code == 137
    links.may_respond.set()
    assert bench.end(waiting).exit_code == 0, bench.log(waiting)
    assert found(bench, waiting)[0] == "1.0"
    assert "Successfully installed asked_for-1.0" in bench.log(waiting)


def test_a_job_that_is_stopped_while_pip_works_ends_with_it(installing: Bench, links: type[Links]) -> None:
    bench = installing
    job_id = submit(bench, "asked_for\n", "print('started')")
    assert links.asked.wait(300), bench.log(job_id)
    children = psutil.Process(json.loads(bench.place(job_id).claim.read_text())["pid"]).children(recursive=True)
    bench.executor.cancel(job_id)

    assert bench.end(job_id).exit_code == 143
    assert children != []
    assert psutil.wait_procs(children, timeout=300)[1] == []
