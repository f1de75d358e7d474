"""The examples for CI: every shell step of workflow, action, template and image runs, on the example project.

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
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
CI = ROOT / "examples" / "ci"
ONE_TEST = "tests -k larger"


class Machine:
    """A folder with the example project, and a Python that has everything but the toolkit."""

    def __init__(self, folder: Path) -> None:
        self.project, self.bin = folder / "project", folder / "env" / "bin"
        shutil.copytree(CI / "project", self.project, ignore=shutil.ignore_patterns("__pycache__"))
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


def load(name: str) -> Any:
    return yaml.safe_load((CI / name).read_text("utf-8"))


def github_steps(steps: list[dict[str, Any]], inputs: dict[str, dict[str, Any]], given: dict[str, str]) -> list[Any]:
    """The scripts of the steps with their variables; the expressions may name inputs only."""
    values = {name: given.get(name, about.get("default")) for name, about in inputs.items()}

    def value_of(expression: re.Match[str]) -> str:
        value = values[expression[1]]
        assert value is not None, f"{expression[1]} has neither a value nor a default"
        return str(value)

    found = []
    for step in steps:
        assert ("run" in step) != ("uses" in step)
        assert "${{" not in step.get("run", ""), "an expression in a script can be made to run anything"
        if "run" in step:
            env = {name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", value_of, text) for name, text in step["env"].items()}
            found.append((step["run"], env))
    return found


def passed(machine: Machine) -> tuple[str, ...]:
    """What the report of pytest says, which is taken away."""
    report = machine.project / "modelarts-tests.xml"
    text = report.read_text("utf-8")
    report.unlink()
    counts = re.search(r'<testsuite [^>]*errors="(\d+)" failures="(\d+)" skipped="\d+" tests="(\d+)"', text)
    return counts.groups() if counts else ()


def test_the_steps_of_the_composite_action_run(machine: Machine, toolkit: str) -> None:
    """With a requirements file, and all tests of the project."""
    action = load("github/action.yml")
    (machine.project / "requirements.txt").write_text("httpx\n")
    given = {"toolkit": toolkit, "requirements": "requirements.txt"}

    for script, variables in github_steps(action["runs"]["steps"], action["inputs"], given):
        machine.run(script, variables)

    assert passed(machine) == ("0", "0", "2")
    assert {step["shell"] for step in action["runs"]["steps"]} == {"bash"}


def test_the_steps_of_the_reusable_workflow_run(machine: Machine, toolkit: str) -> None:
    workflow = load("github/modelarts-tests.yml")
    inputs = workflow[True]["workflow_call"]["inputs"]  # YAML reads `on` as true

    for script, variables in github_steps(
        workflow["jobs"]["tests"]["steps"], inputs, {"toolkit": toolkit, "tests": ONE_TEST}
    ):
        machine.run(script, variables)

    assert passed(machine) == ("0", "0", "1")


def test_the_scripts_of_the_template_run(machine: Machine, toolkit: str) -> None:
    """Those of the tests in Python, and of a command in any language beside an emulator."""
    template = load("gitlab/modelarts-tests.yml")
    command = "bash -c env"
    variables = {**template["variables"], "TOOLKIT": toolkit, "TESTS": ONE_TEST, "COMMAND": command}

    for name, printed in (("modelarts-tests", "1 passed"), ("modelarts-emulator-tests", "MODELARTS_ENDPOINT=http://")):
        job = template[name]
        script = "\n".join([*job["before_script"], *job["script"]])
        output = machine.run(script, variables)
        machine.run("\n".join(job.get("after_script", ["true"])), variables)
        assert printed in output

    assert passed(machine) == ("0", "0", "1")


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
        process.communicate(timeout=30)

    assert process.returncode == 0
    assert by_name["USER"] == "1000"


def read_containerfile(path: Path) -> list[tuple[str, str]]:
    lines = [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return [(name, text) for name, _, text in (line.partition(" ") for line in lines)]
