"""`ma.jobs`: jobs by id or name, as handles."""

import copy
import json
import pickle
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from tests.overlays.conftest import PROJECT, Call, Service

from modelarts_toolkit import ConfigError, JobFailed, ModelArts, NotFound, ObsError
from modelarts_toolkit.jobs.info import TrainingJobInfo
from modelarts_toolkit.jobs.tables import Rows
from modelarts_toolkit.settings.config import Settings

ID = "425b7087-83de-49ab-b8c0-4ac3d7bb76a0"
OTHER = "00000000-83de-49ab-b8c0-4ac3d7bb76a0"


def job(name: str = "digits", phase: str = "Running", ident: str = ID) -> dict[str, Any]:
    return {
        "kind": "job",
        "metadata": {"id": ident, "name": name},
        "status": {"phase": phase, "tasks": ["worker-0", "worker-1"]},
        "algorithm": {"outputs": [{"name": "train_url", "remote": {"obs": {"obs_url": "/bucket/out/"}}}]},
    }


class Jobs:
    """A training service that knows some jobs and notes what it is asked."""

    def __init__(self, *jobs: dict[str, Any]) -> None:
        self.jobs = {job["metadata"]["id"]: job for job in jobs}
        self.calls: list[str] = []
        self.bodies: list[Any] = []
        self.others: dict[str, Any] = {}  # responses by the end of their path

    def __call__(self, request: httpx.Request) -> httpx.Response:
        place = request.url.path.removeprefix(f"/v2/{PROJECT}")
        self.calls.append(f"{request.method} {place}")
        self.bodies.append(json.loads(request.content) if request.content else None)
        for end, response in self.others.items():
            if place.endswith(end):
                return response(request) if callable(response) else httpx.Response(200, json=response)
        if place == "/training-job-searches":
            return self._search(self.bodies[-1])
        if place == "/training-jobs":
            return httpx.Response(201, json={"metadata": {"id": ID, **self.bodies[-1]["metadata"]}, "status": {}})
        found = self.jobs.get(place.split("/")[2])
        if found is None:
            return httpx.Response(400, json={"error_code": "ModelArts.2775", "error_msg": "Job not found."})
        if place.endswith("/actions"):
            found["status"]["phase"] = "Terminating"
        return httpx.Response(200, json=found)

    def _search(self, query: dict[str, Any]) -> httpx.Response:
        found = list(self.jobs.values())
        for condition in query.get("filters", []):
            values = condition["value"]
            if condition["key"] == "name":
                found = [job for job in found if values[0] in job["metadata"]["name"]]
            else:
                found = [job for job in found if job["status"]["phase"] in values]
        page = found[query["offset"] * 50 :][: query.get("limit", 50)]
        return httpx.Response(200, json={"total": len(found), "items": page})


@pytest.fixture
def run(do: Call, service: Service) -> Any:
    """`run(jobs, *steps)`: what these steps with a client of this service come to."""

    def run(jobs: Any, *steps: Any) -> Any:
        service.responses = jobs
        return do(*steps)

    return run


def test_a_job_is_found_by_its_name_among_similar_ones_and_an_id_is_not_looked_up(run: Any) -> None:
    jobs = Jobs(job("digits-1", ident=OTHER), job("digits"))

    found = run(jobs, lambda ma: ma.jobs.get("digits"))

    assert (found.id, found.name, found.phase, found.is_terminal) == (ID, "digits", "Running", False)
    assert repr(found) == f"<{type(found).__name__} digits {ID[:8]} Running>"
    assert "<table" in found._repr_html_()
    assert run(jobs, lambda ma: ma.jobs.get(ID)).name == "digits"
    assert jobs.calls == ["POST /training-job-searches", *[f"GET /training-jobs/{ID}"] * 2]


@pytest.mark.parametrize("name", ["nowhere", OTHER])
def test_a_job_that_does_not_exist_is_not_found_in_the_words_of_the_service(run: Any, name: str) -> None:
    with pytest.raises(NotFound, match="Job not found"):
        run(Jobs(job()), lambda ma: ma.jobs.get(name))


