"""Deviations of a service from its documents, each with the rule that must find it: a table, for a proxy to apply.

A deviation changes requests to one operation, or their responses. `where` says which requests show it: those that a run
sends that reads (`read`), or those of one that writes (`write`). `rules` are the kinds of findings that count as found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

import httpx
from tests.contract.played import with_json

from modelarts_contract.documents import Operation, operations
from modelarts_contract.proxy import Forward, ProxyRequest, ProxyResponse

__all__ = ["DEVIATIONS", "Deviation"]

Change = Callable[[ProxyRequest, Forward], ProxyResponse]
JSON = {"content-type": "application/json"}


@dataclass(frozen=True)
class Deviation:
    """One thing that a service does otherwise than documented; `operation` is `v2.listTrainingJobs`."""

    name: str
    operation: str
    change: Callable[[], Change]
    rules: frozenset[str]
    where: str = "read"

    def __str__(self) -> str:
        return f"{self.operation}: {self.name}"

    @property
    def tried(self) -> Operation:
        """The operation in its document."""
        document, _, operation_id = self.operation.partition(".")
        return operations(document)[operation_id]


def loads(response: ProxyResponse) -> Any:
    try:
        return json.loads(response.body)
    except ValueError:
        return None


def success(change: Callable[[Any], Any]) -> Callable[[], Change]:
    """Change the JSON of a success."""
    return lambda: lambda request, forward: with_json(forward(request), change)


def error(change: Callable[[Any], Any]) -> Callable[[], Change]:
    """Change the JSON of a rejection."""

    def changed(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        body = loads(found)
        return replace(found, body=json.dumps(change(body)).encode()) if found.status >= 400 and body else found

    return lambda: changed


def response(change: Callable[[ProxyResponse], ProxyResponse]) -> Callable[[], Change]:
    """Change a success as a whole."""

    def changed(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        return change(found) if 200 <= found.status < 300 else found

    return lambda: changed


def request(change: Callable[[ProxyRequest], ProxyRequest]) -> Callable[[], Change]:
    """Change the request."""
    return lambda: lambda request, forward: forward(change(request))


def ignoring(*names: str) -> Callable[[], Change]:
    """Leave parameters of the query or members of the body out."""

    def changed(request: ProxyRequest) -> ProxyRequest:
        query = [(name, value) for name, value in parse_qsl(request.query) if name not in names]
        body = json.loads(request.body) if request.body else None
        if isinstance(body, dict):
            body = {name: value for name, value in body.items() if name not in names}
        return replace(request, query=urlencode(query), body=request.body and json.dumps(body).encode())

    return request(changed)


def taking(name: str, change: Callable[[Any], Any]) -> Callable[[], Change]:
    """Take a parameter of the query or a member of the body for another value."""

    def changed(request: ProxyRequest) -> ProxyRequest:
        query = [(key, str(change(int(value))) if key == name else value) for key, value in parse_qsl(request.query)]
        body = json.loads(request.body) if request.body else None
        if isinstance(body, dict) and name in body:
            body[name] = change(body[name])
        return replace(request, query=urlencode(query), body=request.body and json.dumps(body).encode())

    return request(changed)


def at(place: str, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Change the value at a place, in which `*` stands for every item of a list, and `0` for the first."""
    step, _, rest = place.partition(".")

    def changed(value: Any) -> Any:
        if step in ("*", "0") and isinstance(value, list):
            return [inner(item) if step == "*" or number == 0 else item for number, item in enumerate(value)]
        if not isinstance(value, dict) or (step not in value and rest):
            return value
        if rest:
            return {**value, step: inner(value[step])}
        new = change(value.get(step))
        return {**value, step: new} if new is not MISSING else {k: v for k, v in value.items() if k != step}

    def inner(value: Any) -> Any:
        return at(rest, change)(value) if rest else change(value)

    return changed


MISSING = object()


def without(place: str) -> Callable[[], Change]:
    return success(at(place, lambda _: MISSING))


def dropping(place: str) -> Callable[[], Change]:
    """Take a member of the request's body for missing."""

    def dropped(sent: ProxyRequest) -> ProxyRequest:
        body = at(place, lambda _: MISSING)(json.loads(sent.body)) if sent.body else None
        return replace(sent, body=json.dumps(body).encode()) if sent.body else sent

    return request(dropped)


