"""Commands that messages, help and pages name: they exist, with their options."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

import click
import pytest
from tests.overlays.cli.conftest import Run

from modelarts_toolkit.cli.commands import modelarts

ROOT = Path(__file__).parents[3]
NAMED = re.compile(r"(?<![\w./-])modelarts((?: +[^\s`\"()…]+)+)")
END = ".,:;'"
HELP = {"--help", "-h"}


def texts() -> Iterator[tuple[str, str]]:
    """Texts for users with their file: constants of packages and pictures, the causes of failures, code on pages."""
    for package in ("overlays", "emulator", "contract", "docs"):
        for file in (ROOT / package).rglob("*.py"):
            text, name = file.read_text("utf-8"), str(file.relative_to(ROOT))
            if not re.search(r"\bmodelarts\b", text):
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield name, node.value
    causes = ROOT / "overlays" / "modelarts_toolkit" / "jobs" / "causes.toml"
    yield causes.name, causes.read_text("utf-8")
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        if page.name not in ("decisions.md", "CHANGELOG.md"):
            text = page.read_text("utf-8")
            blocks = re.findall(r"^```(?:sh|bash|console)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
            for code in (*re.findall(r"`([^`\n]+)`", text), *blocks):
                yield str(page.relative_to(ROOT)), re.sub(r"\\\n|  #.*", " ", code)


def problem_of(words: list[str]) -> str:
    """What is wrong with a command; "" if nothing, or if the text does not go on with one."""
    command: click.Command = modelarts
    context = click.Context(modelarts, info_name="modelarts")
    known = HELP
    for word in words:
        plain = word.rstrip(END)
        if isinstance(command, click.Group) and not plain.startswith("-") and known == HELP:
            found = command.get_command(context, plain)
            if found is None:
                is_meant = plain.islower() and plain.isalpha()
                if command is modelarts:  # a sentence may go on after the name of the command
                    is_meant = bool(get_close_matches(plain, command.list_commands(context), 1, 0.75))
                return f"{context.command_path} has no command {plain}" if is_meant else ""
            command, context = found, click.Context(found, parent=context, info_name=plain)
        elif plain == "--":
            return ""
        elif re.fullmatch(r"--?[a-z][a-z-]*", plain.partition("=")[0]):
            if command.context_settings.get("ignore_unknown_options"):
                return ""
            known = HELP | {name for each in command.get_params(context) for name in (*each.opts, *each.secondary_opts)}
            if plain.partition("=")[0] not in known:
                return f"{context.command_path} has no option {plain}"
        if word != plain:
            return ""
    return ""


def test_every_command_that_is_named_exists() -> None:
    """A remedy that cannot be carried out is worse than none."""
    wrong = {
        f"{file}: {problem}: modelarts{named}"
        for file, text in texts()
        for named in NAMED.findall(text)
        if (problem := problem_of(named.split()))
    }

    assert wrong == set()


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes_a_command(run: Run, tmp_path: Path) -> None:
    """With the lines that `modelarts completion bash` prints, in a real shell."""
    (tmp_path / "modelarts").symlink_to(Path(sys.executable).with_name("modelarts"))
    script = f"""
        PATH={tmp_path}:$PATH
        {run("completion", "bash").stdout}
        COMP_WORDS=(modelarts job exp) COMP_CWORD=2
        _modelarts_completion modelarts
        echo "${{COMPREPLY[@]}}"
    """

    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)

    assert done.stdout == "explain\n", done.stderr
