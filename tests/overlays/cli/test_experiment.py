"""`modelarts experiment`, `modelarts job tag`, and the lists of jobs that are found by them."""

import json

from tests.overlays.cli.conftest import Run, Submit

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
