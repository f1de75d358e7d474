"""Hints for version 1: versions that end at once or run on, their logs, configurations, visualization jobs."""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import Any

import requests
import schemathesis

from modelarts_contract.run.hints.base import Hints
from modelarts_contract.run.hints.cases import (
    STAND_INS,
    TIMEOUT_S,
    has_good_path,
    is_positive,
    is_stateful,
    operation_of,
    things_of,
)
from modelarts_contract.run.made_up import fingerprint

__all__ = ["HINTS"]

KNOWN: dict[str, Any] = STAND_INS["v1"]
LOGS_OF_A_RUN = {"listTrainingJobLogFiles", "showTrainingJobLog"}
LOGS = "/contract/logs/"
FINAL = {3, 5, 6, 10, 11, 12, 13, 14}
TRAINING, VISUALIZATION, CONFIGS = "training-jobs", "visualization-jobs", "training-job-configs"
NOUNS = {
    TRAINING: "Training job",
    VISUALIZATION: "Visualization job",
    CONFIGS: "Training job configuration",
}
FAILED = "ModelArts.0105"
NOBODY = 999_999_999  # an id that no job has
CREATES_A_BOARD = "createVisualizationJob"
STARTS_AND_STOPS = {"restartVisualizationJob", "stopVisualizationJob"}
NEEDS_AN_END = {"createTrainingJobVersion", "listTrainingJobLogFiles", "showTrainingJobLog"}
STOPS = {"stopTrainingJobVersion", "stopVisualizationJob"}


