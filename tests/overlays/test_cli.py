"""The command: finds its commands, and says what to install for those it cannot run."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import modelarts_toolkit
from modelarts_toolkit.cli.commands import GROUP, Commands, modelarts
from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.install import install_command


@pytest.fixture
def distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed distribution `extra-tools` with commands of its own."""
    info = tmp_path / "extra_tools-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: extra-tools\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[{GROUP}]\nhello = extra_tools:hello\nneedy = extra_tools_needy:command\nodd = extra_tools:odd\n"
    )
    (tmp_path / "extra_tools.py").write_text(
        "import click\nodd = 3\n\n@click.command()\ndef hello():\n    'Greet.'\n    click.echo('hello')\n"
    )
    (tmp_path / "extra_tools_needy.py").write_text("import a_library_nobody_has\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_the_package_is_the_command_and_knows_its_version() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "modelarts_toolkit", "--version"], capture_output=True, text=True, check=True
    )

    assert done.stdout == f"modelarts {modelarts_toolkit.__version__}\n"


def test_an_installed_distribution_adds_its_commands(distribution: Path) -> None:
    assert CliRunner().invoke(modelarts, ["hello"]).output == "hello\n"


def test_the_menu_loads_no_command() -> None:
    """Neither those of the toolkit nor those that come with the emulator and the contract checks."""
    program = (
        "import sys\n"
        "from modelarts_toolkit.cli import main\n"
        "sys.argv = ['modelarts', '--help']\n"
        "try:\n    main()\nfinally:\n    print(*sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    *menu, modules = done.stdout.splitlines()
    assert any(line.startswith("  emulator ") for line in menu)
    assert not set(modules.split()) & {"httpx", "yaml", "modelarts_emulator", "modelarts_contract", "modelarts_api"}


def test_the_menu_lists_what_can_run_and_what_to_install_for_the_rest(distribution: Path) -> None:
    menu = CliRunner().invoke(modelarts, ["--help"]).output

    assert "  hello       Greet." in menu
    assert "modelarts needy needs a_library_nobody_has: pip install" in " ".join(menu.split())


@pytest.mark.parametrize("arguments", [[], ["--port", "80"], ["sub", "-x"], ["--help"]])
def test_a_command_whose_library_is_missing_says_what_to_install(distribution: Path, arguments: list[str]) -> None:
    done = CliRunner().invoke(modelarts, ["needy", *arguments])

    assert done.exit_code == 1
    assert done.output == "Error: modelarts needy needs a_library_nobody_has: pip install 'extra-tools[needy]'\n"


def test_an_entry_point_that_is_not_a_command_is_rejected(distribution: Path) -> None:
    done = CliRunner().invoke(modelarts, ["odd"])

    assert (done.exit_code, done.output) == (
        1,
        "Error: modelarts odd of extra-tools cannot be loaded: not a click command\n",
    )


def test_our_errors_are_one_line_and_no_traceback() -> None:
    group = Commands("modelarts")

    @group.command()
    def fail() -> None:
        raise ConfigError("no endpoint: set MODELARTS_ENDPOINT")

    done = CliRunner().invoke(group, ["fail"])

    assert (done.exit_code, done.output) == (1, "Error: no endpoint: set MODELARTS_ENDPOINT\n")


def test_without_the_command_line_libraries_the_command_says_what_to_install() -> None:
    script = "import sys; sys.modules['click'] = None; from modelarts_toolkit.cli import main; main()"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert done.stderr == f"modelarts: the command line needs click: {install_command('cli')}\n"
