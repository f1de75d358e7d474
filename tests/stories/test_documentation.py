"""What the pages of the documentation show is right: a newcomer who does it sees what they print.

So do the README, the notebook of the examples, and the pictures of the terminal.

Python is checked by mypy as well; commands that are not run here are parsed (`tests/overlays/cli`).
"""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from modelarts_emulator.server import Emulator

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text("utf-8")
BLOCK = re.compile(r"^```(.*?)\n(.*?)^```", re.DOTALL | re.MULTILINE)
# Pages whose programs run one after the other, in a folder with the repository's examples, beside a running emulator.
RUN = (
    "index.md",
    "tutorials/first-job.md",
    "tutorials/hyperparameter-search.md",
    "how-to/connect.md",
    "how-to/generated-client.md",
    "how-to/vendor-sdk.md",
    "how-to/contract.md",
    "how-to/version-1.md",
)
COMMANDS = ("tutorials/command-line.md",)  # run as well; they have no Python
# Blocks of these pages that are neither a program nor what one prints, by how they begin: to become fewer.
NOT_PRINTED = {
    "tutorials/first-job.md": ["python test-pytorch.py --data_url="],  # what the service runs
    "how-to/connect.md": ["default_profile =", "MODELARTS_REGION="],  # files and variables of the user
    "how-to/contract.md": [f"modelarts contract {command} " for command in ("run", "run --service", "record", "diff")],
    "how-to/version-1.md": ["job_name: sum\n"],  # a file
}
TESTED = ("tutorials/pipeline-tests.md", "tutorials/exam.md", "how-to/contract.md", "how-to/errors.md")
# Parts of programs, with what stands before them when they are checked.
CLIENT = "from modelarts_toolkit import ModelArts\nma = ModelArts()\n"
PARTS = {
    "adding-an-executor.md": "",
    "how-to/add-a-check.md": "",
    "jobs.md": f'{CLIENT}job_id = ""\n',
    "configuration.md": CLIENT,
    "emulator-control.md": "from modelarts_emulator.server import Emulator\nemulator = Emulator()\n",
    "moxing.md": "",
    "object-storage.md": f'# mypy: disable-error-code="import-not-found"\n{CLIENT}',
}
# What names in the prose of pages and parameters of tests stand for.
CLASSES = {"AkSkAuth", "AsyncModelArts", "Config", "Exam", "Job", "JobFailed", "Jobs", "ModelArts", "Progress", "Rows"}
TYPES = f"""
from collections.abc import Callable
from typing import Any

from modelarts_emulator.server import Emulator
from modelarts_toolkit import {", ".join(sorted(CLASSES))}
"""
NAMES = {
    "emulator": "Emulator",
    "emulator_environment": "dict[str, str]",
    "job": "Job",
    "ma": "ModelArts",
    "modelarts": "ModelArts",
    "modelarts_exam": "Callable[..., Exam]",
    "progress": "Progress",
    "rows": "Rows",
}
# Why the commands of a page are not run here: the test that runs them, or what they need.
NOT_RUN = {
    "index.md": "tests/stories/test_documentation.py",
    "cli.md": "their jobs and files are examples",
    "emulator-control.md": "tests/emulator/control/test_routes.py",
    "security.md": "it opens the machine to others",
    "how-to/add-a-check.md": "tests/contract/modelarts_contract/run/test_hooks.py",
    "how-to/add-a-document.md": "they change the clone: tests/scripts/test_generate.py",
    "how-to/ci.md": "tests/stories/test_ci_examples.py",
    "how-to/front-ends.md": "they need PostgreSQL: tests/stories/test_front_ends.py",
    "how-to/generated-client.md": "tests/generated/test_alone.py",
    "how-to/gpus.md": "tests/overlays/cli/test_run_accelerators.py",
    "how-to/install.md": "tests/stories/test_documentation.py",
    "how-to/page.md": "tests/stories/test_page.py",
    "how-to/slurm.md": "tests/stories/test_the_page_on_slurm.py",
    "how-to/regenerate.md": "they change the clone: tests/stories/test_documentation.py",
    "tutorials/exam.md": "tests/overlays/cli/test_exam.py",
    "how-to/version-1.md": "tests/stories/test_v1_use_case.py",
}
# Runs the blocks of standard input, [language, text] each, and prints a line with the number before each of them.
NEWCOMER = """
import json, subprocess, sys
names = {"__name__": "__main__"}
for number, (language, text) in enumerate(json.load(sys.stdin)):
    print(f"block {number}", flush=True)
    if language == "python":
        exec(compile(text, f"block {number}", "exec"), names)
    else:
        subprocess.run(["sh", "-ec", text], check=True)
"""


