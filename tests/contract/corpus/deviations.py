"""Deviations of a service from its documents, each with the rule that must find it: a table, for a proxy to apply.

A deviation changes requests to one operation, or their responses. `where` says which requests show it: those that a run
sends that reads (`read`), or those of one that writes (`write`). `rules` are the kinds of findings that count as found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.contract.corpus.changes import (
    Always,
    Change,
    Drifting,
    Ghost,
    MovedByPut,
    Restless,
    always,
    appended,
    at,
    dropping,
    emptied_by_put,
    error,
    expiring_at_once,
    falling,
    false_success,
    first_for_all,
    hiding_found,
    html_error,
    idle,
    ignoring,
    in_seconds,
    leaking,
    link_of_another,
    not_found_is_empty,
    on_errors_for,
    overlapping,
    paged,
    put_shows_before,
    rejecting,
    repeating_last,
    response,
    reversed_list,
    set_to,
    silent,
    success,
    swapped_operators,
    taking,
    typed,
    without,
    without_chinese,
    without_login,
)

from modelarts_contract.documents import Operation, operations

__all__ = ["DEVIATIONS", "Deviation"]


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


DONE = b'{"is_success": true}'
FORM, PAGES = {"invalid response"}, {"pages", "total", "page size"}
JOBS, ALGORITHMS, EVENTS = "v2.listTrainingJobs", "v2.listAlgorithms", "v2.listTrainingJobEvents"
DETAILS, ALGORITHM = "v2.showTrainingJobDetails", "v2.showAlgorithmByUuid"
STAGES, EXPERIMENT = "v2.listTrainingJobStages", "v2.showTrainingExperimentDetails"
JOBS1, CONFIGS1, BOARDS1 = "v1.listTrainingJobs", "v1.listTrainingJobConfigs", "v1.listVisualizationJobs"
VERSIONS1, VERSION1, CONFIG1 = "v1.listTrainingJobVersions", "v1.showTrainingJobVersion", "v1.showTrainingJobConfig"

TABLE: list[tuple[Any, ...]] = [
    # The form of single responses.
    ("202 for 200", ALGORITHM, response(lambda found: replace(found, status=202)), {"unknown status"}),
    ("required metadata.id is missing", ALGORITHMS, without("items.*.metadata.id"), FORM),
    ("a number for a text", ALGORITHM, set_to("metadata.name", 7), FORM),
    ("truncated JSON", "v2.showTrainingJobEngines", response(lambda r: replace(r, body=r.body[:-20])), FORM),
    ("an empty body", "v2.showTrainingJobFlavors", response(lambda r: replace(r, body=b"")), FORM),
    ("not UTF-8", "v2.showSearchAlgorithms", response(lambda r: replace(r, body=b"{\xff}")), FORM),
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
    ("is_success is false", CONFIGS1, lambda: false_success, {"success", *FORM}),
    ("a new status number", VERSION1, set_to("status", 77), {"unknown value"}),
    ("500", "v2.showTrainingJobFlavors", always(500), {"server error"}),
    ("503 each time", "v2.showSearchAlgorithms", always(503), {"server error"}),
    ("no response", "v2.showTrainingJobEngines", lambda: silent(), {"server error"}),
    ("500 for special characters", ALGORITHMS, on_errors_for("%C3%A4", 500), {"server error"}),
    # Lists of version 2.
    ("offset is ignored", JOBS, ignoring("offset"), PAGES),
    ("offset is one too far", JOBS, taking("offset", lambda number: number + 1), PAGES),
    ("limit is ignored", JOBS, ignoring("limit"), PAGES),
    ("limit is one too many", JOBS, taking("limit", lambda number: min(50, number + 1)), PAGES),
    ("limit is one too few", ALGORITHMS, taking("limit", lambda number: max(1, number - 1)), PAGES),
    ("offset is ignored", ALGORITHMS, ignoring("offset"), PAGES),
    ("total is that of the page", JOBS, success(lambda b: {**b, "total": len(b["items"])}), PAGES),
    ("total is negative", JOBS, set_to("total", -1), {"total", *FORM}),
    ("total is too large", ALGORITHMS, success(at("total", lambda total: total + 10)), PAGES),
    ("an item is shown twice", JOBS, success(at("items", lambda items: [*items[:1], *items][:50])), PAGES),
    ("the last item comes again", ALGORITHMS, repeating_last("items", "limit", "offset"), PAGES | FORM),
    ("order is ignored", JOBS, ignoring("order"), {"order"}),
    ("order is reversed", ALGORITHMS, reversed_list("items"), {"order"}),
    ("filters are ignored", JOBS, ignoring("filters"), {"filter"}),
    ("in finds the others", JOBS, lambda: swapped_operators, {"filter"}),
    ("a name is not found", JOBS, lambda: hiding_found, {"filter"}),
    ("searches is ignored", ALGORITHMS, ignoring("searches"), {"filter"}),
    ("level is ignored", EVENTS, ignoring("level"), {"filter"}),
    ("pattern is ignored", EVENTS, ignoring("pattern"), {"filter"}),
    ("a period is ignored", EVENTS, ignoring("start_time", "end_time"), {"filter", "identity"}),
    ("a name is ignored", "iam.listProjects", ignoring("name"), {"filter"}),
    ("a cursor is ignored", "v1.showTrainingJobLog", ignoring("base_line"), {"pages"}),
    ("a cursor is ignored", "v2.showTrainingJobLogsFromAom", ignoring("base_line"), {"pages"}),
    ("flavor_type is ignored", "v2.showTrainingJobFlavors", ignoring("flavor_type"), {"filter"}),
    ("totals fall from page to page", JOBS, paged(falling("total"), "offset"), PAGES),
    ("totals fall from page to page", ALGORITHMS, paged(falling("total"), "offset"), PAGES),
    ("an item of the page before", JOBS, paged(overlapping("items"), "offset"), PAGES),
    ("an item of the page before", EVENTS, paged(overlapping("events"), "offset"), PAGES),
    # Requests that the document allows.
    ("between is rejected", JOBS, rejecting("ModelArts.2808", "between"), {"rejected"}),
    ("not is rejected", JOBS, rejecting("ModelArts.2808", '"not"'), {"rejected"}),
    ("an order is rejected", ALGORITHMS, rejecting("ModelArts.2764", "order=asc"), {"rejected"}),
    ("the second page is rejected", ALGORITHMS, rejecting("ModelArts.2764", "offset=1"), {"rejected"}),
    ("a level is rejected", EVENTS, rejecting("ModelArts.2764", "level"), {"rejected"}),
    ("a status is rejected", JOBS1, rejecting("ModelArts.0104", "status="), {"rejected"}),
    ("a search is rejected", CONFIGS1, rejecting("ModelArts.0104", "search_content"), {"rejected"}),
    ("every request gets 400", "v2.showTrainingJobEngines", rejecting("ModelArts.2764"), {"rejected"}),
    ("401 for one operation", "v2.showSearchAlgorithms", rejecting("APIG.0301", "", 401), {"rejected"}),
    ("401 for one operation", "v1.listJobEngines", rejecting("ModelArts.0101", "", 401), {"rejected"}),
    ("listed and not found", DETAILS, rejecting("ModelArts.2775"), {"rejected"}),
    ("listed and not found", CONFIG1, rejecting("ModelArts.0105"), {"rejected"}),
    ("no events of a job that is shown", EVENTS, rejecting("ModelArts.2775"), {"rejected"}),
    ("stops working", "v2.showTrainingJobFlavors", rejecting("ModelArts.2764", after=2), {"rejected"}),
    ("stops working", EXPERIMENT, rejecting("ModelArts.2764", after=2), {"rejected"}),
    # Lists of version 1.
    ("page is ignored", JOBS1, ignoring("page"), PAGES),
    ("page is one too far", JOBS1, taking("page", lambda number: number + 1), PAGES),
    ("per_page is ignored", JOBS1, ignoring("per_page"), PAGES),
    ("total is that of the page", JOBS1, success(lambda b: {**b, "job_total_count": len(b["jobs"])}), PAGES),
    ("totals fall from page to page", JOBS1, paged(falling("job_total_count"), "page", 1), PAGES),
    ("an item of the page before", JOBS1, paged(overlapping("jobs"), "page", 1), PAGES),
    ("order is ignored", JOBS1, ignoring("order"), {"order"}),
    ("sortBy is ignored", JOBS1, ignoring("sortBy"), {"order"}),
    ("search_content is ignored", JOBS1, ignoring("search_content"), {"filter"}),
    ("status is ignored", JOBS1, ignoring("status"), {"filter"}),
    ("a name is not found", JOBS1, lambda: hiding_found, {"filter"}),
    ("order is reversed", CONFIGS1, reversed_list("configs"), {"order"}),
    ("status is ignored", BOARDS1, ignoring("status"), {"filter"}),
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
    ("tags of others are found", "v2.listTrainingJobsByTags", ignoring("tags"), {"filter", "story"}, "write"),
    ("a restart does nothing", "v1.restartVisualizationJob", idle(200, DONE), {"story", *FORM}, "write"),
    ("a predecessor is not shown", VERSION1, set_to("pre_version_id", None), {"story", "update"}, "write"),
    ("a version is not deleted", "v1.deleteTrainingJobVersion", idle(200, DONE), {"story"}, "write"),
    # Times and identity.
    ("times in seconds", JOBS, in_seconds("items.*.metadata.create_time"), {"time", "identity"}),
    ("start in seconds", DETAILS, in_seconds("status.start_time"), {"time"}),
    ("a time in 2100", ALGORITHMS, set_to("items.*.metadata.update_time", 4_102_444_800_000), {"time"}),
    ("a negative duration", DETAILS, set_to("status.duration", -5), {"time"}),
    ("a time without offset", EVENTS, set_to("events.*.time", "2026-11-22T10:00:00"), {"time"}),
    ("times in seconds", JOBS1, in_seconds("jobs.*.create_time"), {"time", "identity"}),
    ("create_time moves", ALGORITHM, lambda: Drifting("metadata.create_time"), {"identity"}),
    # What a response says twice.
    ("count is not that of the page", JOBS, success(at("count", lambda count: count + 3)), {"total"}),
    ("total drifts", JOBS, lambda: Drifting("total"), PAGES),
    ("another offset is repeated", JOBS, set_to("offset", 3), {"identity"}),
    ("another limit is repeated", ALGORITHMS, set_to("limit", 7), {"identity"}),
    ("a count too high", "v2.showTrainingJobFlavors", success(at("total_count", lambda n: n + 4)), {"total"}),
    ("an entry is listed twice", "v2.showTrainingJobFlavors", success(at("flavors", lambda e: [*e, e[0]])), {"pages"}),
    ("another job", VERSION1, set_to("job_id", 99_999), {"identity"}),
    ("another version", VERSION1, set_to("version_id", 99_999), {"identity"}),
    ("another configuration", CONFIG1, set_to("config_name", "other"), {"identity"}),
    ("another name than in the list", DETAILS, set_to("metadata.name", "other"), {"identity", "update"}),
    ("an error code in a success", "v1.listJobEngines", set_to("error_code", "ModelArts.0101"), {"success"}),
    ("an error without a message", ALGORITHM, error(at("error_msg", lambda _: "")), {"empty"}),
    ("a start before the creation", DETAILS, success(at("status.start_time", lambda t: t - 10**9)), {"time"}),
    ("a duration longer than since the start", DETAILS, set_to("status.duration", 10**13), {"time"}),
    ("a running time grows after the end", DETAILS, lambda: Drifting("status.duration"), {"phase", "time"}),
    ("a time in 2099", EVENTS, set_to("events.*.time", "2099-01-01T00:00:00.000Z"), {"time"}),
    ("statuses of tasks that it lacks", DETAILS, set_to("status.task_statuses.*.task", "worker-9"), {"identity"}),
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
    ("a boot file outside of the code", CONFIG1, set_to("boot_file_url", "/other/boot.py"), {"identity"}),
    ("more jobs than in the list", EXPERIMENT, success(at("statistic.job_count", lambda n: n + 1)), {"identity"}),
    # What two lists say of the same, and what a catalogue has.
    ("a flavor that there is not", DETAILS, set_to("spec.resource.flavor_id", "none"), {"identity"}),
    ("labels that the list does not have", "v2.showTrainJobTags", set_to("tags", [{"key": "x"}]), {"identity"}),
    ("another name of a task", "v2.listTrainingJobTasks", success(at("*.task", lambda _: "worker-7")), {"identity"}),
    ("stages of another job", STAGES, set_to("running_records.*.stages.*.job_id", "x"), {"identity"}),
    ("stages go back", STAGES, success(at("running_records.*.stages", lambda stages: stages[::-1])), {"time"}),
    ("stages that are all the first", STAGES, set_to("running_records.*.stages.*.stage_order", 1), {"identity"}),
    ("a link to the log of another job", "v2.showObsUrlOfTrainingJobLogs", lambda: link_of_another, {"identity"}),
    ("the log of the first job", "v2.showObsUrlOfTrainingJobLogs", first_for_all, {"identity"}),
    ("ids in capitals", "v2.listTrainingJobsByTags",
     success(at("resources.*.resource_id", lambda id_: id_.upper())), {"identity"}),
    ("ids in capitals", ALGORITHM, success(at("metadata.id", lambda id_: id_.upper())), {"identity"}),
    ("forty minutes of metrics", "v2.showTrainingJobMetrics", set_to("metrics.*.value", [5.0] * 40), {"total"}),
    ("more can be created than there may be", JOBS1,
     success(lambda b: {**b, "job_count_limit": b["quotas"] + 1}), {"total"}),
    ("no experiments beside one", "v2.listTrainingExperiments", set_to("count", 0), {"total"}),
    ("a value of another type", ALGORITHM, set_to("job_config.parameters.*.value", "many"), {"identity"}),
    ("another workspace than that of its jobs", JOBS, set_to("workspace_id", "17"), {"identity"}),
    ("more nodes than a job can have", VERSION1, set_to("worker_server_num", 9), {"total"}),
    # Security.
    ("no login is needed", "v2.showTrainingJobEngines", without_login("none"), {"security"}),
    ("any token opens", DETAILS, without_login("any"), {"security"}),
    ("another project is shown", ALGORITHM, without_login("project"), {"security"}),
    ("an expired token opens", JOBS, without_login("expired"), {"security"}),
    ("a revoked token opens", VERSION1, without_login("revoked"), {"security"}),
    ("a path in an error", DETAILS, leaking("at /usr/lib/modelarts/db.cfg"), {"leak"}),
    ("a stack in an error", VERSION1, leaking("at com.huawei.Jobs.get(Jobs.java:17)"), {"leak"}),
    ("a secret in an error", CONFIG1, leaking("password=hunter22"), {"leak"}),
    # What only a run that writes can show.
    ("200 for 201", "v2.createAlgorithm", response(lambda r: replace(r, status=200)), {"unknown status"}, "write"),
    ("no body", "v2.createTrainingJob", response(lambda r: replace(r, body=b"")), {"story", *FORM}, "write"),
    ("another name", "v2.createTrainingJob", set_to("metadata.name", "x"), {"update"}, "write"),
    ("another default", "v2.createTrainingJob", set_to("metadata.workspace_id", "17"), {"update"}, "write"),
    ("another name is shown", DETAILS, set_to("metadata.name", "x"), {"update"}, "write"),
    ("another name is listed", JOBS1, set_to("jobs.*.job_name", "x"), {"update", "story", "filter"}, "write"),
    ("PUT without effect", "v2.changeAlgorithm", lambda: put_shows_before, {"update"}, "write"),
    ("PUT without effect", "v2.changeTrainingJobDescription", idle(200), {"update"}, "write"),
    ("PUT adds to the description", "v2.changeTrainingJobDescription", lambda: appended, {"update"}, "write"),
    ("PUT without effect", "v1.updateTrainingJobConfig", idle(200, DONE), {"update"}, "write"),
    ("PUT changes the workspace", DETAILS, lambda: MovedByPut(), {"update"}, "write"),
    ("deleted, still shown", ALGORITHM, Ghost, {"story", "deleted"}, "write"),
    ("deleted, still listed", ALGORITHMS, Ghost, {"story", "deleted"}, "write"),
    ("deleted, still listed", JOBS, Ghost, {"story", "deleted"}, "write"),
    ("deleted, still shown", CONFIG1, Ghost, {"story", "deleted"}, "write"),
    ("DELETE without effect", "v1.deleteTrainingJob", idle(200, DONE), {"deleted", "story"}, "write"),
    ("DELETE gets 500", "v2.deleteAlgorithm", always(500), {"story"}, "write"),
    ("a description is lost", "v2.createTrainingJob", set_to("metadata.description", ""), {"update"}, "write"),
    ("another flavor", DETAILS, set_to("spec.resource.flavor_id", "x"), {"update"}, "write"),
    ("a hyperparameter is lost", DETAILS, set_to("algorithm.parameters", []), {"update"}, "write"),
    ("an environment variable is lost", DETAILS, set_to("algorithm.environments", {}), {"update"}, "write"),
    ("another hyperparameter", CONFIG1, set_to("parameter.0.value", "x"), {"update"}, "write"),
    ("another engine", VERSION1, set_to("engine_id", 99), {"update"}, "write"),
    ("another number of versions", VERSIONS1, set_to("version_count", 5), {"total"}, "write"),
    ("tags are not kept", "v2.createTrainJobTags", idle(204), {"story"}, "write"),
    ("a stop does nothing", "v2.stopTrainingJob", idle(202), {"story", *FORM}, "write"),
    ("a stop does nothing", "v1.stopTrainingJobVersion", idle(200, DONE), {"story"}, "write"),
    ("no log files", "v1.listTrainingJobLogFiles", set_to("log_file_list", []), {"story"}, "write"),
    ("PUT empties the code", ALGORITHM, emptied_by_put("job_config.code_dir"), {"update"}, "write"),
    ("PUT loses the hyperparameters", ALGORITHM, emptied_by_put("job_config.parameters"), {"update"}, "write"),
    ("PUT empties the code", CONFIG1, emptied_by_put("app_url", "boot_file_url"), {"update"}, "write"),
    ("a new description empties the code", DETAILS, emptied_by_put("algorithm.code_dir"), {"update"}, "write"),
    ("labels lack a value", "v2.listTrainingJobTags", set_to("tags.*.values", ["x"]), {"story"}, "write"),
    ("Chinese is lost", "v2.createTrainingJob", without_chinese, {"update"}, "write"),
    ("Chinese is lost", "v1.createTrainingJob", without_chinese, {"update"}, "write"),
    ("tags are not removed", "v2.deleteTrainJobTags", idle(204), {"story"}, "write"),
    ("an experiment is not changed", "v2.changeTrainingExperiment", idle(204), {"update", "story"}, "write"),
    ("an experiment is not deleted", "v2.deleteTrainingExperiment", idle(204), {"story", "deleted"}, "write"),
    ("DELETE without effect", "v2.deleteTrainingJob", idle(202), {"story", "deleted"}, "write"),
    ("an end is not final", DETAILS, lambda: Restless('"Completed"', '"Running"'), {"phase"}, "write"),
    ("an end is not final", VERSIONS1, lambda: Restless('"status":10', '"status":8'), {"phase"}, "write"),
    ("a job ends as failed", DETAILS, lambda: Always('"Completed"', '"Failed"'), {"story", "phase"}, "write"),
    ("an error that says it is one in a success", "v1.createTrainingJobConfig", lambda: false_success,
     {"success", "story", *FORM}, "write"),
]  # fmt: skip


DEVIATIONS = [Deviation(row[0], row[1], row[2], frozenset(row[3]), *row[4:]) for row in TABLE]