def set_to(place: str, value: Any) -> Callable[[], Change]:
    return success(at(place, lambda _: value))


def in_seconds(place: str) -> Callable[[], Change]:
    return success(at(place, lambda value: value // 1000 if isinstance(value, int) else value))


def always(status: int, body: bytes = b"{}") -> Callable[[], Change]:
    return lambda: lambda _request, _forward: ProxyResponse(status, body, JSON)


def silent() -> Change:
    """Give no response."""

    def changed(request: ProxyRequest, _: Forward) -> ProxyResponse:
        raise httpx.ReadTimeout(f"no response to {request.path}")

    return changed


def reversed_list(member: str) -> Callable[[], Change]:
    """Show a list in the opposite order of the one that was asked for."""

    def changed(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        given = request.query + request.body.decode()
        found = forward(request)
        if "order" not in given or found.status != 200:
            return found
        return with_json(found, at(member, lambda items: items[::-1]))

    return lambda: changed


def on_errors_for(text: str, status: int) -> Callable[[], Change]:
    """Fail where a request has this text."""

    def changed(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        fails = text in request.query or text.encode() in request.body
        return (
            ProxyResponse(status, b'{"error_code":"ModelArts.2950","error_msg":"x"}', JSON)
            if fails
            else forward(request)
        )

    return lambda: changed


def repeating_last(member: str, limit: str, position: str) -> Callable[[], Change]:
    """Begin each page after the first with the item before it."""

    def changed(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        query = dict(parse_qsl(request.query)) or (json.loads(request.body) if request.body else {})
        if limit not in query or int(query.get(position, 0)) <= 0 or found.status != 200:
            return found
        return with_json(found, at(member, lambda items: [{"metadata": {"id": "x"}}, *items][: int(query[limit])]))

    return lambda: changed


def without_login(kind: str) -> Callable[[], Change]:
    """Let requests in that should not be: without a token (`none`), with any (`any`), for another project (`project`).

    `expired` and `revoked` tokens are those that were right once: they are rejected with words that say so.
    """

    class Open:
        def __init__(self) -> None:
            self.good: tuple[ProxyRequest, ProxyResponse] | None = None

        def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
            found = forward(request)
            if found.status == 200:
                self.good = request, found
            token = request.headers.get("x-auth-token")
            known = self.good is not None and token == self.good[0].headers.get("x-auth-token")
            opens = {
                "none": token is None,
                "any": token is not None and not known,
                "project": known,
                "expired": b"expired" in found.body,
                "revoked": b"revoked" in found.body,
            }[kind]
            is_rejected = found.status in (401, 403, 404) and opens
            return self.good[1] if is_rejected and self.good else found

    return Open


def not_found_is_empty(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """Show an empty object where there is nothing."""
    found = forward(request)
    return ProxyResponse(200, b"{}", JSON) if found.status == 400 else found


def hiding_found(member: str) -> Callable[[], Change]:
    """Find nothing by a name."""

    def changed(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        given = request.query + request.body.decode()
        is_search = "search" in given or '"like"' in given
        is_list = found.status == 200 and is_search
        return with_json(found, lambda body: {**at(member, lambda _: [])(body), **zero(body)}) if is_list else found

    def zero(body: Any) -> Any:
        return {name: 0 for name in ("total", "job_total_count", "config_total_count") if name in body}

    return lambda: changed


def idle(status: int, body: bytes = b"") -> Callable[[], Change]:
    """Accept a request without any effect."""
    return lambda: lambda _request, _forward: ProxyResponse(status, body, JSON if body else {})


class Ghost:
    """Show or list what was deleted, as it was before."""

    def __init__(self) -> None:
        self.last: dict[str, ProxyResponse] = {}

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        key = f"{request.target} {request.body.decode()}"
        body = loads(found) if found.status == 200 else None
        lists = ("items", "jobs", "configs", "versions")
        items = next((body[name] for name in lists if name in body), [0]) if body else []
        if items:
            self.last[key] = found
        return self.last.get(key, found)


class Restless:
    """Show a job that has ended as running every second time."""

    def __init__(self, before: str, after: str) -> None:
        self.before, self.after, self.looks = before, after, 0

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        if not re.search(self.before, found.body.decode()):
            return found
        self.looks += 1
        again = re.sub(self.before, self.after, found.body.decode()).encode()
        return replace(found, body=again) if self.looks % 2 == 0 else found


class Drifting:
    """Show a number that grows with every look."""

    def __init__(self, place: str) -> None:
        self.place, self.looks = place, 0

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        self.looks += 1
        return with_json(forward(request), at(self.place, lambda value: value + self.looks))


def leaking(text: str) -> Callable[[], Change]:
    def told(body: Any) -> Any:
        name = "error_message" if "error_message" in body else "error_msg"
        return {**body, name: f"{body.get(name)} {text}"}

    return error(told)


def headers(change: Callable[[Mapping[str, str]], Mapping[str, str]]) -> Callable[[], Change]:
    return response(lambda found: replace(found, headers=change(found.headers)))


def typed(media: str | None) -> Callable[[], Change]:
    rest = {} if media is None else {"content-type": media}
    return headers(lambda given: {**{k: v for k, v in given.items() if k.lower() != "content-type"}, **rest})


expiring_at_once = success(lambda body: at("token.expires_at", lambda _: body["token"]["issued_at"])(body))
DONE = b'{"is_success": true}'
FORM, PAGES = {"invalid response"}, {"pages", "total", "page size"}
JOBS, ALGORITHMS, EVENTS = "v2.listTrainingJobs", "v2.listAlgorithms", "v2.listTrainingJobEvents"
DETAILS, ALGORITHM = "v2.showTrainingJobDetails", "v2.showAlgorithmByUuid"
STAGES = "v2.listTrainingJobStages"
JOBS1, CONFIGS1, BOARDS1 = "v1.listTrainingJobs", "v1.listTrainingJobConfigs", "v1.listVisualizationJobs"
VERSIONS1, VERSION1, CONFIG1 = "v1.listTrainingJobVersions", "v1.showTrainingJobVersion", "v1.showTrainingJobConfig"

TABLE: list[tuple[Any, ...]] = [
    # The form of single responses.
    ("202 for 200", ALGORITHM, response(lambda found: replace(found, status=202)), {"unknown status"}),
    ("required metadata.id is missing", ALGORITHMS, without("items.*.metadata.id"), FORM),
    ("required id is missing in one item", JOBS, without("items.0.metadata.id"), FORM),
    ("items is null", JOBS, set_to("items", None), FORM),
    ("items is missing", ALGORITHMS, without("items"), FORM),
    ("items is an object", EVENTS, set_to("events", {}), FORM),
    ("an item is null", JOBS, success(at("items", lambda items: [None, *items])), FORM),
    ("total is text", JOBS, set_to("total", "many"), FORM),
    ("total is missing", JOBS, without("total"), FORM),
    ("a number for a text", ALGORITHM, set_to("metadata.name", 7), FORM),
    ("a text for a number", DETAILS, set_to("status.duration", "long"), FORM),
    ("metrics are text", "v2.showTrainingJobMetrics", set_to("metrics", "none"), FORM),
    ("truncated JSON", "v2.showTrainingJobEngines", response(lambda r: replace(r, body=r.body[:-20])), FORM),
    ("an empty body", "v2.showTrainingJobFlavors", response(lambda r: replace(r, body=b"")), FORM),
    ("a list for an object", "v2.showSearchAlgorithms", success(lambda body: [body]), FORM),
    ("not UTF-8", "v2.showSearchAlgorithms", response(lambda r: replace(r, body=b"{\xff}")), FORM),
    ("HTML for JSON", "v2.showTrainingJobEngines", response(lambda r: replace(r, body=b"<html>")), FORM),
    ("very deep JSON", "v2.showTrainingJobFlavors", response(lambda r: replace(r, body=b"[" * 90_000)), FORM),
    ("no Content-Type", "v2.showTrainingJobEngines", typed(None), {"content type"}),
    ("Content-Type text/html", "v2.showTrainingJobFlavors", typed("text/html"), {"content type"}),
    ("another envelope of errors", DETAILS, error(lambda _: {"detail": "no"}), FORM),
    ("an error in HTML", ALGORITHM, lambda: html_error, FORM),
    ("an unknown error code", ALGORITHM, error(at("error_code", lambda _: "ModelArts.9999")), {"unknown error code"}),
    ("200 {} for not found", DETAILS, lambda: not_found_is_empty, {"absent", *FORM}),
    ("an extra member", DETAILS, set_to("metadata.tenant", "x"), {"unknown field"}),
    ("a new phase", DETAILS, set_to("status.phase", "Suspended"), {"unknown value"}),
    ("a new level of events", EVENTS, set_to("events.*.level", "Fatal"), {"unknown value", "filter"}),
    ("a member is missing that all examples have", DETAILS, without("metadata.workspace_id"), FORM),
    ("engines are missing", "v1.listJobEngines", without("engines"), FORM),
    ("specs is an object", "v1.listJobResourceSpecs", set_to("specs", {}), FORM),
    ("is_success is text", "v1.listJobEngines", set_to("is_success", "yes"), FORM),
    ("is_success is missing", JOBS1, without("is_success"), FORM),
    ("is_success is false", CONFIGS1, lambda: false_success, {"success", *FORM}),
    ("a new status number", VERSION1, set_to("status", 77), {"unknown value"}),
    ("a status is text", JOBS1, set_to("jobs.*.status", "Running"), FORM),
    ("an unknown error code", VERSION1, error(at("error_code", lambda _: "ModelArts.9999")), {"unknown error code"}),
    ("an extra member", CONFIG1, set_to("owner", "x"), {"unknown field"}),
    ("500", "v2.showTrainingJobFlavors", always(500), {"server error"}),
    ("503 each time", "v2.showSearchAlgorithms", always(503), {"server error"}),
    ("500", "v1.listJobResourceSpecs", always(500), {"server error"}),
    ("no response", "v2.showTrainingJobEngines", lambda: silent(), {"server error"}),
    ("500 for special characters", ALGORITHMS, on_errors_for("%C3%A4", 500), {"server error"}),
    ("500 for special characters", JOBS1, on_errors_for("%C3%A4", 500), {"server error"}),
    # Lists of version 2.
    ("offset is ignored", JOBS, ignoring("offset"), PAGES),
    ("offset is one too far", JOBS, taking("offset", lambda number: number + 1), PAGES),
    ("limit is ignored", JOBS, ignoring("limit"), PAGES),
    ("limit is one too many", JOBS, taking("limit", lambda number: min(50, number + 1)), PAGES),
    ("limit is one too few", ALGORITHMS, taking("limit", lambda number: max(1, number - 1)), PAGES),
    ("limit is ignored", ALGORITHMS, ignoring("limit"), PAGES),
    ("offset is ignored", ALGORITHMS, ignoring("offset"), PAGES),
    ("offset is ignored", EVENTS, ignoring("offset"), PAGES),
    ("offset is ignored", "v2.showAutoSearchTrials", ignoring("offset"), PAGES),
    ("total is that of the page", JOBS, success(lambda b: {**b, "total": len(b["items"])}), PAGES),
    ("total is that of the page", ALGORITHMS, success(lambda b: {**b, "total": len(b["items"])}), PAGES),
    ("total is negative", JOBS, set_to("total", -1), {"total", *FORM}),
    ("total is too large", ALGORITHMS, success(at("total", lambda total: total + 10)), PAGES),
    ("an item is shown twice", JOBS, success(at("items", lambda items: [*items[:1], *items][:50])), PAGES),
    ("the last item comes again", ALGORITHMS, repeating_last("items", "limit", "offset"), PAGES | FORM),
    ("order is ignored", JOBS, ignoring("order"), {"order"}),
    ("order is reversed", ALGORITHMS, reversed_list("items"), {"order"}),
    ("filters are ignored", JOBS, ignoring("filters"), {"filter"}),
    ("in finds the others", JOBS, lambda: swapped_operators, {"filter"}),
    ("a name is not found", JOBS, hiding_found("items"), {"filter"}),
    ("searches is ignored", ALGORITHMS, ignoring("searches"), {"filter"}),
    ("a name is not found", ALGORITHMS, hiding_found("items"), {"filter"}),
    ("level is ignored", EVENTS, ignoring("level"), {"filter"}),
    ("pattern is ignored", EVENTS, ignoring("pattern"), {"filter"}),
    ("source is ignored", EVENTS, ignoring("source"), {"filter"}),
    ("flavor_type is ignored", "v2.showTrainingJobFlavors", ignoring("flavor_type"), {"filter"}),
    # Lists of version 1.
    ("page is ignored", JOBS1, ignoring("page"), PAGES),
    ("page is one too far", JOBS1, taking("page", lambda number: number + 1), PAGES),
    ("per_page is ignored", JOBS1, ignoring("per_page"), PAGES),
    ("total is that of the page", JOBS1, success(lambda b: {**b, "job_total_count": len(b["jobs"])}), PAGES),
    ("total is negative", CONFIGS1, set_to("config_total_count", -3), {"total", *FORM}),
    ("order is ignored", JOBS1, ignoring("order"), {"order"}),
    ("sortBy is ignored", JOBS1, ignoring("sortBy"), {"order"}),
    ("search_content is ignored", JOBS1, ignoring("search_content"), {"filter"}),
    ("status is ignored", JOBS1, ignoring("status"), {"filter"}),
    ("a name is not found", JOBS1, hiding_found("jobs"), {"filter"}),
    ("page is ignored", CONFIGS1, ignoring("page"), PAGES),
    ("search_content is ignored", CONFIGS1, ignoring("search_content"), {"filter"}),
    ("order is reversed", CONFIGS1, reversed_list("configs"), {"order"}),
    ("page is ignored", VERSIONS1, ignoring("page"), PAGES),
    ("page is ignored", "v1.listBuiltInAlgorithms", ignoring("page"), PAGES),
    ("status is ignored", BOARDS1, ignoring("status"), {"filter"}),
    ("order is ignored", BOARDS1, ignoring("order"), {"order"}),
    # Its events have one time; the response repeats another order.
    ("order is ignored", EVENTS, ignoring("order"), {"order", "identity"}),
    # Numbers that a response says twice, what must show something, and times of another zone.
    ("the size of a preview is another", "v2.showTrainingJobLogsPreview", set_to("current_size", 7), {"total"}),
    ("no engines", "v2.showTrainingJobEngines", set_to("items", []), {"empty"}),
    ("another name of an engine", CONFIG1, set_to("engine_name", "MXNet"), {"identity"}),
    ("more lines than there are", "v1.showTrainingJobLog", set_to("lines", 77), {"total"}),
    # Effects.
    ("auto_stop is dropped", "v2.createTrainingJob", dropping("spec.auto_stop"), {"update"}, "write"),
    ("inputs are dropped", "v2.createAlgorithm", dropping("job_config.inputs"), {"update"}, "write"),
    ("a batch deletes nothing", "v2.batchDeleteTrainingJob", idle(202), {"story"}, "write"),
    ("names are always free", "v2.validateTrainingJobName", set_to("is_duplicate", False), {"story"}, "write"),
    ("tags of others are found", "v2.listTrainingJobsByTags", ignoring("tags"), {"story"}, "write"),
    ("a restart does nothing", "v1.restartVisualizationJob", idle(200, DONE), {"story", *FORM}, "write"),
    ("a predecessor is not shown", VERSION1, set_to("pre_version_id", None), {"story", "update"}, "write"),
    ("a version is not deleted", "v1.deleteTrainingJobVersion", idle(200, DONE), {"story"}, "write"),
    # Times and identity.
    ("times in seconds", JOBS, in_seconds("items.*.metadata.create_time"), {"time", "identity"}),
    ("times in seconds", ALGORITHM, in_seconds("metadata.create_time"), {"time", "identity"}),
    ("start in seconds", DETAILS, in_seconds("status.start_time"), {"time"}),
    ("a time in 2100", ALGORITHMS, set_to("items.*.metadata.update_time", 4_102_444_800_000), {"time"}),
    ("a negative duration", DETAILS, set_to("status.duration", -5), {"time"}),
    ("a time without offset", EVENTS, set_to("events.*.time", "2026-11-22T10:00:00"), {"time"}),
    ("times in seconds", JOBS1, in_seconds("jobs.*.create_time"), {"time", "identity"}),
    ("times in seconds", VERSION1, in_seconds("start_time"), {"time"}),
    ("times in seconds", CONFIGS1, in_seconds("configs.*.create_time"), {"time", "identity"}),
    ("create_time moves", ALGORITHM, lambda: Drifting("metadata.create_time"), {"identity"}),
    # What a response says twice.
    ("count is not that of the page", JOBS, success(at("count", lambda count: count + 3)), {"total"}),
    ("total drifts", JOBS, lambda: Drifting("total"), PAGES),
    ("another offset is repeated", JOBS, set_to("offset", 3), {"identity"}),
    ("another limit is repeated", ALGORITHMS, set_to("limit", 7), {"identity"}),
    ("a count too high", "v2.showTrainingJobFlavors", success(at("total_count", lambda n: n + 4)), {"total"}),
    ("a count too high", "v2.showSearchAlgorithms", success(at("search_algo_count", lambda n: n + 1)), {"total"}),
    ("an entry is listed twice", "v2.showTrainingJobFlavors", success(at("flavors", lambda e: [*e, e[0]])), {"pages"}),
    ("an entry is listed twice", "v2.showTrainingJobEngines", success(at("items", lambda e: [*e, e[0]])), {"pages"}),
    ("another job", VERSION1, set_to("job_id", 99_999), {"identity"}),
    ("another version", VERSION1, set_to("version_id", 99_999), {"identity"}),
    ("another configuration", CONFIG1, set_to("config_name", "other"), {"identity"}),
    ("another name than in the list", DETAILS, set_to("metadata.name", "other"), {"identity", "name"}),
    ("an error code in a success", "v1.listJobEngines", set_to("error_code", "ModelArts.0101"), {"success"}),
    ("an error without a message", ALGORITHM, error(at("error_msg", lambda _: "")), FORM),
    ("a start before the creation", DETAILS, success(at("status.start_time", lambda t: t - 10**9)), {"time"}),
    ("a duration longer than since the start", DETAILS, set_to("status.duration", 10**13), {"time"}),
    ("a running time grows after the end", DETAILS, lambda: Drifting("status.duration"), {"phase", "time"}),
    ("a time in 2099", EVENTS, set_to("events.*.time", "2099-01-01T00:00:00.000Z"), {"time"}),
    ("statuses of tasks that it lacks", DETAILS, set_to("status.task_statuses.*.task", "worker-9"), {"identity"}),
    ("no node", DETAILS, set_to("spec.resource.node_count", 0), FORM),
    ("a log of less than nothing", "v2.showTrainingJobLogsPreview", set_to("current_size", -1), FORM),
    ("a metric below -1", "v2.showTrainingJobMetrics", success(at("metrics.*.value", lambda _: [-7])), FORM),
    # The identity service.
    ("a token without its user", "iam.showToken", without("token.user"), {"empty"}),
    ("a token that expires before it was issued", "iam.showToken", set_to("token.expires_at", "2020-01-01T00:00:00.0Z"),
     {"time"}),
    ("another account of a project", "iam.showProject", set_to("project.domain_id", "0" * 32), {"identity"}),
    ("another name of the token's project", "iam.showProject", set_to("project.name", "other"), {"identity"}),
    ("another project than was asked for", "iam.showProject", set_to("project.id", "0" * 32), {"identity"}),
    ("an error without a message", "iam.showProject", error(at("error.message", lambda _: "")), {"empty"}),
    ("another status in an error", "iam.showProject", error(at("error.code", lambda _: 1)), {"total"}),
    ("a token that expires at once", "iam.showToken", expiring_at_once, {"time"}),
    ("an endpoint in two regions", "iam.showToken", set_to("token.catalog.*.endpoints.*.region", "x"), {"identity"}),
    ("a link that is no URL", "iam.showVersion", set_to("version.links.*.href", "/v3"), {"identity"}),
    ("a time that is no time", "iam.showVersion", set_to("version.updated", "soon"), {"time"}),
    ("a project is disabled, unlike in the list", "iam.showProject", set_to("project.enabled", False), {"identity"}),
    # What two operations say of a thing.
    ("another status than in the list", "v1.showVisualizationJob", set_to("status", 7), {"identity", "phase"}),
    ("no address, unlike in the list", "v1.showVisualizationJob", set_to("service_url", None), {"identity"}),
    ("another description than in the list", ALGORITHM, set_to("metadata.description", "x"), {"identity"}),
    # What two lists say of the same, and what a catalogue has.
    ("a flavor that there is not", DETAILS, set_to("spec.resource.flavor_id", "none"), {"identity"}),
    ("labels that the list does not have", "v2.showTrainJobTags", set_to("tags", [{"key": "x"}]), {"identity"}),
    ("another name of a task", "v2.listTrainingJobTasks", success(at("*.task", lambda _: "worker-7")), {"identity"}),
    ("stages of another job", STAGES, set_to("running_records.*.stages.*.job_id", "x"), {"identity"}),
    ("stages go back", STAGES, success(at("running_records.*.stages", lambda stages: stages[::-1])), {"time"}),
    ("a value of another type", ALGORITHM, set_to("job_config.parameters.*.value", "many"), {"identity"}),
    ("another workspace than that of its jobs", JOBS, set_to("workspace_id", "17"), {"identity"}),
    ("more nodes than a job can have", VERSION1, set_to("worker_server_num", 9), {"total"}),
    # Security.
    ("no login is needed", "v2.showTrainingJobEngines", without_login("none"), {"security"}),
    ("any token opens", DETAILS, without_login("any"), {"security"}),
    ("another project is shown", ALGORITHM, without_login("project"), {"security"}),
    ("an expired token opens", JOBS, without_login("expired"), {"security"}),
    ("a revoked token opens", VERSION1, without_login("revoked"), {"security"}),
    ("no login is needed", CONFIG1, without_login("none"), {"security"}),
    ("a path in an error", DETAILS, leaking("at /usr/lib/modelarts/db.cfg"), {"leak"}),
    ("a stack in an error", VERSION1, leaking("at com.huawei.Jobs.get(Jobs.java:17)"), {"leak"}),
    ("a secret in an error", CONFIG1, leaking("password=hunter22"), {"leak"}),
    # What only a run that writes can show.
    ("200 for 201", "v2.createAlgorithm", response(lambda r: replace(r, status=200)), {"unknown status"}, "write"),
    ("no body", "v2.createTrainingJob", response(lambda r: replace(r, body=b"")), {"story", *FORM}, "write"),
    ("another name", "v2.createTrainingJob", set_to("metadata.name", "x"), {"name"}, "write"),
    ("another default", "v2.createTrainingJob", set_to("metadata.workspace_id", "17"), {"update"}, "write"),
    ("another name is shown", DETAILS, set_to("metadata.name", "x"), {"name"}, "write"),
    ("another name is listed", JOBS1, set_to("jobs.*.job_name", "x"), {"name", "story", "filter"}, "write"),
    ("PUT without effect", "v2.changeAlgorithm", lambda: put_shows_before, {"name", "update"}, "write"),
    ("PUT without effect", "v2.changeTrainingJobDescription", idle(200), {"name"}, "write"),
    ("PUT adds to the description", "v2.changeTrainingJobDescription", lambda: appended, {"name"}, "write"),
    ("PUT without effect", "v1.updateTrainingJob", idle(200, DONE), {"name"}, "write"),
    ("PUT without effect", "v1.updateTrainingJobConfig", idle(200, DONE), {"name"}, "write"),
    ("PUT changes the workspace", DETAILS, lambda: MovedByPut(), {"update"}, "write"),
    ("deleted, still shown", ALGORITHM, Ghost, {"story", "deleted"}, "write"),
    ("deleted, still listed", ALGORITHMS, Ghost, {"story", "deleted"}, "write"),
    ("deleted, still listed", JOBS, Ghost, {"story", "deleted"}, "write"),
    ("deleted, still shown", CONFIG1, Ghost, {"story", "deleted"}, "write"),
    ("deleted, still listed", CONFIGS1, Ghost, {"story", "deleted"}, "write"),
    ("DELETE without effect", "v1.deleteTrainingJob", idle(200, DONE), {"deleted", "story"}, "write"),
    ("DELETE gets 500", "v2.deleteAlgorithm", always(500), {"story"}, "write"),
    ("a description is lost", "v2.createTrainingJob", set_to("metadata.description", ""), {"name"}, "write"),
    ("a description is lost", ALGORITHM, set_to("metadata.description", ""), {"name"}, "write"),
    ("a description is lost", CONFIG1, set_to("config_desc", ""), {"name"}, "write"),
    ("another flavor", DETAILS, set_to("spec.resource.flavor_id", "x"), {"update"}, "write"),
    ("a hyperparameter is lost", DETAILS, set_to("algorithm.parameters", []), {"update"}, "write"),
    ("an environment variable is lost", DETAILS, set_to("algorithm.environments", {}), {"update"}, "write"),
    ("another hyperparameter", CONFIG1, set_to("parameter.0.value", "x"), {"update"}, "write"),
    ("a hyperparameter is lost", VERSION1, set_to("parameter", []), {"update"}, "write"),
    ("another engine", VERSION1, set_to("engine_id", 99), {"update"}, "write"),
    ("another name", VERSIONS1, set_to("job_name", "x"), {"name"}, "write"),
    ("another number of versions", VERSIONS1, set_to("version_count", 5), {"total"}, "write"),
    ("other code", VERSION1, set_to("app_url", "/x/"), {"update"}, "write"),
    ("more nodes", DETAILS, set_to("spec.resource.node_count", 3), {"update"}, "write"),
    ("tags are not kept", "v2.createTrainJobTags", idle(204), {"story"}, "write"),
    ("tags are not removed", "v2.deleteTrainJobTags", idle(204), {"story"}, "write"),
    ("an experiment is not changed", "v2.changeTrainingExperiment", idle(204), {"name", "story"}, "write"),
    ("an experiment is not deleted", "v2.deleteTrainingExperiment", idle(204), {"story", "deleted"}, "write"),
    ("DELETE without effect", "v2.deleteTrainingJob", idle(202), {"story", "deleted"}, "write"),
    ("an end is not final", DETAILS, lambda: Restless('"Completed"', '"Running"'), {"phase"}, "write"),
    ("an end is not final", VERSIONS1, lambda: Restless('"status":10', '"status":8'), {"phase"}, "write"),
    ("a job ends as failed", DETAILS, lambda: Always('"Completed"', '"Failed"'), {"story"}, "write"),
    ("an error that says it is one in a success", "v1.createTrainingJobConfig", lambda: false_success,
     {"success", "story", *FORM}, "write"),
]  # fmt: skip


def html_error(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    found = forward(request)
    return replace(found, body=b"<html>no</html>") if found.status >= 400 else found


def false_success(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    found = forward(request)
    body = b'{"is_success": false, "error_code": "ModelArts.0105", "error_message": "no"}'
    return ProxyResponse(200, body, JSON) if found.status == 200 else found


def swapped_operators(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    swapped = request.body.replace(b'"in"', b'"x"').replace(b'"not"', b'"in"').replace(b'"x"', b'"not"')
    return forward(replace(request, body=swapped))


def put_shows_before(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """Respond with what was stored before, and change nothing."""
    shown = forward(replace(request, method="GET", body=b""))
    return replace(shown, status=201) if shown.status == 200 else shown


def appended(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    body = json.loads(request.body)
    return forward(replace(request, body=json.dumps({"description": "as created " + body["description"]}).encode()))


class MovedByPut:
    """Show another workspace of a job whose description was changed."""

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        is_changed = b"as changed" in found.body
        return with_json(found, at("metadata.workspace_id", lambda _: "17")) if is_changed else found


class Always:
    def __init__(self, before: str, after: str) -> None:
        self.before, self.after = before.encode(), after.encode()

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        return replace(found, body=found.body.replace(self.before, self.after))


DEVIATIONS = [Deviation(row[0], row[1], row[2], frozenset(row[3]), *row[4:]) for row in TABLE]
