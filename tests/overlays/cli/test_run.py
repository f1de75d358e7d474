"""`modelarts run`: the script really runs."""

import os
import re
import sys
from pathlib import Path

import pytest
from tests.overlays.cli.conftest import JOB, Run

from modelarts_emulator.server import Emulator
from modelarts_emulator.storage.files import remove_tree
from modelarts_toolkit import ModelArts
from modelarts_toolkit.cli import run_arguments
from modelarts_toolkit.local import request

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
SUBMIT = ("job", "submit", "--code", ".", "--boot", "train.py")


@pytest.fixture
def running(store: Emulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Emulator:
    """An emulator that the environment names; the current folder has `train.py` and the folder `data`."""
    for name, value in store.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").touch()
    (tmp_path / "train.ipynb").touch()
    (tmp_path / "train.sh").touch()
    return store


def test_a_script_runs_with_its_data_and_its_outputs_come_into_the_folder(run: Run, running: Emulator) -> None:
    """Only the script's lines are on standard output; nothing of it is left in the emulator."""
    done = run("run", "train.py", "--data", "data", "--out", "out", "--", "--lr", "0.1")

    assert (done.exit_code, done.stdout) == (0, "lr 0.1\ndata ['a.csv']\n"), done.stderr
    assert Path("out/model.bin").read_text() == "weights"
    assert "1 output file in out\n" in done.stderr
    with ModelArts() as ma:
        assert ma.jobs.list() == []
        assert ma.obs.list_buckets() == []


def test_much_code_is_announced(run: Run, running: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request, "LARGE", 1_000_000)
    Path("train.py").write_text("print('hello')\n")
    with Path("big.bin").open("wb") as file:
        file.truncate(1_200_000)

    done = run("run", "train.py")

    expected = "Copying 1.2 MB of code; name what the script does not need in .modelartsignore.\n"
    assert done.stderr.count(expected) == 1


@pytest.mark.parametrize("options", [[], ["--code", "."], ["--code", "link"]])
def test_a_link_to_a_script_runs_it_where_python_would(run: Run, running: Emulator, options: list[str]) -> None:
    """With the modules beside the file to which it leads, unless an option names the code."""
    for folder in ("real", "link"):
        Path(folder).mkdir()
        Path(folder, "beside.py").write_text(f"name = {folder!r}\n")
    Path("real", "t.py").write_text("import beside\nprint(beside.name)\n")
    Path("link", "t.py").symlink_to(Path("real", "t.py").absolute())

    done = run("run", "link/t.py", *options)

    assert (done.exit_code, done.stdout) == (0, "link\n" if "link" in options else "real\n"), done.stderr
    said = f"The code is {Path('real').absolute()}, where the link of the script leads.\n"
    assert (said in done.stderr) == (not options)


@pytest.mark.parametrize("command", ["run", "exam"])
def test_a_remedy_names_the_file_of_the_option(
    run: Run, running: Emulator, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    Path("needs.txt").write_text("no-such-package-anywhere==9\n")

    done = run(command, "train.py", "--requirements", "needs.txt")

    assert done.exit_code != 0
    assert "Correct the name and the version in needs.txt; " in done.stderr


@pytest.mark.parametrize("words", [("run", "{}/train.py", "--code", "."), ("run", "-m", "train"), SUBMIT])
def test_a_current_folder_that_was_deleted_is_named(
    run: Run, running: Emulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()

    done = run(*(word.format(tmp_path) for word in words))

    assert (done.exit_code, done.stderr) == (1, "Error: the current folder was deleted: change to another one\n")


@pytest.mark.parametrize("is_new", [False, True])
def test_what_a_message_promises_to_keep_is_kept(run: Run, running: Emulator, is_new: bool) -> None:
    """Outputs that are not uploaded, and those that are not fetched, also in an emulator that ends with the run."""
    odd = "import os, sys\nos.close(os.open(os.fsencode(sys.argv[1].split('=')[1]) + b'/odd\\xff', os.O_CREAT))\n"
    Path("odd.py").write_text(odd)
    Path("out/model.bin").mkdir(parents=True)
    options = ["--new"] if is_new else []

    remaining = re.search(r"the files remain in (\S+)\n", run("run", "odd.py", "--out", "odd", *options).stderr)
    assert remaining is not None
    assert [os.fsencode(path.name) for path in Path(remaining[1]).rglob("odd?")] == [b"odd\xff"]
    fetched = run("run", "train.py", "--data", "data", "--out", "out", *options).stderr
    kept = re.search(r"kept at (\S+/)", fetched)
    assert kept is not None, fetched
    if is_new:
        assert Path(kept[1], "model.bin").read_text() == "weights"
        for place in (remaining[1], kept[1]):
            folder = next(each for each in Path(place).parents if each.name.startswith("modelarts-emulator-"))
            assert sorted(path.name for path in folder.iterdir()) == ["jobs", "objects"], place
            remove_tree(folder)
    else:
        assert running.objects.get(f"{kept[1]}model.bin") == b"weights"


def test_outputs_are_fetched_whatever_their_names_or_named(run: Run, running: Emulator) -> None:
    Path("odd.py").write_text(
        "import os, sys\nout = sys.argv[1].removeprefix('--train_url=')\nos.symlink('/nowhere', out + '/gone\\n')\n"
        "for name in ('tab\\t', 'line\\n\\r', 'back\\\\slash', ' x ', '\\x1b[31m'):\n"
        "    open(f'{out}/{name}', 'w').close()\n"
    )

    done = run("run", "odd.py", "--out", "out")

    assert done.exit_code == 1
    assert "1 file(s) could not be uploaded: gone\\n: it is a link to /nowhere" in done.stderr
    assert {file.name for file in Path("out").iterdir()} == {"tab\t", "line\n\r", "back\\slash", " x ", "\x1b[31m"}


def test_the_exit_status_is_that_of_the_script(run: Run, running: Emulator) -> None:
    """Files that it wrote beside the code, and not into the folder of outputs, are named at the end."""
    Path("fail.py").write_text(
        "import pathlib, sys\nprint('before')\npathlib.Path('model.bin').write_bytes(bytes(2_000_000))\n"
        "pathlib.Path(sys.argv[1].removeprefix('--train_url='), 'kept.bin').touch()\nsys.exit(7)\n"
    )

    done = run("run", "fail.py", "--out", "out")

    assert (done.exit_code, done.stdout) == (7, "before\n")
    assert "worker-0 ended with exit code 7. The job is gone; with --keep and an emulator that runs," in done.stderr
    assert "Not kept: model.bin (2.0 MB). Write files to keep into the folder" in done.stderr
    assert Path("out/kept.bin").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import a_module_nobody_has\n", f"has no module a_module_nobody_has: it was {sys.executable}."),
        ("import a_module_nobody_has\n", "choose another Python with --engine"),
        ("row = {}\nrow['label']\n", "Error: The script raised KeyError: 'label' at fail.py:2. The job is gone;"),
        ("from .models import Net\n", "Run it with -m: modelarts run -m "),
        ("input('lr? ')\n", "which a job does not have. Pass the value as a hyperparameter: --name=value"),
    ],
)
def test_a_script_that_cannot_run_so_says_what_to_do(run: Run, running: Emulator, text: str, said: str) -> None:
    """A module is missing, the script asks for input, or it raises an error; as `job explain` says."""
    Path("fail.py").write_text(text)

    done = run("run", "fail.py")

    assert done.exit_code == 1
    assert said in done.stderr


@pytest.mark.parametrize("options", [(), ("--code", ".")])
def test_a_relative_import_is_answered_with_the_module_to_run(
    run: Run, running: Emulator, options: tuple[str, ...]
) -> None:
    Path("proj").mkdir()
    Path("proj/train.py").write_text("from .models import Net\n")
    Path("proj/models.py").write_text("Net = 'net'\n")

    done = run("run", "proj/train.py", *options)

    assert (done.exit_code, "modelarts run -m proj.train from the folder above" in done.stderr) == (1, True), (
        done.stderr
    )
    assert run("run", "-m", "proj.train").exit_code == 0


def test_a_left_over_environment_never_leads_to_another_service(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Control token, endpoint and keys of a service, and the folder of an emulator that only simulates jobs."""
    (tmp_path / "hello.py").write_text("print('hello')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "no-emulator"))
    with Emulator(tmp_path / "service", executor="simulated", record_calls=True) as service:
        for name, value in service.environment().items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("MODELARTS_EMULATOR_DATA_DIR", str(tmp_path / "service"))

        done = run("run", "hello.py")

        assert (done.exit_code, done.stdout) == (0, "hello\n")
        assert service.calls.list() == []
        with ModelArts() as ma:
            assert ma.obs.list_buckets() == []


def test_a_module_of_a_package_imports_its_neighbours(run: Run, running: Emulator) -> None:
    """As python -m does it, from the current folder."""
    package = Path("project")
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "model.py").write_text("NAME = 'net'\n")
    (package / "train.py").write_text("import sys\nfrom .model import NAME\nprint(__name__, NAME, sys.argv[1:])\n")

    done = run("run", "-m", "project.train", "--", "--lr", "0.1")

    assert done.stdout == "__main__ net ['--lr=0.1']\n", done.stderr


def test_a_job_that_is_kept_has_its_name_and_its_log(run: Run, running: Emulator) -> None:
    Path("train.py").write_text("print('hello')\n")

    done = run("run", "train.py", "--name", "kept-job", "--keep", "--flavor", "modelarts.vm.cpu.8u")

    assert "modelarts job logs kept-job --profile emulator" in done.stderr
    with ModelArts() as ma:
        assert "hello" in list(ma.jobs.get("kept-job").logs())
        ma.jobs.get("kept-job").delete()
    running.reset()


def test_without_an_emulator_it_starts_one_of_its_own(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The script runs with the Python of the active virtual environment; the database of another one is not used."""
    monkeypatch.setenv("MODELARTS_EMULATOR_DATABASE_URL", "postgresql+psycopg://nobody@127.0.0.1:1/production")
    monkeypatch.setenv("MODELARTS_EMULATOR_DATA_DIR", str(tmp_path / "of-one-that-ended"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "no-emulator"))
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    monkeypatch.chdir(tmp_path)
    Path("hello.py").write_text("import sys\nprint(sys.prefix)\n")

    done = run("run", "hello.py")

    assert (done.exit_code, done.stdout) == (0, f"{sys.prefix}\n")
    trains = f"Training with {sys.prefix}/bin/python (VIRTUAL_ENV).\n"
    assert done.stderr == f"Starting an emulator for this run.\n{trains}"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["train.py", "--", "positional"], "a job passes arguments as --name=value, so write --name positional"),
        (
            ["train.py", "--", "--layers", "1", "2", "3", "--lr", "1"],
            "or for more values of --layers one text, --layers='1 2 3'",
        ),
        (["train.py", "--", "--flag"], "--flag has no value: a job passes arguments as --name=value, so write --flag"),
        ([], "name a script: modelarts run train.py"),
        (["train.ipynb"], "train.ipynb is a notebook: convert it first"),
        (["train.sh"], "train.sh is not a Python file"),
        (["-m", "no.such"], "the folder . has no module no.such"),
        (["train.py", "--env", "NOT_SET_ANYWHERE"], "--env NOT_SET_ANYWHERE: write NAME=VALUE"),
        (["train.py", "--flavor", "huge"], "the emulator has no flavor huge: choose one of modelarts.vm"),
        (["train.py", "--keep", "--new"], "--keep needs a running emulator"),
        (["train.py", "--code", "data"], "train.py is not in the folder data"),
        (["train.py", "--nodse", "2"], "No such option '--nodse' (did you mean --nodes?); if it is a hyperparameter"),
        (["train.py", "--data", "empty"], "empty has no files that can be data: put some there"),
        (["pipe.py"], "pipe.py is a named pipe, a socket or a device: name a file"),
        (["train.py", "--data", "pipe.py"], "pipe.py is a named pipe, a socket or a device: name a file"),
        (["train.py", "--requirements", "pipe.py"], "pipe.py is a named pipe, a socket or a device: name a file"),
        (["train.py", "--engine", "python99"], "python99 is neither a program nor a command"),
    ],
)
def test_wrong_usage_is_rejected(run: Run, running: Emulator, arguments: list[str], said: str) -> None:
    os.mkfifo("pipe.py")
    Path("empty").mkdir()

    done = run("run", *arguments)

    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())


