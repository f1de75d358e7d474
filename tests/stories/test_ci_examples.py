"""The examples for CI: every shell step of workflow, template, script and image runs, on the example project.

Steps run as written, but for the network: the toolkit is a wheel of this tree, its libraries are those of this Python.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname
from xml.etree import ElementTree

import pytest
import yaml

from modelarts_emulator.server import Emulator

pytestmark = pytest.mark.ci

ROOT = Path(__file__).parents[2]
CI = ROOT / "examples" / "ci"
INSTALL = "bash modelarts-ci.sh install"
QUICK = {"RATE": "1000", "DOCUMENTS": "iam"}  # of nightly runs


class Machine:
    """A folder with the example project, and a Python that has everything but the toolkit.

    The toolkit is `installed` at most once: three seconds.
    """

    def __init__(self, folder: Path) -> None:
        self.installed = ""
        self.project, self.bin = folder / "project", folder / "env" / "bin"
        venv.create(folder / "env", with_pip=False)
        (places,) = (folder / "env" / "lib").glob("python*/site-packages")
        (places / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
        # pip sees these libraries as installed, and asks no index for others; 0 turns the isolation of builds off.
        self.environment = {
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "HOME": str(folder),
            "PIP_NO_INDEX": "1",
            "PIP_NO_BUILD_ISOLATION": "0",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_ROOT_USER_ACTION": "ignore",
            "PIP_NO_COMPILE": "1",
            "PYTEST_ADDOPTS": "-p no:schemathesis -p no:hypothesispytest -p no:xdist",
        }

    def run(self, script: str, variables: dict[str, str], cwd: Path | None = None) -> str:
        """Run the script as the services of CI do; returns what it printed."""
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=cwd or self.project,
            env=self.environment | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        return done.stdout

    def install(self, variables: dict[str, str]) -> None:
        """Run the step that installs, unless another job has."""
        if self.installed != variables["TOOLKIT"]:
            self.run(INSTALL, variables)
            self.installed = variables["TOOLKIT"]


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    return Machine(tmp_path_factory.mktemp("machine"))


@pytest.fixture(scope="module")
def toolkit(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder), "."]
    subprocess.run(command, cwd=ROOT, check=True)
    return next(folder.glob("*.whl")).as_uri()


@pytest.fixture(scope="module")
def next_toolkit(toolkit: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a wheel whose documents have a new field, which breaks nobody."""
    wheel = Path(url2pathname(urlsplit(toolkit).path))
    changed = tmp_path_factory.mktemp("next") / wheel.name
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(changed, "w") as new:
        for entry in old.infolist():
            content = old.read(entry)
            if entry.filename == "modelarts_openapi/v2.json":
                document = json.loads(content)
                document["components"]["schemas"]["JobMetadata"]["properties"]["mood"] = {"type": "string"}
                content = json.dumps(document).encode()
            new.writestr(entry, content)
    return changed.as_uri()


def load(name: str) -> Any:
    return yaml.safe_load((CI / name).read_text("utf-8"))


@pytest.fixture(scope="module")
def service() -> Iterator[dict[str, str]]:
    """The variables that lead to a service, for which an emulator stands."""
    with Emulator(executor="simulated") as emulator:
        yield emulator.environment()


@pytest.fixture
def project(machine: Machine) -> Machine:
    """The example project in a repository, with documents."""
    shutil.rmtree(machine.project, ignore_errors=True)
    shutil.copytree(CI / "project", machine.project, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CI / "modelarts-ci.sh", machine.project)
    shutil.copytree(ROOT / "openapi", machine.project / "openapi")
    who = "-c user.name=A -c user.email=a@example.com -c commit.gpgsign=false"
    commit = f"git init -q -b main && git add . && git {who} commit -q -m One"
    machine.run(commit, {})
    return machine


def run_of_github(job: str, machine: Machine, values: dict[str, str]) -> str:
    """Run each shell step of a job, the last ones also after a failure; `values` are those of expressions."""

    def with_values(texts: dict[str, str]) -> dict[str, str]:
        return {
            name: re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda found: values[found[1]], text) for name, text in texts.items()
        }

    workflow = load("github/modelarts.yml")
    described = workflow["jobs"][job]
    variables = {**with_values(workflow["env"]), **with_values(described.get("env", {}))}
    variables |= QUICK
    variables["GITHUB_STEP_SUMMARY"] = str(machine.project / "step-summary.md")
    for step in described["steps"]:
        assert ("run" in step) != ("uses" in step), step
        assert "${{" not in step.get("run", ""), "an expression in a script can be made to run anything"
        if step.get("run") == INSTALL:
            machine.install(variables)
        elif "run" in step:
            machine.run(step["run"], variables)
    return (machine.project / "step-summary.md").read_text("utf-8")


def passed(file: Path) -> tuple[int, int, int]:
    """Errors, failures and tests of a report."""
    root = ElementTree.parse(file).getroot()
    counts = [
        tuple(int(suite.get(name, 0)) for name in ("errors", "failures", "tests")) for suite in root.iter("testsuite")
    ]
    return tuple(map(sum, zip(*counts, strict=True)))  # type: ignore[return-value]


