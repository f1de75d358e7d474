"""Ids in lists: as short as they can be while a command still finds the job by them."""

from __future__ import annotations

import contextlib
import io
import json
from types import SimpleNamespace
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.overlays.cli.conftest import Run, Submit

from modelarts_toolkit import ModelArts, NotFound
from modelarts_toolkit.cli.job_choice import SHORTEST_PREFIX, find_handle, short_ids
from modelarts_toolkit.texts import distinct_prefixes

# Two digits only, so that ids share beginnings of all lengths; a version of UUIDs that begins with the time, or none.
ids = st.lists(
    st.from_regex(r"\A[01]{8}-[01]{4}-[48][01]{3}-[89][01]{3}-[01]{12}\Z"), min_size=1, max_size=9, unique=True
)


class FewJobs:
    """The jobs of a project, which are found by whole ids only."""

    def __init__(self, known: list[str]) -> None:
        self._known = [SimpleNamespace(id=each, name=f"job-{number}") for number, each in enumerate(known)]

    def get(self, job: str) -> Any:
        for each in self._known:
            if job == each.id:
                return each
        raise NotFound(404, None, "no such job", None, None, "GET", "")

    def list(self, limit: int) -> list[Any]:
        return self._known[:limit]


def shown_and_found(known: list[str], listed: list[str]) -> tuple[dict[str, str], Any]:
    """What the list shows of each id, and a function that finds a job."""
    ma: Any = SimpleNamespace(jobs=FewJobs(known))
    return short_ids(ma, [ma.jobs.get(each) for each in listed]), lambda text: find_handle(ma, text, last=False)


@given(st.lists(st.text("ab", min_size=1, max_size=12), unique=True), st.integers(1, 6))
def test_a_prefix_is_the_shortest_that_tells_an_id_from_the_others(texts: list[str], least: int) -> None:
    """An id with which another one begins stays whole."""
    prefixes = distinct_prefixes(texts, least)

    assert [*prefixes] == sorted(texts)
    for text, prefix in prefixes.items():
        others = [each for each in texts if each != text]
        assert text.startswith(prefix), text
        assert prefix == text or not any(each.startswith(prefix) for each in others), text
        assert len(prefix) <= least or any(each.startswith(prefix[:-1]) for each in others), text
        assert len(prefix) >= min(least, len(text)), text


@given(ids, st.data())
def test_a_command_finds_each_job_by_the_id_that_a_list_shows(known: list[str], data: st.DataObject) -> None:
    """Also if the list has only some of the jobs, unless ids are random: those do not begin alike by chance."""
    listed = data.draw(st.lists(st.sampled_from(known), min_size=1, unique=True))
    is_random = all(each[14] == "4" for each in listed)
    with click.Context(click.Command("get")):
        shown, find = shown_and_found(known, known if is_random else listed)

        assert [find(shown[each]).id for each in listed] == listed


@given(ids.filter(lambda known: len(known) > 1), st.data())
def test_first_characters_of_several_ids_are_an_error_that_lists_them(known: list[str], data: st.DataObject) -> None:
    prefix = data.draw(st.sampled_from(known))[: data.draw(st.integers(SHORTEST_PREFIX, 20))]
    fitting = [each for each in known if each.startswith(prefix)]
    said = io.StringIO()
    with click.Context(click.Command("get")), contextlib.redirect_stderr(said):
        _, find = shown_and_found(known, known)
        if len(fitting) == 1:
            assert find(prefix).id == fitting[0]
            return
        with pytest.raises(click.exceptions.Exit) as ended:
            find(prefix)

    assert ended.value.exit_code == 6
    assert said.getvalue().startswith(f'Error: {len(fitting)} jobs begin with "{prefix}": ')
    assert [each for each in known if each in said.getvalue()] == fitting


def test_ids_of_jobs_that_were_created_at_once_can_be_pasted(run: Run, submit: Submit, ma: ModelArts) -> None:
    """From a list of all, of some and of one; from a comparison, too."""
    made = [submit(name=f"burst-{number}").id for number in range(12)]

    for words in (["list"], ["list", "-n", "3"], ["list", "burst-7"]):
        for line in run("job", *words).stdout.splitlines()[1:]:
            name, short, *_ = line.split()

            assert json.loads(run("job", "get", short, "-o", "json").stdout)["metadata"]["name"] == name, words
    compared = run("job", "compare", *made[:2]).stdout.splitlines()[2].split()[1:]
    assert [ma.jobs.get(each).id for each in made[:2] if each.startswith(tuple(compared))] == made[:2]
    assert len(set(compared)) == 2
