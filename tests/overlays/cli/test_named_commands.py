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
from click.shell_completion import get_completion_class
from tests.overlays.cli.conftest import ENGINE, FLAVOR, Run, Submit

from modelarts_emulator.server import Emulator
from modelarts_toolkit.cli.commands import modelarts
from modelarts_toolkit.cli.completion import VARIABLE

ROOT = Path(__file__).parents[3]
NAMED = re.compile(r"(?<![\w./-])modelarts((?: +[^\s`\"()…]+)+)")
END = ".,:;'"
HELP = {"--help", "-h"}


def texts() -> Iterator[tuple[str, str]]:
    """Texts for users with their file: constants of the packages, the causes of failures, code on pages."""
    for package in ("overlays", "emulator", "contract"):
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


@pytest.fixture
def complete(monkeypatch: pytest.MonkeyPatch):
    """`complete("job", "get", "di")`: what a shell offers for the last word."""

    def complete(*words: str, shell: str = "bash") -> list[str]:
        monkeypatch.setenv("COMP_WORDS", " ".join(("modelarts", *words)))
        monkeypatch.setenv("COMP_CWORD", words[-1] if shell == "fish" else str(len(words)))
        kind = get_completion_class(shell)
        assert kind is not None
        return kind(modelarts, {}, "modelarts", VARIABLE).complete().splitlines()

    return complete


@pytest.mark.parametrize("words", [("job", "get"), ("job", "logs", "-f")])
def test_names_of_jobs_are_completed(complete, submit: Submit, words: tuple[str, ...]) -> None:
    submit("digits-1")
    submit("letters")

    assert complete(*words, "di") == ["plain,digits-1"]


def test_engines_and_flavors_are_completed_in_their_version(complete, service: Emulator) -> None:
    assert f"plain,{FLAVOR}" in complete("job", "submit", "--flavor", "modelarts.vm.cpu")
    assert complete("job", "check", "--engine", ENGINE[:18])[0].startswith("plain,pytorch_1.8.0-cuda")
    assert complete("v1", "job", "submit", "--engine", "pytorch") == []


def test_profiles_are_completed(complete, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "profiles.toml"
    file.write_text('[profiles.work]\nregion = "eu-de"\n[profiles.home]\nendpoint = "http://127.0.0.1:9180"\n')
    monkeypatch.setenv("MODELARTS_CONFIG_FILE", str(file))

    assert complete("job", "list", "--profile", "w") == ["plain,work"]
    assert complete("config", "use", "") == ["plain,emulator", "plain,work", "plain,home"]


@pytest.mark.parametrize("words", [("job", "get", "di"), ("job", "list", "--profile", "w")])
def test_without_settings_or_service_nothing_is_completed(complete, words: tuple[str, ...]) -> None:
    assert complete(*words) == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes_a_job(run: Run, submit: Submit, tmp_path: Path) -> None:
    """With the lines that `modelarts completion bash` prints, in a real shell."""
    submit("digits")
    (tmp_path / "modelarts").symlink_to(Path(sys.executable).with_name("modelarts"))
    script = f"""
        PATH={tmp_path}:$PATH
        {run("completion", "bash").stdout}
        COMP_WORDS=(modelarts job get di) COMP_CWORD=3
        _modelarts_completion modelarts
        echo "${{COMPREPLY[@]}}"
    """

    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)

    assert done.stdout == "digits\n", done.stderr