@dataclass
class Block:
    """A program of a page; `shown` is what the page says that it prints, if it says so."""

    language: str
    text: str
    shown: str | None = None


def blocks(page: str) -> list[Block]:
    """The programs of the page; where these are run, what follows one is what it prints, unless it is listed."""
    others, is_run = [*NOT_PRINTED.get(page, [])], page in {*RUN, *COMMANDS}
    found: list[Block] = []
    for language, text in BLOCK.findall((DOCS / page).read_text("utf-8")):
        if language in ("python", "sh", "bash", "console"):
            found.append(Block(language, text))
        elif others and text.startswith(others[0]):
            del others[0]
        elif is_run:
            assert found, (
                f"{page}: a program has to come before what it prints, or NOT_PRINTED lists the block:\n{text}"
            )
            assert found[-1].shown is None, f"{page} shows that one program prints this, too:\n{text}"
            found[-1].shown = text
    assert not others, f"{page} has no such block any more: take it out of NOT_PRINTED: {others}"
    return found


def pages_with(*languages: str) -> set[str]:
    pages = (str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))
    return {page for page in pages if any(block.language in languages for block in blocks(page))}


def run(
    *command: str | Path, cwd: Path, given: str | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **variables}
    return subprocess.run(
        command, cwd=cwd, env=environment, input=given, capture_output=True, text=True, check=False, timeout=300
    )


def test_every_program_of_every_page_is_run_or_has_a_reason() -> None:
    """Also a page that is new; a test that is the reason exists."""
    assert pages_with("python") == {*RUN, *TESTED, *PARTS}
    assert sum(map(len, NOT_PRINTED.values())) <= 8
    assert pages_with("sh", "bash", "console") - {*RUN, *COMMANDS} <= set(NOT_RUN)
    named = {path for reason in NOT_RUN.values() for path in re.findall(r"tests/\S+", reason)}
    assert {path for path in named if not (ROOT / path).exists()} == set()


def test_a_secret_that_a_page_shows_can_be_pasted_and_is_none() -> None:
    """An ellipsis is no ASCII, so that it cannot even be sent."""
    shown = [text for page in DOCS.rglob("*.md") for _, text in BLOCK.findall(page.read_text("utf-8"))]

    secret = r"(?i)\w*(?:key|password|token)\w*[\"']? ?[=:] ?[\"']?…"
    assert [line for text in shown for line in text.splitlines() if re.search(secret, line)] == []


def test_install_lines_are_the_same_on_all_pages() -> None:
    """Each names the clone as a dot and extras that exist, and the page Install lists all extras."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    table = (DOCS / "how-to/install.md").read_text("utf-8")
    assert sorted(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == sorted(extras)

    for page in (ROOT / "README.md", *DOCS.rglob("*.md")):
        for place, wanted in re.findall(r"pip install '([^'\[]*)\[([\w,]+)\]'", page.read_text("utf-8")):
            assert place == ".", page
            assert set(wanted.split(",")) <= set(extras), page


@pytest.mark.parametrize("page", [*RUN, *COMMANDS])
def test_a_newcomer_sees_what_the_page_prints(page: str, environment: dict[str, str], tmp_path: Path) -> None:
    """Its programs run as they stand, in their order; output is the same but for times, ids and numbers."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    shutil.copytree(ROOT / "openapi", tmp_path / "openapi")
    steps = [
        block
        for block in blocks(page)
        if "def test_" not in block.text and (block.language == "python" or page not in NOT_RUN)
    ]

    assert [block.shown for block in blocks(page) if block not in steps and block.shown] == []
    given = json.dumps([[step.language, step.text] for step in steps])
    done = run(sys.executable, "-W", "error", "-c", NEWCOMER, cwd=tmp_path, given=given)

    assert done.returncode == 0, done.stdout + done.stderr
    printed = re.split(r"^block \d+\n", done.stdout, flags=re.MULTILINE)[1:]
    for step, lines in zip(steps, printed, strict=True):
        if step.shown is not None:
            assert re.fullmatch(pattern(step.shown), generic(lines)), f"{page} shows\n{step.shown}it prints\n{lines}"


