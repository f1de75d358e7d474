"""`modelarts experiment`, `modelarts job tag`, and the lists of jobs that are found by them."""

import json
from pathlib import Path

import pytest
from tests.overlays.cli.conftest import ENGINE, FLAVOR, Run, Submit

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts


def names(run: Run, *arguments: str) -> list[str]:
    documents = json.loads(run("job", "list", *arguments, "-o", "json").stdout)
    return [each["metadata"]["name"] for each in documents]


def test_jobs_are_found_by_their_tags(run: Run, submit: Submit) -> None:
    """A job has all tags that are asked for; a key alone stands for any value."""
    for name, tags in (("first", ["team=vision", "draft="]), ("second", ["team=vision"]), ("third", ["team=text"])):
        submit(name)
        assert run("job", "tag", name, *tags).exit_code == 0
    removed = run("job", "tag", "first", "--remove", "draft", "level=a=b", "-o", "json")

    assert json.loads(removed.stdout) == [{"key": "level", "value": "a=b"}, {"key": "team", "value": "vision"}]
    assert names(run, "--tag", "team=vision") == ["second", "first"]
    assert names(run, "--tag", "team", "--limit", "2") == ["third", "second"]
    assert names(run, "--tag", "team=vision", "--tag", "level") == ["first"]
    assert names(run, "fir", "--tag", "draft") == []
    assert "'=x' is not a tag" in run("job", "list", "--tag", "=x").stderr


def test_an_experiment_is_created_shown_and_deleted(run: Run, ma: ModelArts, submit: Submit) -> None:
    """Its jobs are found by its name or id; one that has jobs is not deleted."""
    created = json.loads(run("experiment", "create", "digits", "--description", "first try", "-o", "json").stdout)
    key = created["metadata"]["id"]
    inside = submit("outside").as_request(name="inside")
    inside["metadata"]["training_experiment_reference"] = {"id": key}
    job = ma.jobs.submit(inside)

    assert names(run, "--experiment", "digits") == names(run, "--experiment", key) == ["inside"]
    assert run("job", "tag", "inside", "team=vision").exit_code == 0
    assert names(run, "in", "--experiment", "digits", "--tag", "team") == ["inside"]
    assert run("experiment", "list").stdout.splitlines()[1].split()[:3] == ["digits", key, "1"]
    assert "first try" in run("experiment", "show", "digits").stdout
    assert "still has jobs" in run("experiment", "delete", "digits", "--yes").stderr
    job.delete()
    assert run("experiment", "delete", "digits", stdin="n\n").exit_code == 1
    assert run("experiment", "delete", "digits", "--yes").exit_code == 0
    assert "The project has no experiments." in run("experiment", "list").stderr


def test_flavors_are_listed_by_type(run: Run, service: Emulator) -> None:
    lines = run("flavor", "list").stdout.splitlines()
    cpu = json.loads(run("flavor", "list", "--type", "cpu", "-o", "json").stdout)

    assert lines[0].split() == ["FLAVOR", "TYPE", "CORES", "MEMORY", "ACCELERATORS", "NODES"]
    assert any(line.startswith(f"{FLAVOR} ") for line in lines)
    assert {each["flavor_type"] for each in cpu} == {"CPU"}


def test_engines_are_found_by_a_part_of_their_names(run: Run, service: Emulator) -> None:
    found = json.loads(run("engine", "list", "PYTORCH", "-o", "json").stdout)

    assert ENGINE in [each["engine_id"] for each in found]
    assert len(found) < len(json.loads(run("engine", "list", "-o", "json").stdout))
    assert "No engines found." in run("engine", "list", "none").stderr


@pytest.fixture
def stored(ma: ModelArts) -> str:
    """The id of a stored algorithm."""
    created = ma.v2.algorithms.create_algorithm(
        {
            "metadata": {"name": "digits"},
            "job_config": {
                "code_dir": "/work/code/",
                "boot_file": "/work/code/train.py",
                "engine": {"engine_id": ENGINE},
            },
        }
    )
    return str(created.metadata.id)