class V1Hints(Hints):
    def __init__(self) -> None:
        super().__init__()
        self.known = {
            f"{TRAINING}/{KNOWN['job_id']}",
            f"{TRAINING}/{KNOWN['job_id']}/versions/{KNOWN['version_id']}",
            f"{CONFIGS}/{KNOWN['config_name']}",
            f"{CONFIGS}/{KNOWN['sample_name']}",
            *long_version(),
            f"{VISUALIZATION}/{KNOWN['visualization_job_id']}",
            f"{VISUALIZATION}/{KNOWN['ended_visualization_job_id']}",
            f"code/{STAND_INS['code_dir']}",
            f"folders/{LOGS}",
        }
        self.endless = long_version()
        self.stopped = {f"{VISUALIZATION}/{KNOWN['ended_visualization_job_id']}"}
        self.seen: Counter[str] = Counter()

    def exists(self, thing: str) -> bool:
        return thing in self.created or thing in self.known

    def is_ready(self, case: schemathesis.Case, things: set[str]) -> bool:
        name = operation_of(case).operation_id
        if name == "stopTrainingJobVersion":
            return {thing for thing in things if "/versions/" in thing} <= self.endless - self.stopped
        if name == "createTrainingJobVersion":  # what runs on keeps its folder of results
            return not things & self.endless
        if name in {"stopVisualizationJob", "deleteVisualizationJob"}:
            return not things & self.stopped
        if name == "restartVisualizationJob":
            return things <= self.stopped
        return name != "showTrainingJobLog" or self.has_log(case)

    def has_log(self, case: schemathesis.Case) -> bool:
        """Whether the call is about the log that exists, and from a place in it."""
        query, path = case.query or {}, case.path_parameters or {}
        is_cursor_known = "base_line" not in query or is_cursor(query["base_line"])
        is_known = path.get("job_id") == KNOWN["job_id"] and query.get("log_file") == KNOWN["log_file"]
        return is_known and is_cursor_known

    def is_absent(self, case: schemathesis.Case, error: dict[str, Any], things: set[str]) -> bool:
        is_said = error.get("error_code") == FAILED and error.get("error_message") in set(map(absence, things))
        return is_said and not is_about_samples(case)

    def is_private(self, case: schemathesis.Case) -> bool:
        return super().is_private(case) and not is_about_samples(case)

    def before_call(self, case: schemathesis.Case) -> None:
        """Let a version end before its log is asked for or another one follows, and a visualization job before it
        starts again."""
        name, things = operation_of(case).operation_id, things_of(case)
        if not things or not all(map(self.exists, things)) or things & self.deleted or not is_positive(case):
            return
        if name in NEEDS_AN_END and not things & self.endless:
            self.wait(f"{TRAINING}/{(case.path_parameters or {})['job_id']}/versions")
        if name == "restartVisualizationJob" and things <= self.stopped:
            self.wait(things.pop())

    def wait(self, path: str) -> None:
        """Wait until what the path shows has ended."""
        give_up = time.monotonic() + TIMEOUT_S
        while time.monotonic() < give_up and statuses(path) - FINAL:
            time.sleep(0.05)

    def after_call(self, case: schemathesis.Case, response: schemathesis.Response) -> None:
        if response.status_code != 200:
            return
        name, things = operation_of(case).operation_id, things_of(case)
        if name in STOPS:
            self.stopped |= things
        if name == "restartVisualizationJob":
            self.stopped -= things
        if name == "createTrainingJob" and "-long-" in response.json()["job_name"]:
            self.endless |= self.created_by(case, response.json())
        if name == "createTrainingJobVersion" and "-long-" in response.json()["job_name"]:
            self.endless |= self.created_by(case, response.json())

    def aim(self, case: schemathesis.Case) -> None:
        operation, path = operation_of(case), dict(case.path_parameters or {})
        if operation.operation_id in STARTS_AND_STOPS and not is_stateful(case) and is_positive(case):
            case.path_parameters = {**path, "job_id": KNOWN["ended_visualization_job_id"]}
        elif operation.operation_id == "stopTrainingJobVersion" and not is_stateful(case) and is_positive(case):
            case.path_parameters = {**path, "job_id": KNOWN["long_job_id"], "version_id": KNOWN["long_version_id"]}
        elif case.method in {"DELETE", "POST"} and operation.operation_id != "createTrainingJobVersion":
            case.path_parameters = self.spared(operation.collection, path)
        elif self.is_led(case):
            case.path_parameters = {**path, **self.stand_ins(operation.collection, path)}
        if is_positive(case):
            self.aim_query(case)

    def is_led(self, case: schemathesis.Case) -> bool:
        """Whether the path is to lead to the things that exist: where the body names what is in them, always."""
        if not has_good_path(case):
            return False
        if operation_of(case).operation_id == "createTrainingJobVersion":
            return not self.is_linked(case, case.body)
        if is_stateful(case) and operation_of(case).operation_id in LOGS_OF_A_RUN:
            return not things_of(case) <= self.created
        return not is_stateful(case) and not self.is_left_alone(case)

    def ground_body(self, case: schemathesis.Case) -> None:
        """A visualization job that stops by itself runs for an hour at least."""
        super().ground_body(case)
        body: Any = case.body
        if isinstance(body, dict) and is_positive(case) and operation_of(case).operation_id == CREATES_A_BOARD:
            schedule = body.get("schedule", [])
            for entry in schedule if isinstance(schedule, list) else [schedule]:
                entry["duration"] = max(entry["duration"], 1)

    def spared(self, collection: str, path: dict[str, Any]) -> dict[str, Any]:
        """The path, past what other calls stand on: a chain may delete or stop what it finds in a list."""
        stands = self.stand_ins(collection, path)
        return {
            name: value if stands.get(name) != value else NOBODY if isinstance(value, int) else f"{value}-spared"
            for name, value in path.items()
        }

    def stand_ins(self, collection: str, path: dict[str, Any]) -> dict[str, Any]:
        """What exists, by the names of the path's parameters."""
        exist = {**KNOWN, "job_id": KNOWN["visualization_job_id"]} if collection == VISUALIZATION else KNOWN
        return {name: exist[name] for name in path if name in exist}

    def aim_query(self, case: schemathesis.Case) -> None:
        """Ask for what exists: the only workspace, a status, a log file, a sample by the name of a sample."""
        query, name = dict(case.query or {}), operation_of(case).operation_id
        is_known = not things_of(case) <= self.created
        if not query or (fingerprint(query) % 4 == 0 and not is_stateful(case)):
            return
        fixed = {"workspace_id": "0", "status": "8"} | ({"log_file": KNOWN["log_file"]} if is_known else {})
        query |= {member: value for member, value in fixed.items() if member in query}
        if is_stateful(case):
            query.pop("page", None)  # only the first page leads further
        if name == "showTrainingJobLog" and is_known and not is_cursor(query.get("base_line")):
            query.pop("base_line", None)
        elif name == "showTrainingJobConfig" and is_about_samples(case):
            case.path_parameters = {**(case.path_parameters or {}), "config_name": KNOWN["sample_name"]}
        case.query = query

    def is_left_alone(self, case: schemathesis.Case) -> bool:
        """Whether the path stays as it was drawn: every fourth of an operation, in fuzzing by its content."""
        if case.meta is not None and case.meta.phase.name.value == "fuzzing":
            return fingerprint(case.path_parameters) % 4 == 0
        name = operation_of(case).operation_id
        self.seen[name] += 1
        return self.seen[name] % 4 == 2


def long_version() -> set[str]:
    """The job that runs on, and its version."""
    job = f"{TRAINING}/{KNOWN['long_job_id']}"
    return {job, f"{job}/versions/{KNOWN['long_version_id']}"}


def is_cursor(text: str | None) -> bool:
    """Whether the text may come from a link: what is drawn has other characters, nearly always."""
    return text is not None and text.isascii() and text.isdigit()


def is_about_samples(case: schemathesis.Case) -> bool:
    """Whether the call is about configurations that nobody has created."""
    return (case.query or {}).get("config_type") == "sample"


def absence(thing: str) -> str:
    """What the emulator says if there is no such thing."""
    noun, _, id_ = thing.partition("/")
    job, has_version, version = id_.partition("/versions/")
    if has_version:
        return f"Training job {job} has no version {version}."
    return f"{NOUNS[noun]} {id_} does not exist."


def statuses(path: str) -> set[int]:
    """The statuses of what the path shows, a job or a list of versions; empty if there is none."""
    url = f"{os.environ['MODELARTS_ENDPOINT']}/v1/{os.environ['MODELARTS_PROJECT_ID']}/{path}"
    body = requests.get(url, headers={"X-Auth-Token": os.environ["CONTRACT_TOKEN"]}, timeout=TIMEOUT_S).json()
    return {entry["status"] for entry in body.get("versions", [body]) if "status" in entry}


HINTS = V1Hints()
