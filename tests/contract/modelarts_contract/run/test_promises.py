"""Promises at a service whose answers are malformed, or whose lists others change meanwhile."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from modelarts_contract import loopback
from modelarts_contract.run.guard import Guard
from modelarts_contract.run.promises import NotSettledError, Project, checked, pages_fit_together
from modelarts_contract.run.service import Service
from modelarts_toolkit.settings.config import Config

Answer = Callable[[dict[str, Any]], Any]


@contextmanager
def answering(answer: Answer) -> Iterator[Service]:
    """A real service, which others use, whose responses are made of the members of the request."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        body = await request.body()
        given = {
            **(json.loads(body) if body else {}),
            **{name: int(v) for name, v in request.query_params.items() if v.isdigit()},
        }
        await JSONResponse(answer(given))(scope, receive, send)

    with loopback.serving(app) as url:
        guard = Guard(Config(endpoint=url, iam_endpoint=url, token="t", project_id="p"), None, 1e6)
        yield Service({"MODELARTS_ENDPOINT": url, "MODELARTS_PROJECT_ID": "p"}, "t", {}, "contract-", guard=guard)


@pytest.mark.parametrize(
    "malformed",
    [{"items": [{}], "total": 1}, {"items": []}, {"items": [], "total": "1"}, {"items": None}, {}, [], None, "?"],
    ids=repr,
)
def test_no_answer_ends_a_run(malformed: Any) -> None:
    """Every promise gets a verdict; a total may be missing."""
    with answering(lambda _: malformed) as service:
        found = list(checked(service, ["v2"]))

    assert len(found) > 5
    statuses = {result.name: result.status for result in found}
    assert statuses["pages fit together"] == ("kept" if malformed == {"items": []} else "broken")


def pages(things: Callable[[], list[str]]) -> Answer:
    """A list of these things in pages."""

    def answer(given: dict[str, Any]) -> Any:
        now, limit, offset = things(), given.get("limit", 50), given.get("offset", 0)
        shown = now[offset * limit :][:limit]
        return {"items": [{"metadata": {"id": each}} for each in shown], "total": len(now)}

    return answer


def test_a_neighbour_who_creates_and_deletes_between_two_looks_breaks_nothing() -> None:
    """Both looks at the whole list are alike, and what came and went is on the pages between them."""
    asked, numbers = itertools.count(), itertools.count()

    def things() -> list[str]:
        is_between = next(asked) % 12 in range(1, 11)  # ten pages between the two looks at the whole list
        return [f"neighbour-{next(numbers)}"] * is_between + [f"a{number}" for number in range(7)]

    with answering(pages(things)) as service, Project(service) as project, pytest.raises(NotSettledError):
        pages_fit_together(project)


def test_pages_that_are_wrong_in_the_same_way_each_time_are_broken() -> None:
    def answer(given: dict[str, Any]) -> Any:
        return pages(lambda: [f"a{number}" for number in range(7)])(
            {**given, "offset": given.get("offset", 0) + (given.get("limit") == 3)}
        )

    with (
        answering(answer) as service,
        Project(service) as project,
        pytest.raises(AssertionError, match="pages of 3 are not the list") as caught,
    ):
        pages_fit_together(project)

    assert not isinstance(caught.value, NotSettledError)
