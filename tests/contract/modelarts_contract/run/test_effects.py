"""The steps of stories: an effect that is not seen breaks the story, and one that is seen keeps it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from modelarts_contract import proxy
from modelarts_contract.documents import operations
from modelarts_contract.proxy import ProxyRequest, ProxyResponse
from modelarts_contract.run.effects import MORE, EffectError, show_effects, typed
from modelarts_contract.run.judging import Judge
from modelarts_contract.run.service import Service
from modelarts_contract.run.story import Story

TOKEN = "token-of-the-tests"
SHOW: dict[str, Any] = {"call": "showTrainingJobDetails", "path": {"training_job_id": "1"}}
STOP = {"call": "stopTrainingJob", "path": {"training_job_id": "1"}, "body": {"action_type": "terminate"}}
THERE, GONE = (200, {"metadata": {"id": "1"}}), (404, {"error_code": "ModelArts.2751", "error_msg": "It is not found."})
RUNNING, ENDED = ((200, {"metadata": {"id": "1"}, "status": {"phase": phase}}) for phase in ("Running", "Completed"))


class Quick(Service):
    """A service that shows effects at once."""

    effect_s = lag_s = deletion_s = 0.05
    patience_s = 30.0


@contextlib.contextmanager
def judging(*responses: tuple[int, Any]) -> Iterator[Judge]:
    """A judge of a service that gives these responses in turn, and then the last one again and again."""
    ahead = list(responses)

    def handle(request: ProxyRequest, forward: object) -> ProxyResponse:
        status, body = ahead.pop(0) if len(ahead) > 1 else ahead[0]
        return ProxyResponse(status, json.dumps(body).encode(), {"content-type": "application/json"})

    with proxy.serving("http://127.0.0.1:9", handle) as url:
        environment = {"MODELARTS_ENDPOINT": url, "MODELARTS_PROJECT_ID": "p"}
        with Judge(Quick(environment, TOKEN, {}, "contract-"), ("v2",)) as judge:
            yield judge


@pytest.mark.parametrize(
    ("step", "responses", "missing"),
    [
        ({"absent": True}, [THERE], "it is still there"),
        ({"absent": True}, [THERE, GONE], None),
        ({"expect": {"/a": "$any"}}, [(200, {"a": []})], "/a is [], and '$any' was to be expected"),
        ({"expect": {"/a": "$any"}}, [(200, {})], "/a is None, and '$any' was to be expected"),
        ({"expect": {"/a": "$any"}}, [(200, {"a": 0})], None),
        ({"expect": {"/a": "$none"}}, [(200, {"a": 0})], "/a is 0, and '$none' was to be expected"),
        ({"expect": {"/a": "$none"}}, [(200, {"a": ""})], None),
        ({"expect": {"/a": "x"}}, [(200, {"a": "y"})], "/a is 'y', and 'x' was to be expected"),
        ({"has": {"/a/*/b": 2}}, [(200, {"a": [{"b": 1}]})], "/a/*/b lacks 2"),
        ({"has": {"/a/*/b": 2}}, [(200, {"a": [{"b": 1}, {"b": 2}]})], None),
        ({"lacks": {"/a/*/b": 2}}, [(200, {"a": [{"b": 1}, {"b": 2}]})], "/a/*/b still has 2"),
        ({"lacks": {"/a/*/b": 2}}, [(200, {"a": [{"b": 1}]})], None),
        ({**STOP, "rejected": [409]}, [(202, {})], "status 202, and a rejection was to be expected"),
        ({**STOP, "rejected": [409]}, [GONE], "status 404, and a rejection was to be expected"),
        ({**STOP, "rejected": [404]}, [GONE], None),
    ],
)
def test_what_a_step_names_has_to_be_seen(step: Any, responses: Any, missing: str | None) -> None:
    """A request that reads is sent again until it is, or time is over."""
    whole, said = {**SHOW, **step}, None

    with judging(*responses) as judge:
        try:
            show_effects(judge, "v2", [whole], {"known": {}})
        except EffectError as problem:
            said = str(problem)

    assert said == (missing and f"{whole['call']}: {missing}")


@pytest.mark.parametrize(("step", "looks"), [({"lasts": True}, MORE), ({}, 1)])
def test_the_end_of_a_job_is_looked_at_again(step: Any, looks: int) -> None:
    """A few times where the step says that it lasts; what goes on after the lag is a finding."""
    whole = {**SHOW, "waits": True, "expect": {"/status/phase": "Completed"}, **step}
    with judging(RUNNING, RUNNING, *[ENDED] * looks, RUNNING) as judge:
        show_effects(judge, "v2", [whole], {"known": {}})

    asked = [exchange.response_body for exchange in judge.exchanges]
    assert len(asked) == 3 + looks
    found = [each.kind.value for each in judge.outcomes()["v2"].findings]
    assert ("phase" in found) is ("lasts" in step), found


@pytest.mark.parametrize(
    ("response", "status", "reason", "findings"),
    [
        ((202, {}), "broken", "deleteTrainingJob: status 202, and a rejection was to be expected", ["story"]),
        ((409, {"error_code": "ModelArts.2758", "error_msg": "It is not stopped."}), "kept", "", []),
    ],
)
def test_a_story_says_how_it_went(response: Any, status: str, reason: str, findings: list[str]) -> None:
    """What breaks it is a finding of the step's operation, too."""
    with judging(response) as judge:
        story = Story(judge, "/bucket/code/", lambda _: None)
        story.known |= {"engine": {}, "flavor_id": "small"}
        step = {"call": "deleteTrainingJob", "path": {"training_job_id": "1"}, "rejected": [409]}
        promise = story.run_story("v2", "a job runs on", [step])

    found = [each.kind.value for each in judge.outcomes()["v2"].findings]
    assert (promise.name, promise.status, promise.reason) == ("story: a job runs on", status, reason)
    assert [check for check in found if check == "story"] == findings, found


def test_a_number_that_a_response_has_written_as_a_text_is_sent_as_a_number() -> None:
    """At any depth, and where the document has a number; what looks like one elsewhere stays a text."""
    body: dict[str, Any] = {
        "job_name": "7",
        "config": {"spec_id": "7", "worker_server_num": 1, "parameter": [{"label": "a", "value": "5"}]},
    }

    sent = typed(operations("v1")["createTrainingJob"], body)

    assert sent == {**body, "config": {**body["config"], "spec_id": 7}}
    assert body["config"]["spec_id"] == "7"
