"""Hints for version 2: algorithms, jobs that end at once or run on, and searches of hyperparameters."""

from __future__ import annotations

import os
import time
from collections import Counter

import requests
import schemathesis

from modelarts_contract.run.hints.base import Hints
from modelarts_contract.run.hints.cases import (
    STAND_INS,
    TIMEOUT_S,
    has_good_path,
    is_positive,
    is_stateful,
    kind_of,
    operation_of,
    things_of,
)
from modelarts_contract.run.made_up import fingerprint
from modelarts_contract.run.operations import HARMLESS

__all__ = ["HINTS"]

STOPS = {"stopTrainingJob", "stopAutoSearchTrial"}
NEEDS_A_RUN = {"showObsUrlOfTrainingJobLogs"}
HAS_MORE_AFTER_A_RUN = {"showTrainingJobLogsPreview", "showTrainingJobMetrics"}
CODE = STAND_INS.get("code_dir")
ON_ITS_WAY = {"Creating", "Pending", "Running", "Terminating"}
SEARCHES = {
    name: STAND_INS[state]
    for state, names in {
        "searched": ("showAutoSearchParamsAnalysis",),
        "searching": ("showAutoSearchTrials", "stopAutoSearchTrial"),
    }.items()
    for name in names
    if state in STAND_INS
}
EXIST = {value for known in (STAND_INS, *SEARCHES.values()) for value in known.values() if isinstance(value, str)}


class V2Hints(Hints):
    def __init__(self) -> None:
        super().__init__()
        self.stopped: set[str] = set()
        self.ends_soon: set[str] = set()
        self.seen: Counter[str] = Counter()

    def exists(self, thing: str) -> bool:
        return thing in self.created or thing.rpartition("/")[2] in EXIST

    def is_ready(self, case: schemathesis.Case, things: set[str]) -> bool:
        name = operation_of(case).operation_id
        if name == "changeAlgorithm":  # which must have code that exists
            config = case.body.get("job_config", {}) if isinstance(case.body, dict) else {}
            return not isinstance(config, dict) or config.get("code_dir", CODE) == CODE
        if name in STOPS:  # trials of all searches have the same ids
            return not ids(things) & ids(self.ends_soon | self.stopped)
        return name not in NEEDS_A_RUN or not things & (self.created - self.ends_soon)

    def before_call(self, case: schemathesis.Case) -> None:
        """Let a job end before its log is asked for, and every second one before its preview and metrics are."""
        name, job = operation_of(case).operation_id, str((case.path_parameters or {}).get("training_job_id"))
        is_to_end = name in NEEDS_A_RUN or (name in HAS_MORE_AFTER_A_RUN and fingerprint(job) % 2)
        if f"training-jobs/{job}" in self.ends_soon and is_to_end:
            give_up = time.monotonic() + TIMEOUT_S
            while time.monotonic() < give_up and phase_of(job) in ON_ITS_WAY:
                time.sleep(0.02)

    def after_call(self, case: schemathesis.Case, response: schemathesis.Response) -> None:
        if operation_of(case).operation_id in STOPS and kind_of(case) == "change":
            self.stopped |= things_of(case)
        if response.status_code == 201 and kind_of(case) == "create":
            body = response.json()
            if "-short-" in body["metadata"]["name"] or not STAND_INS.get("plans", {}).get("short"):
                self.ends_soon |= self.created_by(case, body)

    def aim(self, case: schemathesis.Case) -> None:
        self.spare(case)
        if is_stateful(case):
            self.search_instead(case)
        self.ground_path(case)

    def spare(self, case: schemathesis.Case) -> None:
        """Aim past what other calls stand on: ids come from lists as well, and a chain may delete what it finds."""
        stands = {STAND_INS.get(name) for name in ("algorithm_id", "printed_algorithm_id", "training_job_id")}
        stands |= {search["training_job_id"] for search in SEARCHES.values()}
        harmless = case.method.upper() in HARMLESS or operation_of(case).operation_id == "stopAutoSearchTrial"
        if not harmless and case.path_parameters:
            case.path_parameters = {
                name: f"{value}-spared" if value in stands else value for name, value in case.path_parameters.items()
            }

    def search_instead(self, case: schemathesis.Case) -> None:
        """Let three of four chains go on with the whole of a search, which takes longer to start than a chain has."""
        path, search = case.path_parameters or {}, SEARCHES.get(operation_of(case).operation_id)
        is_own = f"training-jobs/{path.get('training_job_id')}" in self.created
        if search and is_own and fingerprint(path) % 4 and "trial_id" not in path:
            case.path_parameters = {**path, "training_job_id": search["training_job_id"]}
            case.query = {}

    def ground_path(self, case: schemathesis.Case) -> None:
        """Lead three of four well-formed requests that read to something which exists."""
        name = operation_of(case).operation_id
        if case.method == "GET" and has_good_path(case) and not is_stateful(case) and not self.is_left_alone(case):
            exists = STAND_INS.get("searched", STAND_INS) if "autosearch" in case.path else STAND_INS
            known = {name: exists[name] for name in case.path_parameters or {} if name in exists}
            case.path_parameters = {**(case.path_parameters or {}), **known}
        elif name == "stopAutoSearchTrial" and not is_stateful(case) and is_positive(case):
            known = SEARCHES.get(name, {})
            given = case.path_parameters or {}
            case.path_parameters = {name: known.get(name, value) for name, value in given.items()}

    def is_left_alone(self, case: schemathesis.Case) -> bool:
        """Whether the path stays as it was drawn: every fourth of an operation, in fuzzing by its content.

        Fuzzing may draw a case again, and wants the same of it.
        """
        if case.meta is not None and case.meta.phase.name.value == "fuzzing":
            return fingerprint(case.path_parameters) % 4 == 0
        name = operation_of(case).operation_id
        self.seen[name] += 1
        return self.seen[name] % 4 == 2


def ids(things: set[str]) -> set[str]:
    return {thing.rpartition("/")[2] for thing in things}


def phase_of(job: str) -> str | None:
    url = f"{os.environ['MODELARTS_ENDPOINT']}/v2/{os.environ['MODELARTS_PROJECT_ID']}/training-jobs/{job}"
    response = requests.get(url, headers={"X-Auth-Token": os.environ["CONTRACT_TOKEN"]}, timeout=TIMEOUT_S)
    return str(response.json()["status"]["phase"]) if response.ok else None


HINTS = V2Hints()
