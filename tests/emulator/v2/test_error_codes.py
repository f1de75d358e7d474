"""Every code that the service documents for training is provoked here, or it is said why no client can do so.

Those of jobs that cannot be run as asked are provoked in `test_submission`, and those of limits in `test_jobs`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.emulator.tuning.conftest import make_policy
from tests.emulator.v2.conftest import ALGORITHMS, CREATE, DAY_S, Stage
from tests.emulator.v2.test_jobs import NUMBERS
from tests.emulator.v2.test_submission import DEFINITIONS, REJECTIONS, VALUES

from modelarts_emulator.execution.protocol import TaskReport


def twice(create: Callable[[Any], httpx.Response], body: Any) -> httpx.Response:
    assert create(body).status_code == 201
    return create(body)


def filtered(key: str, operator: str, value: list[str]) -> dict[str, Any]:
    return {"filters": [{"key": key, "operator": operator, "value": value}]}


def searching(stage: Stage, **changes: Any) -> httpx.Response:
    """Ask for a hyperparameter search whose policy has these members."""
    return stage.create_with(policies={"auto_search": make_policy(**changes)})


OBS = {"obs": {"obs_url": "/cnnorth4-job-test-v2/pytorch/"}}

PROVOCATIONS: dict[int, tuple[int, Callable[[Stage], httpx.Response]]] = {
    2751: (400, lambda s: twice(s.create, s.api.job_body())),
    2755: (400, lambda s: s.get(f"{ALGORITHMS}/no-such-algorithm")),
    2763: (400, lambda s: s.create_changed("spec.resource.flavor_id", "modelarts.pool.visual.xlarge")),
    2764: (400, lambda s: s.get("/training-job-flavors?flavor_type=TPU")),
    2767: (400, lambda s: s.create_with(parameters=[{"name": "a", "value": "1"}] * 2)),
    2775: (400, lambda s: s.get(f"{CREATE}/no-such-job")),
    2776: (204, lambda s: s.get(f"{CREATE}/{s.running_job()}/tasks/worker-0/logs/preview")),
    2777: (204, lambda s: s.get(f"{CREATE}/{s.running_job()}/metrics/worker-0")),
    2783: (
        400,
        lambda s: s.create_with(inputs=[{"name": "a", "remote": {"dataset": {"id": "d", "version_id": "v"}}}]),
    ),
    2786: (404, lambda s: s.api.http.get("/v2/another-project/training-job-flavors")),
    2787: (400, lambda s: s.api.call("POST", CREATE, content=b'{"kind": NaN}')),
    2790: (400, lambda s: s.get(f"{ALGORITHMS}?sort_by=colour")),
    2796: (409, lambda s: s.act(s.ended_job(), "terminate")),
    2802: (
        400,
        lambda s: s.create_with(code_dir="/cnnorth4-job-test-v2/pytorch/fast_example/code/cpu/test-pytorch.py"),
    ),
    2803: (405, lambda s: s.api.call("PATCH", CREATE)),
    2807: (400, lambda s: s.search(**filtered("colour", "in", ["red"]))),
    2808: (400, lambda s: s.search(**filtered("name", "between", ["a", "b"]))),
    2809: (400, lambda s: s.search(**filtered("create_time", "between", ["yesterday", ""]))),
    2813: (409, lambda s: s.act(s.running_job(), "restart")),
    2818: (400, lambda s: s.get(f"{CREATE}/{s.running_job()}/tasks/worker-0/logs/url")),
    2821: (400, lambda s: twice(lambda body: s.api.call("POST", ALGORITHMS, json=body), s.api.algorithm_body())),
    2824: (400, lambda s: searching(s, reward_attrs=[{"name": "accuracy", "mode": "max", "regex": "a"}] * 2)),
    2826: (400, lambda s: searching(s, algo_configs=[{"name": "no_such_search"}])),
    2840: (
        400,
        lambda s: s.create_with(engine={"engine_id": "mindspore_1.6.0-cann_5.0.3.6-py_3.7-euler_2.8.3-aarch64"}),
    ),
    2854: (400, lambda s: s.create_with(inputs=[{"name": "a", "remote": {"pfs": {"pfs_path": "/"}}}])),
    2858: (400, lambda s: s.create_with(subscription_id="market", item_version_id="1")),
    2859: (400, lambda s: s.create_with(working_dir="here")),
    2890: (404, lambda s: s.create_changed("spec.resource.pool_id", "no-such-pool")),
}

# A test can still get each of these: POST /_emulator/faults takes any documented code.
OUT_OF_REACH: dict[int, str] = {
    2750: "evaluation jobs are another service",
    2752: "algorithms have no versions here; a name that is taken is 2821",
    2771: "no page says who may change what",
    2782: "the emulator has no datasets, so none whose version could be missing: 2783",
    2784: "a token that is not valid is 0203, upon which clients log in again",
    2785: "agencies are not emulated: the emulator is always authorised",
    2789: "filters that are not supported have codes of their own, 2807 to 2809",
    2799: "nothing limits the rate",
    2810: "images are not pulled",
    2811: "images are not shared",
    2812: "the service was seen to reject unknown actions with 2788",
    2816: "limits are in the document, and what exceeds them is 2788",
    2815: "tests/emulator/test_isolation.py has a project whose quota is used up",
    2820: "a log that exists has a path",
    2822: "a log without an export path can be linked to as well",
    2830: "no page says when a custom image needs an engine_id",
    2832: "no page says which engines are discontinued",
    2833: "no page says how many jobs a free flavor allows",
    2834: "no page lists data types; a remote that is none is 2854",
    2836: "no page says which path it means; an unknown address is the gateway's APIG.0101",
    2845: "images are not pulled",
    2855: "no request has a run_user",
    2878: "requests are served one after the other, so no status changes in the middle",
    2886: "pools are not emulated: 2890",
    2887: "pools are not emulated: 2890",
    2889: "pools are not emulated: 2890",
    **dict.fromkeys(range(2950, 2960), "a failure of the service or of one behind it"),
}

# What the table of codes has for training jobs and algorithms; the others are about evaluation, federation, images.
DOCUMENTED = {
    *(2750, 2751, 2752, 2753, 2755, 2757, 2758, 2759, 2760, 2761, 2763, 2764, 2765, 2766, 2767, 2768, 2769, 2770),
    *(2771, 2775, 2776, 2777, 2780, 2781, 2782, 2783, 2784, 2785, 2786, 2787, 2788, 2789, 2790, 2791, 2792, 2793),
    *(2796, 2799, 2802, 2803, 2806, 2807, 2808, 2809, 2810, 2811, 2812, 2813, 2814, 2815, 2816, 2818, 2819, 2820),
    *(2821, 2822, 2824, 2825, 2826, 2830, 2832, 2833, 2834, 2836, 2840, 2845, 2854, 2855, 2857, 2858, 2859, 2878),
    *(2886, 2887, 2889, 2890, *range(2950, 2960)),
}


@pytest.mark.parametrize("number", sorted(PROVOCATIONS))
def test_a_client_that_provokes_a_documented_code_gets_it_under_its_documented_status(
    stage: Stage, number: int
) -> None:
    status, provoke = PROVOCATIONS[number]

    response = provoke(stage)

    assert response.status_code == status, response.text
    if status != 204:
        assert response.json()["error_code"] == f"ModelArts.{number}"
        assert response.json()["error_msg"]
        assert response.json()["error_solution"]


def test_the_log_of_a_job_whose_tasks_never_started_is_cleared_like_any_other_but_not_one_that_is_exported(
    stage: Stage,
) -> None:
    """It can neither be read nor linked to."""
    export = {"obs_url": f"/{stage.api.bucket}/logs/"}
    cleared, kept = stage.api.submit(), stage.api.submit(log_export_path=export)
    for job_id in (cleared, kept):
        stage.puppet.report(job_id, TaskReport("worker-0", "ended", None, stage.now[0], 1, "there is no such input"))
        stage.puppet.log_file(job_id, "worker-0").write_bytes(b"no input\n")
        stage.api.wait_for_phase(job_id, "Failed")

    assert stage.log_after(31 * DAY_S, cleared).json()["error_code"] == "ModelArts.2819"
    assert stage.get(f"{CREATE}/{cleared}/tasks/worker-0/logs/url").json()["error_code"] == "ModelArts.2819"
    assert stage.get(f"{CREATE}/{kept}/tasks/worker-0/logs/preview").json()["content"] == "no input\n"


def test_every_documented_code_is_provoked_or_out_of_reach() -> None:
    of_numbers = {int(code[-4:]) for *_, code in NUMBERS.values() if code.startswith("ModelArts.2")}
    of_rejections: set[Any] = {each[-1] for each in (*REJECTIONS, *DEFINITIONS, *VALUES)} - {None, 102}
    provoked = set(PROVOCATIONS) | of_numbers | of_rejections

    assert provoked | set(OUT_OF_REACH) == DOCUMENTED
    assert not provoked & set(OUT_OF_REACH)