def test_a_folder_that_cannot_take_the_outputs_is_found_before_the_script_runs(run: Run, running: Emulator) -> None:
    """Else what it trained would be lost."""
    Path("a-file").touch()

    done = run("run", "train.py", "--data", "data", "--out", "a-file/out")

    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "Error: a-file/out: Not a directory: correct the path\n"


def test_a_python_in_the_current_folder_is_not_one_of_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    python = Path(sys.executable)
    monkeypatch.setenv("PATH", str(python.parent))
    monkeypatch.chdir(tmp_path)
    Path(python.name).symlink_to(python)

    assert run_arguments.python(f"./{python.name}") == tmp_path / python.name


NAMED = """\
import argparse, pathlib
parser = argparse.ArgumentParser()
for name in ("images", "labels", "model", "logs"):
    parser.add_argument(f"--{name}", type=pathlib.Path)
given = parser.parse_args()
print([path.name for path in (*given.images.iterdir(), *given.labels.iterdir())])
(given.model / "model.bin").touch()
(given.logs / "log.txt").touch()
"""


def test_a_script_has_its_own_names_for_data_and_outputs(run: Run, running: Emulator) -> None:
    """Several of each; a plain path is data_url or train_url, and a name belongs to one path."""
    Path("own.py").write_text(NAMED)
    Path("labels.csv").touch()
    paths = ("--data", "images=data", "--data", "labels=labels.csv", "--out", "model=a=b", "--out", "logs=out/logs")

    done = run("run", "own.py", *paths)

    assert (done.exit_code, done.stdout) == (0, "['a.csv', 'labels.csv']\n"), done.stderr
    assert Path("a=b/model.bin").exists()
    assert Path("out/logs/log.txt").exists()
    both = run("run", "own.py", "--data", "x=data", "--out", "x=out").stderr
    assert "--data and --out both have the name x" in both