def generic(text: str) -> str:
    """The text without what differs from run to run: paths, ids, numbers, and the width of columns."""
    return re.sub(r"[ \t]+", " ", re.sub(r"(?<= )/\S+|\b[0-9a-f]{6,}\b|\d+(\.\d+)?", "#", text))


def pattern(shown: str) -> str:
    """What matches the generic text of an output that the page shows; a line with … stands for any lines."""
    return re.escape(generic(shown)).replace("…\\\n", "(?s:.*)")


def test_the_python_of_all_pages_passes_a_type_checker(tmp_path: Path) -> None:
    """In one run of mypy, with the README; parameters of tests that are called like fixtures have their types.

    Also the code in their prose, such as `ma.jobs.list(limit=…)`: its attributes, and the names of its arguments.
    """
    plain = "# mypy: allow-untyped-defs, allow-incomplete-defs, no-check-untyped-defs, allow-untyped-calls\n"
    known = "\n".join([TYPES, *(f"{name}: {kind}" for name, kind in NAMES.items()), "x: Any", ""])
    for page in {*pages_with("python"), "../README.md"}:
        programs = [block.text for block in blocks(page) if block.language == "python"]
        tests = [text for text in programs if "def test_" in text]
        for kind, texts in (("program", [text for text in programs if text not in tests]), ("test", tests)):
            if texts:
                name = re.sub(r"\W", "_", f"{page}_{kind}")
                before = PARTS.get(page, "") if kind == "program" else TYPES
                (tmp_path / f"{name}.py").write_text(
                    "\n".join([plain, before, *(map(with_types, texts) if kind == "test" else texts)])
                )
    for file in (*DOCS.rglob("*.md"), ROOT / "README.md"):
        if file.name not in ("decisions.md", "add-a-document.md"):  # what was, and what is to be
            name = re.sub(r"\W", "_", f"prose_{file.relative_to(ROOT)}")
            (tmp_path / f"{name}.py").write_text("\n".join([plain, known, *expressions(file.read_text("utf-8"))]))

    done = run(sys.executable, "-m", "mypy", *tmp_path.glob("*.py"), cwd=ROOT)  # whose cache knows the libraries

    assert done.returncode == 0, done.stdout


def with_types(program: str) -> str:
    """The program, in which the parameters of functions that are called like fixtures have their types."""
    return re.sub(
        r"(?<=^def )\w+\([\w, ]+\)",
        lambda head: re.sub(r"\b\w+(?=[,)])", lambda one: f"{one[0]}: {NAMES.get(one[0], 'Any')}", head[0]),
        program,
        flags=re.MULTILINE,
    )


def expressions(text: str) -> Iterator[str]:
    """The code in the prose of a page that begins with one of the known names, whose arguments are of any type."""
    names = "|".join({*NAMES} - {"modelarts"})  # which begins the names of flavors
    known = re.compile(rf"(?:{names})\.(?!.*\.?\b(?:db|json|log|yaml)$)|(?:Emulator|{'|'.join(CLASSES)})[.(]")
    for code in re.findall(r"`([^`\n]+)`", BLOCK.sub("", text)):
        if known.match(code):
            tree = ast.parse(code.replace("…", "..."), mode="eval")
            for node in ast.walk(tree):
                if isinstance(node, ast.Call):
                    node.args = [ast.Name("x") for each in node.args if ast.unparse(each) != "..."]
                    node.keywords = [ast.keyword(each.arg, ast.Name("x")) for each in node.keywords]
            yield ast.unparse(tree)