def values_of(service: dict[str, str], toolkit: str, next_toolkit: str) -> dict[str, str]:
    """The values of expressions in the workflow."""
    values = {f"vars.{name}": text for name, text in service.items()}
    values |= {f"secrets.{name}": text for name, text in service.items()}
    return {**values, "vars.MODELARTS_TOOLKIT": toolkit, "vars.MODELARTS_TOOLKIT_NEXT": next_toolkit}


def test_the_steps_of_github_run(project: Machine, toolkit: str, next_toolkit: str, service: dict[str, str]) -> None:
    """Tests, comparison and nightly run, with reports and a summary of each."""
    values = values_of(service, toolkit, next_toolkit)

    tests = run_of_github("tests", project, values)
    diff = run_of_github("diff", project, values)
    nightly = run_of_github("nightly", project, values)

    reports = project.project / "reports"
    assert "2 passed" in tests
    assert passed(reports / "tests.xml") == (0, 0, 2)
    assert "mood: new" in diff
    assert "The contract is kept" in nightly
    assert passed(reports / "nightly.xml")[:2] == (0, 0)


def test_the_jobs_of_gitlab_run_the_steps_of_github() -> None:
    """Which the test above runs."""
    steps = {
        name: [step["run"] for step in job["steps"] if step.get("run", "").startswith("bash")]
        for name, job in load("github/modelarts.yml")["jobs"].items()
    }
    template = load("gitlab/modelarts.yml")
    shared = template.pop(".modelarts")

    assert {job["extends"] for job in template.values()} == {".modelarts"}
    assert {name: shared["before_script"] + job["script"] for name, job in template.items()} == {
        f"modelarts-{name}": commands for name, commands in steps.items()
    }
    assert shared["artifacts"]["reports"]["junit"] == "reports/*.xml"


def test_the_steps_run_in_a_plain_shell_and_a_failure_is_their_exit_status(project: Machine, toolkit: str) -> None:
    """With a requirements file, arguments of pytest, and a change that breaks a client; an unknown step is named."""
    (project.project / "requirements.txt").write_text("httpx\n")
    variables = {"TOOLKIT": toolkit, "REQUIREMENTS": "requirements.txt"}
    parameter = project.project / "openapi/v2/parameters/ProjectId.yaml"
    parameter.write_text(
        parameter.read_text("utf-8").replace("schema:", "x-a: b\nschema:").replace("type: string", "type: integer")
    )

    project.run("bash modelarts-ci.sh install", variables)
    project.run("bash modelarts-ci.sh tests -k larger", variables)
    project.run("! bash modelarts-ci.sh diff", variables)
    project.run("! bash modelarts-ci.sh everything", variables)

    summary = (project.project / "reports/summary.md").read_text("utf-8")
    assert "1 passed, 1 deselected" in summary
    assert "changes since main:openapi break a client." in summary


@pytest.mark.parametrize(("step", "missing"), [("", "step"), ("install", "TOOLKIT"), ("nightly", "MODELARTS_ENDPOINT")])
def test_what_is_not_set_is_named_with_exit_status_2(step: str, missing: str, tmp_path: Path) -> None:
    """Another status than that of a broken contract."""
    command = ["bash", str(CI / "modelarts-ci.sh"), *filter(None, [step])]
    done = subprocess.run(command, cwd=tmp_path, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True)

    assert (done.returncode, done.stderr.partition(" ")[0]) == (2, missing)


def test_the_image_holds_an_emulator_that_serves(machine: Machine, tmp_path: Path) -> None:
    """Its files are copied, its commands run and its health is asked, in a folder that stands for the root."""
    instructions = read_containerfile(CI / "Containerfile")

    def here(text: str) -> str:
        return re.sub(r"(?<![\w.])/(build|data)\b", rf"{tmp_path}/\1", text)

    process = None
    for name, text in instructions:
        if name == "COPY":
            *sources, target = text.split()
            for source in sources:
                place = Path(here(target), Path(source).name) if target.endswith("/") else Path(here(target))
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copytree(ROOT / source, place) if (ROOT / source).is_dir() else shutil.copy(ROOT / source, place)
        elif name == "RUN":
            machine.run(here(text), {}, cwd=tmp_path)
    by_name = dict(instructions)
    entry = [*json.loads(here(by_name["ENTRYPOINT"])), *json.loads(by_name["CMD"])]
    entry[entry.index("0.0.0.0")] = "127.0.0.1"
    command = [str(machine.bin / entry[0]), *entry[1:], "--port", "0", "--obs-port", "0"]
    process = subprocess.Popen(command, env=machine.environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        endpoint = re.findall(r"http://[\d.:]+", process.stdout.readline())[0]
        health = json.loads(by_name["HEALTHCHECK"].partition("CMD ")[2])
        machine.run(shlex.join(health).replace("http://127.0.0.1:9180", endpoint), {}, cwd=tmp_path)
    finally:
        process.terminate()
        process.communicate(timeout=300)

    assert process.returncode == 0
    assert by_name["USER"] == "1000"


def read_containerfile(path: Path) -> list[tuple[str, str]]:
    lines = [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return [(name, text) for name, _, text in (line.partition(" ") for line in lines)]