def test_a_list_is_filtered_by_the_service_and_ends_at_its_limit(run: Any) -> None:
    jobs = Jobs(*(job(f"digits-{n}", ident=f"{n:08x}{ID[8:]}") for n in range(120)), job("old", "Failed", ID))

    assert len(run(jobs, lambda ma: ma.jobs.list())) == 121
    assert [each.name for each in run(jobs, lambda ma: ma.jobs.list(phase=["Failed"]))] == ["old"]
    assert [each.name for each in run(jobs, lambda ma: ma.jobs.list(name="digits", limit=2))] == [
        "digits-0",
        "digits-1",
    ]
    assert jobs.bodies[-1]["limit"] == 2
    assert run(jobs, lambda ma: ma.jobs.list(limit=0)) == []
    assert jobs.bodies[-1]["filters"] == [{"key": "name", "operator": "like", "value": ["digits"]}]


def test_a_job_is_stopped_and_one_that_has_ended_is_restarted_by_its_name(run: Any) -> None:
    jobs = Jobs(job())
    assert run(jobs, lambda ma: ma.jobs.get("digits"), lambda job: job.stop()).phase == "Terminating"
    assert {"action_type": "terminate"} in jobs.bodies
    jobs.jobs[ID]["status"]["phase"] = "Failed"
    jobs.others["/actions"] = job(phase="Pending")

    restarted = run(jobs, lambda ma: ma.jobs.get("digits"), lambda job: job.restart())

    assert jobs.bodies[-1] == {"action_type": "restart"}
    assert restarted.phase == "Pending"


def test_the_handle_knows_how_the_job_ended_also_if_it_failed(service: Service, settings: Settings) -> None:
    service.responses = Jobs(job(phase="Failed"))

    with ModelArts(transport=httpx.MockTransport(service), **settings) as ma:
        handle = ma.jobs.submit({"metadata": {"name": "digits"}})
        with pytest.raises(JobFailed):
            handle.wait(timeout=5)

    assert (handle.phase, handle.is_terminal) == ("Failed", True)


FULL = "GPU 1 (NVIDIA H100, 80 GB) was almost full: 79.1 GB were in use at most; a/worker-0 had 70.0 GB of it."
EVENTS = {"events": [{"message": f"[worker-0] {FULL}", "level": "Warning"}], "total": 1}


@pytest.mark.parametrize(
    ("events", "text"),
    [
        (EVENTS, f"ran out of memory. {FULL} Others held most of it"),
        (lambda _: httpx.Response(500), "ran out of memory. Make the batch smaller"),
    ],
)
def test_a_failed_wait_also_says_who_held_the_memory_of_an_accelerator(
    service: Service, settings: Settings, events: Any, text: str
) -> None:
    """Where the events cannot be read, the log alone explains the failure."""
    service.responses = jobs = Jobs(job(phase="Failed"))
    jobs.jobs[ID]["status"]["task_statuses"] = [{"task": "worker-0", "exit_code": 1}]
    jobs.others = {"/preview": {"content": "RuntimeError: CUDA error: out of memory\n"}, "/events": events}

    with ModelArts(transport=httpx.MockTransport(service), **settings) as ma, pytest.raises(JobFailed) as caught:
        ma.jobs.get(ID).wait(timeout=5)

    assert text in str(caught.value)


def test_the_logs_of_all_tasks_come_with_their_names(run: Any) -> None:
    jobs = Jobs(job(phase="Completed"))
    jobs.others = {
        "/worker-0/logs/preview": {"content": "a\nb\n", "full_size": 4},
        "/worker-1/logs/preview": {"content": "c\nlast", "full_size": 6},
    }
    expected = ["[worker-0] a", "[worker-0] b", "[worker-1] c", "[worker-1] last"]

    assert run(jobs, lambda ma: ma.jobs.get("digits"), lambda job: job.logs(all_tasks=True)) == expected
    assert (
        run(jobs, lambda ma: ma.jobs._handle(key=ID).logs(all_tasks=True, poll=(0.001, 0.001), follow=True)) == expected
    )