def test_a_script_that_writes_nothing_leaves_no_folder(run: Run, running: Emulator) -> None:
    """One that was there before stays."""
    Path("there").mkdir()
    Path("fail.py").write_text("raise SystemExit(1)\n")

    done = run("run", "fail.py", "--out", "out/deeper", "--out", "other=there")

    assert "The script wrote no outputs: it gets the folder as --train_url and --other." in done.stderr
    assert not Path("out/deeper").exists()
    assert Path("there").exists()


def test_files_that_are_not_kept_are_named_in_their_order(run: Run, running: Emulator) -> None:
    Path("train.py").write_text("for number in (10, 2, 0):\n    open(f'ckpt{number}.bin', 'w').close()\n")

    assert "Not kept: ckpt0.bin, ckpt2.bin, ckpt10.bin. Write files" in run("run", "train.py").stderr


def test_a_job_does_not_replace_the_local_outputs_of_another_one_unasked(run: Run, running: Emulator) -> None:
    """Its outputs stay in object storage; a job that failed ends the command as ever."""
    code = "import sys\nvalues = dict(each[2:].split('=') for each in sys.argv[1:])\n"
    code += "open(values['train_url'] + '/model', 'w').write(values['lr'])\nsys.exit(int(values.get('status', 0)))\n"
    Path("code").mkdir()
    Path("code/train.py").write_text(code)
    Path("job.yaml").write_text(JOB)

    done = [run("job", "submit", "job.yaml", "--parameter", *options) for options in OPTIONS]

    assert [each.exit_code for each in done] == [0, 1, 3, 0], done[0].stderr
    assert "files of others would be replaced in out, so nothing was downloaded: 'model'" in done[1].stderr
    assert "download digits-2 FOLDER" in done[1].stderr
    assert "ended with exit code 1" in done[2].stderr
    assert Path("out/model").read_text() == "4"


OPTIONS = (
    ["lr=1"],
    ["lr=2", "--name", "digits-2"],
    ["lr=3", "--parameter", "status=1"],
    ["lr=4", "--overwrite"],
)
