"""`modelarts run`: the script really runs."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.overlays.cli.conftest import Run

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.cli.run import Python, parameters_of

SCRIPT = """\
import argparse, pathlib, sys
parser = argparse.ArgumentParser()
for name in ("data_url", "train_url", "lr"):
    parser.add_argument(f"--{name}")
arguments, _ = parser.parse_known_args()
print("lr", arguments.lr)
print("data", sorted(path.name for path in pathlib.Path(arguments.data_url).iterdir()))
pathlib.Path(arguments.train_url, "model.bin").write_text("weights")
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with Emulator(tmp_path_factory.mktemp("run") / "data") as emulator:
        yield emulator


@pytest.fixture
def running(server: Emulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Emulator:
    """An emulator that the environment names; the current folder has `train.py` and the folder `data`."""
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").touch()
    return server


def test_a_script_runs_with_its_data_and_its_outputs_come_into_the_folder(run: Run, running: Emulator) -> None:
    """Only the script's lines are on standard output; nothing of it is left in the emulator."""
    done = run("run", "train.py", "--data", "data", "--out", "out", "--", "--lr", "0.1")

    assert (done.exit_code, done.stdout) == (0, "lr 0.1\ndata ['a.csv']\n"), done.stderr
    assert Path("out/model.bin").read_text() == "weights"
    assert "1 output files in out" in done.stderr
    with ModelArts() as ma:
        assert ma.jobs.list() == []
        assert ma.obs.list("obs://modelarts-run/") == []


def test_outputs_that_cannot_be_fetched_are_kept(run: Run, running: Emulator) -> None:
    """A folder stands where a file should go."""
    Path("out/model.bin").mkdir(parents=True)

    done = run("run", "train.py", "--data", "data", "--out", "out", "-q")

    kept = re.search(r"kept at (obs://\S+/): modelarts obs cp", done.stderr)
    assert done.exit_code == 1
    assert kept is not None
    assert "Error: out/model.bin: Is a directory: name a file instead" in done.stderr
    assert running.objects.get(f"{kept[1]}model.bin") == b"weights"
    with ModelArts() as ma:
        ma.obs.delete(kept[1])


def test_the_exit_status_is_that_of_the_script(run: Run, running: Emulator) -> None:
    Path("fail.py").write_text("import sys\nprint('before')\nsys.exit(7)\n")

    done = run("run", "fail.py", "-q")

    assert (done.exit_code, done.stdout) == (7, "before\n")
    assert "worker-0 ended with exit code 7" in done.stderr


def test_a_missing_module_says_which_python_ran_and_how_to_choose_another(run: Run, running: Emulator) -> None:
    Path("fail.py").write_text("import a_module_nobody_has\n")

    done = run("run", "fail.py")

    assert done.exit_code == 1
    assert f"has no module a_module_nobody_has: it was {sys.executable}." in done.stderr
    assert "choose another Python with --engine" in done.stderr


def test_all_nodes_are_shown_with_their_names_and_the_platform_on_request(run: Run, running: Emulator) -> None:
    Path("train.py").write_text("print('hello')\n")

    done = run("run", "train.py", "--nodes", 2, "-v")

    assert {"[worker-0] hello", "[worker-1] hello"} <= set(done.stdout.splitlines())
    assert "[ModelArts Service Log]" in done.stdout


def test_the_python_can_be_named_as_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or as a path, relative to the current folder."""
    python = Path(sys.executable)
    monkeypatch.setenv("PATH", str(python.parent))
    monkeypatch.chdir(python.parent.parent)

    for named in (python.name, f"{python.parent.name}/{python.name}"):
        assert Python().convert(named, None, None) == python


def test_a_python_in_the_current_folder_is_not_one_of_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    python = Path(sys.executable)
    monkeypatch.setenv("PATH", str(python.parent))
    monkeypatch.chdir(tmp_path)
    Path(python.name).symlink_to(python)

    assert Python().convert(f"./{python.name}", None, None) == tmp_path / python.name


def test_without_an_emulator_it_starts_one_of_its_own(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The script runs with the Python of the active virtual environment; the database of another one is not used."""
    monkeypatch.setenv("MODELARTS_EMULATOR_DATABASE_URL", "postgresql+psycopg://nobody@127.0.0.1:1/production")
    monkeypatch.delenv("MODELARTS_EMULATOR_TOKEN", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "no-emulator"))
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    monkeypatch.chdir(tmp_path)
    Path("hello.py").write_text("import sys\nprint(sys.prefix)\n")

    done = run("run", "hello.py")

    assert (done.exit_code, done.stdout, done.stderr) == (0, f"{sys.prefix}\n", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.py"], "File 'missing.py' does not exist"),
        (["train.py", "--data", "missing"], "Path 'missing' does not exist"),
        (["train.py", "--", "positional"], "a job passes arguments as --name=value, so write --name positional"),
        (["train.py", "--", "--flag"], "--flag has no value"),
        (["train.py", "--code", "data"], "train.py is not in the folder data"),
        (["train.py", "--lr", "0.1"], "write -- before it: SCRIPT -- --lr VALUE"),
        (["train.py", "--nodse", "2"], "No such option '--nodse' (did you mean --nodes?); if it is a hyperparameter"),
        (["train.py", "--engine", "python99"], "python99 is neither a program nor a command"),
    ],
)
def test_wrong_usage_is_rejected(run: Run, running: Emulator, arguments: list[str], said: str) -> None:
    done = run("run", *arguments)

    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())


def test_an_error_before_anything_was_uploaded_is_the_one_that_is_reported(
    run: Run, running: Emulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not that there is nothing to delete afterwards."""
    monkeypatch.setattr("modelarts_toolkit.cli.run.BUCKET", "no-such-bucket")

    done = run("run", "train.py", "--code", "data")

    assert done.exit_code == 2
    assert "train.py is not in the folder data" in done.stderr


def test_a_folder_that_cannot_take_the_outputs_is_found_before_the_script_runs(run: Run, running: Emulator) -> None:
    """Else what it trained would be lost."""
    Path("a-file").touch()

    done = run("run", "train.py", "--data", "data", "--out", "a-file/out")

    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "Error: a-file/out: Not a directory: correct the path\n"


def test_help_says_how_arguments_arrive_and_which_are_rejected(run: Run) -> None:
    text = " ".join(run("run", "--help").stdout.split())

    assert "the script gets each as one argument, --name=value, spaces in the value included" in text
    assert "Positional arguments and flags without a value are rejected" in text


def test_arguments_become_hyperparameters() -> None:
    assert parameters_of(["--lr", "0.1", "--name=a=b", "--offset", "-1"]) == [
        {"name": "lr", "value": "0.1"},
        {"name": "name", "value": "a=b"},
        {"name": "offset", "value": "-1"},
    ]