def test_events_come_oldest_first(run: Any) -> None:
    jobs = Jobs(job())
    asked: list[httpx.URL] = []

    def events(request: httpx.Request) -> httpx.Response:
        asked.append(request.url)
        return httpx.Response(200, json={"events": [{"message": "created"}, {"message": "runs"}], "total": 2})

    jobs.others = {"/events": events}

    assert [event.message for event in run(jobs, lambda ma: ma.jobs._handle(key=ID).events(level="Error"))] == [
        "created",
        "runs",
    ]
    assert {"order": "asc", "level": "Error"}.items() <= dict(asked[0].params).items()


def test_metrics_are_rows_of_all_tasks(run: Any) -> None:
    """None stands where the service has -1, and a task without metrics (204) has no rows."""
    jobs = Jobs(job())
    series = [{"metric": "cpuUsage", "value": [1.5, -1]}, {"metric": "memUsage", "value": [2]}]
    jobs.others = {
        "/metrics/worker-0": {"metrics": series},
        "/metrics/worker-1": lambda _: httpx.Response(204),
    }

    assert run(jobs, lambda ma: ma.jobs._handle(key=ID).metrics()) == [
        {"task": "worker-0", "minute": 0, "cpuUsage": 1.5, "memUsage": 2},
        {"task": "worker-0", "minute": 1, "cpuUsage": None, "memUsage": None},
    ]
    assert run(jobs, lambda ma: ma.jobs._handle(key=ID).metrics("worker-1")) == []


@pytest.mark.parametrize("total", [{"total": 120}, {}])
@pytest.mark.parametrize("is_stuck", [False, True])
def test_trials_are_rows_of_all_pages_whatever_the_order_of_columns(
    run: Any, total: dict[str, int], is_stuck: bool
) -> None:
    """Without a total they end with an empty page, or with one that a service without offsets repeats."""
    jobs = Jobs(job())

    def trials(request: httpx.Request) -> httpx.Response:
        offset = 0 if is_stuck else int(request.url.params["offset"])
        header, rows = ["", "trial_id"], [[n, f"t{n}"] for n in range(offset, min(offset + 50, 120))]
        if offset:
            header, rows = header[::-1], [row[::-1] for row in rows]
        return httpx.Response(200, json={**total, "items": {"header": header, "data": rows}})

    jobs.others = {"trials": trials}

    rows = run(jobs, lambda ma: ma.jobs._handle(key=ID).trials())

    assert rows == [{"number": n, "trial_id": f"t{n}"} for n in range(50 if is_stuck else 120)]


@pytest.mark.parametrize("status", [{}, {"phase": None}, {"phase": 7}])
def test_a_job_without_a_phase_has_none_and_is_shown_without_it(run: Any, status: dict[str, Any]) -> None:
    found = run(Jobs({"metadata": {"id": ID, "name": "digits"}, "status": status}), lambda ma: ma.jobs.get(ID))

    assert (found.phase, found.is_terminal, found.state.is_version) == (None, False, False)
    assert "None" not in f"{found} {found!r} {found._repr_html_()}"


def test_lists_and_rows_of_jobs_are_tables_in_a_notebook(run: Any) -> None:
    """What a job is called is text, and a cell that a row lacks is empty."""
    found = run(Jobs(job("<b>"), job("digits", ident=OTHER)), lambda ma: ma.jobs.list())

    shown = found._repr_html_()
    assert (shown.count("<tr>"), shown.count("<td>digits</td>"), shown.count("<td>&lt;b&gt;</td>")) == (3, 1, 1)
    head, first, second = (
        "<tr><th>a</th><th>b</th></tr>",
        "<tr><td>1</td><td></td></tr>",
        "<tr><td></td><td>&lt;</td></tr>",
    )
    assert Rows([{"a": 1, "b": None}, {"b": "<"}])._repr_html_() == f"<table>{head}{first}{second}</table>"


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda handle: pickle.loads(pickle.dumps(handle))])
def test_a_copied_handle_keeps_its_data_and_says_that_it_has_no_connection(
    service: Service, settings: Settings, way: Any
) -> None:
    service.responses = Jobs(job())
    with ModelArts(transport=httpx.MockTransport(service), **settings) as ma:
        copied = way(ma.jobs.get(ID))

    assert (copied.key, copied.id, copied.phase) == (ID, ID, "Running")
    for act in (copied.refresh, copied.stop, copied.wait, lambda: list(copied.logs())):
        with pytest.raises(ConfigError, match=f"without its connection: get it again by its id {ID}"):
            act()


