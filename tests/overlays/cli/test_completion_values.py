"""What shells complete, as their scripts ask for it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import get_completion_class
from tests.overlays.cli.conftest import ENGINE, FLAVOR, Run, Submit

from modelarts_emulator.server import Emulator
from modelarts_toolkit.cli.commands import modelarts
from modelarts_toolkit.cli.completion import VARIABLE


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