def test_an_algorithm_is_listed_shown_and_deleted(run: Run, stored: str) -> None:
    assert "digits" in run("algorithm", "list").stdout
    assert "/work/code/train.py" in run("algorithm", "get", stored).stdout
    assert run("algorithm", "delete", stored, stdin="n\n").exit_code == 1
    assert run("algorithm", "delete", stored, "--yes").exit_code == 0
    assert "The project has no algorithms." in run("algorithm", "list").stderr
    assert run("algorithm", "get", stored).exit_code == 6


def test_an_algorithm_is_created_from_a_file(run: Run, service: Emulator) -> None:
    """Its id is the result; a wrong request is one sentence."""
    text = f"""
metadata: {{name: from-file}}
job_config:
  code_dir: /work/code/
  boot_file: /work/code/train.py
  engine: {{engine_id: {ENGINE}}}
  parameters: [{{name: dist, value: False}}]
"""

    done = run("algorithm", "create", "-", stdin=text)

    assert done.exit_code == 0, done.stderr
    created = json.loads(run("algorithm", "get", done.stdout.strip(), "-o", "json").stdout)
    assert created["job_config"]["parameters"][0]["value"] == "False"
    assert done.stderr == "Created algorithm from-file.\n"
    assert run("algorithm", "create", "-", stdin=text).exit_code == 6


@pytest.fixture
def folder(service: Emulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder with `data`; there is a bucket `work`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.txt").write_text("a")
    return tmp_path


def test_files_go_there_and_back(run: Run, folder: Path) -> None:
    """An object becomes a file of the name that is given, or a file in a folder."""
    assert run("obs", "cp", "data", "obs://work/data/").exit_code == 0
    assert run("obs", "cp", "data/a.txt", "obs://work/b.txt").exit_code == 0

    assert [each["url"] for each in json.loads(run("obs", "ls", "obs://work/data/", "-o", "json").stdout)] == [
        "obs://work/data/a.txt"
    ]
    run("obs", "cp", "obs://work/data/", "back")
    run("obs", "cp", "obs://work/b.txt", "c.txt")
    run("obs", "cp", "obs://work/b.txt", "back")
    assert [Path(name).read_text() for name in ("back/a.txt", "back/b.txt", "c.txt")] == ["a"] * 3
    assert not list(folder.glob(".modelarts-*"))


def test_a_sync_sends_what_changed_and_removes_the_rest(run: Run, service: Emulator, folder: Path) -> None:
    run("obs", "sync", "data", "obs://work/data/")
    service.objects.put("obs://work/data/old.txt", "old")
    Path("data/b.txt").write_text("b")

    done = json.loads(run("obs", "sync", "data", "obs://work/data/", "-o", "json").stdout)

    assert done == {"files": 1, "bytes": 1, "unchanged": 1, "removed": 1}


def test_a_folder_is_deleted_after_a_question(run: Run, service: Emulator, folder: Path) -> None:
    run("obs", "cp", "data", "obs://work/data/")

    asked = run("obs", "rm", "obs://work/data/", stdin="n\n")

    assert (asked.exit_code, "Delete 1 object below obs://work/data/?" in asked.stderr) == (1, True)
    assert run("obs", "rm", "obs://work/data/", "--yes").stdout == "Deleted  1\n"
    assert "Nothing found at obs://work/data/." in run("obs", "ls", "obs://work/data/").stderr


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["cp", "data", "back"], 2, "one of SOURCE and TARGET is obs://bucket/..."),
        (["cp", "obs://work/a", "obs://work/b"], 2, "one of SOURCE and TARGET is obs://bucket/..."),
        (["cp", "missing", "obs://work/"], 1, "missing: No such file or directory"),
        (["cp", "obs://work/none", "x"], 1, "there is nothing at obs://work/none"),
        (["ls", "work"], 1, '"work" is not an OBS path'),
        (["ls", "obs://no-such-bucket/"], 1, 'bucket "no-such-bucket" does not exist'),
        (["ls", "obs://no-such-bucket/"], 1, "create it: modelarts obs mb no-such-bucket"),
    ],
)
def test_errors_are_one_sentence(run: Run, folder: Path, arguments: list[str], status: int, said: str) -> None:
    done = run("obs", *arguments)

    assert done.exit_code == status
    assert said in done.stderr