def test_the_tests_of_the_pages_pass(tmp_path: Path) -> None:
    """In a project of its own, with the plugin as users install it."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    shown = 0
    for number, page in enumerate(TESTED):
        tests = "\n".join(block.text for block in blocks(page) if "def test_" in block.text)
        (tmp_path / f"test_page_{number}.py").write_text(tests)
        shown += len(re.findall("^def test_", tests, re.MULTILINE))

    tests_of_pages = sorted(tmp_path.glob("test_page_*.py"))  # and not those of the examples
    done = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests_of_pages, cwd=tmp_path)

    assert done.returncode == 0, done.stdout
    assert f"{shown} passed" in done.stdout


def block_after(text: str, language: str) -> str:
    """The first block of this language after a text, in the same part of the page."""
    part = README.partition(text)[2].partition("\n## ")[0]
    return next(block[2] for block in BLOCK.finditer(part) if block[1] == language)


def test_the_first_use_prints_what_the_readme_says(tmp_path: Path) -> None:
    """On a new emulator."""
    with Emulator(executor="simulated") as emulator:
        program = block_after("## 1.", "python")
        done = run(sys.executable, "-c", program, cwd=tmp_path, **emulator.environment())

    assert done.returncode == 0, done.stderr
    assert done.stdout == block_after("A new emulator has no jobs", "text")


def test_the_second_use_shows_what_breaks(tmp_path: Path) -> None:
    """In a clone: the commands as printed, then what the type checker says."""
    clone = tmp_path / "clone"
    run("git", "clone", "--quiet", ROOT, clone, cwd=tmp_path)
    (clone / ".venv").symlink_to(sys.prefix)
    if (ROOT / ".mypy_cache").exists():  # so that the libraries need not be read again
        shutil.copytree(ROOT / ".mypy_cache", clone / ".mypy_cache")
    commands = block_after("## 2.", "sh").replace("make ", "make -o .venv/dev.installed ")
    done = run("bash", "-c", commands, cwd=clone)
    types = run(sys.executable, "-m", "mypy", "overlays/modelarts_toolkit/jobs/_async/jobs.py", cwd=clone)

    assert block_after("## 2.", "text") in done.stdout, done.stderr
    (expected,) = re.findall(r"`(\"StageList\" has .*)`", README)
    assert expected in types.stdout


def test_the_third_use_passes_and_finds_a_request_that_no_document_allows(tmp_path: Path) -> None:
    program = block_after("## 3.", "python")
    (tmp_path / "test_right.py").write_text(program)
    (tmp_path / "test_wrong.py").write_text(program.replace('"node_count": 1', '"node_count": 1, "nodes": 2'))

    done = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path, cwd=tmp_path)

    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "FAILED test_wrong.py" in done.stdout


def test_the_readme_says_what_a_command_needs_and_how_it_ends() -> None:
    """Where it first names a command of an extra that its install line leaves out, and one that is to fail."""
    named = README.index("`modelarts ui`")

    assert README.rindex("pip install '.[ui]'", 0, named) > README.index("## Train in one command")
    assert "`make diff-api` ends with `Error 1`" in README.partition("## 2.")[2].partition("## 3.")[0]


def test_the_readme_and_the_page_about_installing_count_the_same_packages() -> None:
    page = (DOCS / "how-to" / "install.md").read_text("utf-8")
    counted = dict(re.findall(r"`\.\[(\w+)\]` (\d+)", page))

    assert f"`pip install '.[local]'` | the command, object storage and the emulator | {counted['local']} |" in README
    assert f"| 30; {counted['contract']} |" in README


def test_the_readme_is_read_in_one_go() -> None:
    assert len(README.splitlines()) < 150


def test_the_first_command_trains_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`modelarts run` as the README shows it, from the folder of the example, with fewer epochs."""
    (block,) = (block for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) if "modelarts run" in block)
    folder, command = block.splitlines()
    shutil.copytree(ROOT / folder.removeprefix("cd "), tmp_path / "here")
    (script,) = (tmp_path / "here").glob("code/*.py")
    script.write_text(script.read_text("utf-8").replace("default=40", "default=2"), "utf-8")
    monkeypatch.delenv("MODELARTS_EMULATOR_DATA_DIR", raising=False)
    variables = {"VIRTUAL_ENV": sys.prefix, "XDG_DATA_HOME": str(tmp_path / "no-emulator")}

    done = run(*shlex.split(command), cwd=tmp_path / "here", **variables)

    assert done.returncode == 0, done.stderr
    assert "epoch 2/2" in done.stdout
    assert (tmp_path / "here" / "outputs" / "model.npz").stat().st_size > 0