def test_rows_become_a_data_frame_where_pandas_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Rows([{"a": 1}])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ConfigError, match="pip install pandas"):
        rows.to_pandas()
    pandas = ModuleType("pandas")
    pandas.DataFrame = tuple  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pandas", pandas)

    assert rows.to_pandas() == ({"a": 1},)


def test_outputs_are_urls_by_the_name_of_their_channel(run: Any) -> None:
    jobs = Jobs(job())
    jobs.jobs[ID]["algorithm"]["outputs"] += [{"name": "b", "remote": {"obs": {"obs_url": "obs://x/y"}}}, {"name": "c"}]

    outputs = {"train_url": "obs://bucket/out/", "b": "obs://x/y/"}
    assert TrainingJobInfo(run(jobs, lambda ma: ma.jobs.get(ID)).details).outputs() == outputs


def test_a_job_without_outputs_has_nothing_to_download(run: Any, settings: Settings, tmp_path: Path) -> None:
    jobs = Jobs(job())
    jobs.jobs[ID]["algorithm"] = {}
    settings |= {"obs_endpoint": "http://127.0.0.1:9", "access_key": "a", "secret_key": "s"}

    with pytest.raises(ObsError, match=r"has no outputs yet \(no output channel\)"):
        run(jobs, lambda ma: ma.jobs._handle(key=ID).download(tmp_path))


@pytest.mark.parametrize("base", ["digits", "d" * 64])
def test_a_unique_name_has_a_suffix_and_fits(run: Any, base: str) -> None:
    jobs = Jobs()
    body = {"metadata": {"name": base, "description": "x"}}

    names = {run(jobs, lambda ma: ma.jobs.submit(body, unique=True)).name for _ in range(3)}

    assert len(names) == 3
    assert all(len(name) <= 64 and name.startswith(base[:50]) and name != base for name in names)
    assert jobs.bodies[-1]["metadata"]["description"] == "x"
    assert body == {"metadata": {"name": base, "description": "x"}}


def test_numbers_and_booleans_of_hyperparameters_become_text(run: Any) -> None:
    """As JSON writes them; other fields stay as it is."""
    jobs = Jobs()
    parameters = [{"name": name, "value": value} for name, value in {"lr": 0.1, "n": 3, "ok": True, "s": "x"}.items()]
    algorithm = {"parameters": [*parameters, {"name": "none"}], "environments": {"DEBUG": 1}}

    run(jobs, lambda ma: ma.jobs.submit({"metadata": {"name": "d"}, "algorithm": algorithm, "spec": {"n": 1}}))

    (body,) = jobs.bodies
    assert [parameter.get("value") for parameter in body["algorithm"]["parameters"]] == ["0.1", "3", "true", "x", None]
    assert body["algorithm"]["environments"] == {"DEBUG": "1"}
    assert body["spec"] == {"n": 1}
    assert parameters[0]["value"] == 0.1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"phase": "Runing"}, "'Runing' is not a phase of a job: use Creating, Pending"),
        ({"phase": ["Running", "xyz"]}, "'xyz' is not a phase of a job: use Creating, Pending"),
        ({"limit": -1}, "limit must be 0 or more, or None for all, not -1"),
    ],
)
def test_a_list_of_what_cannot_be_is_rejected(run: Any, options: dict[str, Any], said: str) -> None:
    """The service would return an empty list for a phase that is misspelt."""
    jobs = Jobs(job())

    with pytest.raises(ValueError, match=re.escape(said)):
        run(jobs, lambda ma: ma.jobs.list(**options))

    assert jobs.calls == []
