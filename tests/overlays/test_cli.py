"""The command: finds its commands, and says what to install for those it cannot run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import modelarts_toolkit
from modelarts_toolkit.cli.commands import Commands
from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.install import install_command
from modelarts_toolkit.urls import checked_url, is_loopback, plain_url


def test_the_package_is_the_command_and_knows_its_version() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "modelarts_toolkit", "--version"], capture_output=True, text=True, check=True
    )

    assert done.stdout == f"modelarts {modelarts_toolkit.__version__}\n"


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


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install 'modelarts-toolkit[cli,obs]'"),
        (
            {"url": "file:///srv/a%20clone", "dir_info": {"editable": True}},
            "pip install -e '/srv/a clone[cli,obs]'",
        ),
        ({"url": "file:///srv/clone", "dir_info": {}}, "pip install '/srv/clone[cli,obs]'"),
        (
            {"url": "file:///tmp/modelarts_toolkit-1-py3-none-any.whl", "archive_info": {}},
            "pip install 'modelarts-toolkit[cli,obs] @ file:///tmp/modelarts_toolkit-1-py3-none-any.whl'",
        ),
        (
            {"url": "https://git.example.com/tool.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "pip install 'modelarts-toolkit[cli,obs] @ git+https://git.example.com/tool.git@abc'",
        ),
    ],
)
def test_extras_come_from_where_the_distribution_came_from(
    origin: Any, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is not on the index, or is somebody else's there, must not be installed from it."""
    info = tmp_path / "modelarts_toolkit-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: modelarts-toolkit\nVersion: 1\n")
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin))
    monkeypatch.syspath_prepend(str(tmp_path))

    assert install_command("cli", "obs") == command


def test_every_public_name_can_be_had_and_no_other() -> None:
    values = {name: getattr(modelarts_toolkit, name) for name in modelarts_toolkit.__all__}

    assert [name for name, value in values.items() if isinstance(value, type) and value.__name__ != name] == []
    assert values.keys() <= {*dir(modelarts_toolkit)}
    with pytest.raises(AttributeError, match="no attribute 'Modelart'"):
        getattr(modelarts_toolkit, "Modelart")  # noqa: B009 - the name is the point


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import modelarts_toolkit", {"httpx", "attrs", "modelarts_api"}),
        ("from modelarts_toolkit import ModelArts", {"obstore", "platformdirs", "tomllib", "attrs"}),
    ],
)
def test_nothing_is_loaded_before_it_is_needed(code: str, unwanted: set[str]) -> None:
    script = f"import sys\n{code}\nprint(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()

    assert not unwanted & set(loaded)


@pytest.mark.parametrize("host", ["localhost.example.com", "notlocalhost", "10.0.0.1", "0.0.0.0", "127.0.0.1.nip", ""])
def test_any_other_name_is_not_this_machine(host: str) -> None:
    """Keys of the emulator's variables must not be sent there, but to a loopback address."""
    assert not is_loopback(host)
    assert all(map(is_loopback, ["127.0.0.1", "127.8.9.10", "::1", "localhost", "bucket.localhost"]))


@pytest.mark.parametrize("url", ["https://iam.example.com", "https://iam.example.com/", "https://iam.example.com/v3/"])
def test_an_address_of_iam_is_compared_without_its_version(url: str) -> None:
    assert plain_url(url) == "https://iam.example.com"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("example.com", r"endpoint is not a URL: 'example.com' \(write it as https://HOST or https://HOST:PORT\)"),
        *((url, "endpoint is not a URL") for url in ("http://[::1", "http://h:99999", "http://h:80x", "http://a b")),
        *((url, "endpoint is not a URL") for url in ("http://h\r\nX: y", "http://a\\b")),
        ("ftp://example.com", "endpoint is not a URL"),
        ("https://", "endpoint is not a URL"),
        ("https://user@example.com", "leave out user, password and query"),
        ("https://example.com?a=1", "leave out user, password and query"),
        ("https://example.com#a", "leave out user, password and query"),
    ],
)
def test_an_invalid_address_of_a_service_is_rejected(url: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        checked_url("endpoint", url)