@pytest.mark.soak
def test_the_install_line_installs_what_the_programs_need(tmp_path: Path) -> None:
    """In a new environment, the README's install line brings the command, the emulator and object storage."""
    (line,) = re.findall(r"^pip install '\.(\[[\w,]+\])' numpy", README, re.MULTILINE)
    venv.create(tmp_path / "venv", with_pip=True)
    scripts = tmp_path / "venv" / "bin"

    done = run(*shlex.split(f"{scripts}/pip install --quiet"), f"{ROOT}{line}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr

    assert run(scripts / "modelarts", "emulator", "--help", cwd=tmp_path).returncode == 0
    program = "import modelarts_toolkit.storage.transfers, obstore, modelarts_emulator.server"
    done = run(scripts / "python", "-c", program, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def notebook() -> nbformat.NotebookNode:
    return nbformat.read(ROOT / "examples" / "digits.ipynb", as_version=4)


def shown_by(notebook: nbformat.NotebookNode, kind: str) -> list[str]:
    """What the cells show in this format, in their order."""
    found = (output for cell in notebook.cells for output in cell.get("outputs", ()))
    return [output["data"][kind] for output in found if kind in output.get("data", {})]


def test_the_notebook_is_stored_without_outputs(notebook: nbformat.NotebookNode) -> None:
    """They would hold names and paths of the machine that ran it."""
    assert all(not cell.outputs and cell.execution_count is None for cell in notebook.cells if cell.cell_type == "code")


def test_the_notebook_trains_a_model_and_shows_job_curve_and_list(
    notebook: nbformat.NotebookNode, environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On an emulator whose variables the kernel has, as with `modelarts emulator run -- jupyter lab`."""
    shutil.copytree(ROOT / "examples" / "digits", tmp_path / "digits")
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "matplotlib"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))

    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()

    submitted, ended, listed = shown_by(notebook, "text/html")
    assert submitted.startswith("<table><tr><th>name</th>")
    assert "<td>Completed</td>" in ended
    assert "<td>Completed</td>" in listed
    assert len(shown_by(notebook, "image/png")) == 1
    log = "".join(output.text for cell in notebook.cells for output in cell.get("outputs", ()) if "text" in output)
    assert "epoch 6/6" in log
    assert (tmp_path / "digits-outputs" / "train_url" / "model.npz").exists()


@pytest.fixture(scope="module")
def sessions():
    """The commands of each picture."""
    sys.path.insert(0, str(DOCS))
    try:
        from terminal_pictures import SESSIONS
    finally:
        sys.path.remove(str(DOCS))
    return SESSIONS


def test_each_picture_shows_the_commands_of_its_session_and_nothing_from_elsewhere(sessions) -> None:
    """Another command, or another picture, wants `python docs/terminal_pictures.py`."""
    assert {picture.stem for picture in (DOCS / "pictures").glob("*.svg")} == set(sessions)
    for name, commands in sessions.items():
        picture = (DOCS / "pictures" / f"{name}.svg").read_text("utf-8")
        lines = [unescape(line).replace("\xa0", " ") for line in re.findall(r"<text[^>]*>([^<]*)</text>", picture)]

        assert [line.removeprefix("$ ") for line in lines if line.startswith("$ ")] == list(commands), name
        assert "url(http" not in picture, name
        assert str(Path.home()) not in picture, name
