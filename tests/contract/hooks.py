"""What schemathesis must know beyond the documents: how to log in, what exists, and two promises it cannot infer.

Loaded by the `st` command through `hooks` in schemathesis.toml. Everything comes from the environment: the variables
that `modelarts emulator env` prints, and what runs.py adds: CONTRACT_DOCUMENT, the name of the document on trial,
CONTRACT_TOKEN and CONTRACT_LOGIN, a token and the body of the login that gives one, CONTRACT_STAND_INS, a JSON object
of things that exist at the service (see `seed` in service.py), CONTRACT_PREFIX, with which the names of all that is
created start, CONTRACT_RECORD, the file that gets a line per exchange, CONTRACT_READ_ONLY, CONTRACT_CHAINS_ONLY and
CONTRACT_GUARDED, for a service that others use too, `1` where that is so, and CONTRACT_SIGNATURE, the form in which
requests are signed (`scoped`, `unscoped`; empty: they carry the token).
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import requests
import schemathesis
import schemathesis.cli
from hypothesis import strategies
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import ComponentInfo
from tests.contract.made_up import NAMES, fingerprint
from tests.contract.operations import HARMLESS, operations
from tests.contract.recording import record_into

TIMEOUT = 10
STAND_INS: dict[str, Any] = json.loads(os.environ.get("CONTRACT_STAND_INS", "{}"))
PREFIX = os.environ["CONTRACT_PREFIX"]
READ_ONLY = os.environ.get("CONTRACT_READ_ONLY") == "1"
CHAINS_ONLY = os.environ.get("CONTRACT_CHAINS_ONLY") == "1"
GUARDED = os.environ.get("CONTRACT_GUARDED") == "1"
DOCUMENT = os.environ["CONTRACT_DOCUMENT"]
OPERATIONS = operations(DOCUMENT)

GROUNDED: set[str] = set()

schemathesis.cli.handler()(record_into(Path(os.environ["CONTRACT_RECORD"]), GROUNDED))


class IamToken:
    """The login of a run: a token."""

    def get(self, case: schemathesis.Case, context: schemathesis.AuthContext) -> str:
        return os.environ["CONTRACT_TOKEN"]

    def set(self, case: schemathesis.Case, data: str, context: schemathesis.AuthContext) -> None:
        case.headers["X-Auth-Token"] = data


class Signer(requests.auth.AuthBase):
    """The login of a run that signs its requests, as they go out, with the keys of the environment."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        import httpx

        from modelarts_toolkit.signing import sign

        body = request.body.encode() if isinstance(request.body, str) else request.body
        assert body is None or isinstance(body, bytes)
        headers = {name: str(value) for name, value in request.headers.items() if name.lower() != "content-length"}
        signed = httpx.Request(request.method or "", request.url or "", headers=headers, content=body)
        now = datetime.now(UTC)
        sign(signed, os.environ["MODELARTS_ACCESS_KEY"], os.environ["MODELARTS_SECRET_KEY"], now, scope=SCOPE)
        request.headers.update({name: signed.headers[name] for name in ("Host", "X-Sdk-Date", "Authorization")})
        return request


SIGNS = os.environ.get("CONTRACT_SIGNATURE", "")
SCOPE = "eu-de/modelarts" if SIGNS == "scoped" else None
if SIGNS:
    schemathesis.auth.set_from_requests(Signer())  # type: ignore[attr-defined]  # its own annotation lacks it
else:
    schemathesis.auth()(IamToken)


def operation_of(case: schemathesis.Case) -> str:
    """The operation as `<document>.<operationId>`: documents may use the same ids."""
    return operation_named(case.operation)


def operation_named(operation: Any) -> str:
    return f"{DOCUMENT}.{operation.definition.raw['operationId']}"


def kind_of(case: schemathesis.Case) -> str:
    """What the operation does: "read", "login", "create" or "change"; "unknown" for a method that it does not have."""
    operation = OPERATIONS[case.operation.definition.raw["operationId"]]
    return operation.kind if case.method.upper() == operation.method else "unknown"


def is_stateful(case: schemathesis.Case) -> bool:
    return case.meta is not None and case.meta.phase.name.value == "stateful"


def is_positive(case: schemathesis.Case) -> bool:
    return case.meta is not None and case.meta.generation.mode.is_positive


def has_good_path(case: schemathesis.Case) -> bool:
    """Whether the path is well-formed, whatever the rest is: what is malformed there shows with things that exist."""
    path = case.meta and case.meta.components.get(ParameterLocation.PATH)
    return not isinstance(path, ComponentInfo) or path.mode.is_positive


def ground_algorithm(body: dict[str, Any]) -> None:
    """Point a well-formed algorithm at code that exists."""
    body["metadata"] = {**body["metadata"], "name": NAMES.take("algorithm")}
    body["job_config"] = {
        **body.get("job_config", {}),
        "code_dir": STAND_INS["code_dir"],
        "boot_file": STAND_INS["boot_file"],
        "engine": STAND_INS["engine"],
    }


def ground_job(body: dict[str, Any]) -> None:
    """Point a well-formed job at an algorithm and a flavor that exist, and leave out dedicated hardware."""
    plan = "long" if NAMES.used % 2 else "short"
    body["metadata"] = {"name": NAMES.take(f"{plan}-job"), "annotations": STAND_INS["plans"][plan]}
    body["kind"] = "job"
    body["algorithm"] = {"id": STAND_INS["algorithm_id"]}
    body["spec"] = {"resource": {"flavor_id": STAND_INS["flavor_id"], "node_count": 1}}


def ground_login(body: dict[str, Any]) -> None:
    """Use the credentials that are right."""
    body.update(json.loads(os.environ["CONTRACT_LOGIN"]))


def ground_keys(body: dict[str, Any]) -> None:
    """Use a token that is right; the one in the header goes before it."""
    body["auth"] = {"identity": {"methods": ["token"], "token": {"id": os.environ["CONTRACT_TOKEN"]}}}


SUBJECT = "X-Subject-Token"
SUBJECTS = {os.environ["CONTRACT_TOKEN"]}
ABOUT_TOKENS = {"iam.showToken", "iam.checkToken", "iam.deleteToken"}


def ground_subject(case: schemathesis.Case) -> None:
    """Let three of four well-formed calls about a token be about a valid one; one that is to end is a new one."""
    if operation_of(case) not in ABOUT_TOKENS or not is_positive(case) or kind_of(case) == "unknown":
        return
    if not fingerprint(dict(case.headers or {})) % 4:
        return
    token = os.environ["CONTRACT_TOKEN"]
    if operation_of(case) == "iam.deleteToken":
        url = f"{os.environ['MODELARTS_IAM_ENDPOINT']}/v3/auth/tokens"
        response = requests.post(url, json=json.loads(os.environ["CONTRACT_LOGIN"]), timeout=TIMEOUT)
        token = response.headers[SUBJECT]
        SUBJECTS.add(token)
    case.headers[SUBJECT] = token


CREATED: set[str] = set()
DELETED: set[str] = set()
STOPPED: set[str] = set()
ENDS_SOON: set[str] = set()
STOPS = {"v2.stopTrainingJob", "v2.stopAutoSearchTrial"}
NEEDS_A_RUN = {"v2.showObsUrlOfTrainingJobLogs"}
HAS_MORE_AFTER_A_RUN = {"v2.showTrainingJobLogsPreview", "v2.showTrainingJobMetrics"}
ON_ITS_WAY = {"Creating", "Pending", "Running", "Terminating"}


@schemathesis.hook
def after_call(context: schemathesis.HookContext, case: schemathesis.Case, response: schemathesis.Response) -> None:
    """Remember what exists, so that a link which names it is followed as it is written."""
    if kind_of(case) == "change":
        ids = {str(value) for value in (case.path_parameters or {}).values()}
        (DELETED if case.method.upper() == "DELETE" else STOPPED if operation_of(case) in STOPS else set()).update(ids)
    if response.status_code in {200, 201} and kind_of(case) == "create":
        created = response.json()["metadata"]
        CREATED.add(created["id"])
        if "-short-" in created["name"] or not STAND_INS.get("plans", {}).get("short"):
            ENDS_SOON.add(created["id"])


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case, kwargs: dict[str, Any]) -> None:
    """Keep to what the run created where others work too; let a job end before its log is asked for.

    Every second one ends before its preview and metrics are asked for, too.
    """
    name, job = operation_of(case), str((case.path_parameters or {}).get("training_job_id"))
    if job in ENDS_SOON and (name in NEEDS_A_RUN or (name in HAS_MORE_AFTER_A_RUN and fingerprint(job) % 2)):
        give_up = time.monotonic() + TIMEOUT
        while time.monotonic() < give_up and phase_of(job) in ON_ITS_WAY:
            time.sleep(0.02)
    if GUARDED:
        keep_to_own(case)
    if is_grounded(case):
        GROUNDED.add(case.id)


def is_grounded(case: schemathesis.Case) -> bool:
    """Whether the request is well-formed, and everything that its path and body name exists and is ready for it."""
    if not is_positive(case) or kind_of(case) == "unknown":
        return False
    given: dict[str, Any] = case.body if isinstance(case.body, dict) else {}
    if operation_of(case) in ABOUT_TOKENS:
        return str(case.headers.get(SUBJECT)) in SUBJECTS
    if kind_of(case) == "login":
        right: dict[str, Any] = {}
        GROUND[operation_of(case)](right)
        return given == right
    ids = {value for name, value in (case.path_parameters or {}).items() if name != "project_id"}
    if kind_of(case) == "create":
        name = str(given.get("metadata", {}).get("name"))
        if not name.startswith(PREFIX) or name.startswith(f"{PREFIX}other-"):
            return False
        ids |= {given["algorithm"]["id"]} if "id" in given.get("algorithm", {}) else set()
    unready = ENDS_SOON | STOPPED if operation_of(case) in STOPS else set()
    if operation_of(case) in NEEDS_A_RUN:
        unready = CREATED - ENDS_SOON
    return ids <= EXIST | CREATED and not ids & (DELETED | unready)


def phase_of(job: str) -> str | None:
    url = f"{os.environ['MODELARTS_ENDPOINT']}/v2/{os.environ['MODELARTS_PROJECT_ID']}/training-jobs/{job}"
    response = requests.get(url, headers={"X-Auth-Token": os.environ["CONTRACT_TOKEN"]}, timeout=TIMEOUT)
    return str(response.json()["status"]["phase"]) if response.ok else None


LOGINS = {"iam.createToken": ground_login, "iam.createTemporaryKeys": ground_keys}
GROUND = {"v2.createAlgorithm": ground_algorithm, "v2.createTrainingJob": ground_job, **LOGINS}
PRINTED_ID = "01c399ae-8593-4ef5-9e4d-085950aacde1"


@schemathesis.hook
def before_generate_body(
    context: schemathesis.HookContext, strategy: strategies.SearchStrategy[Any]
) -> strategies.SearchStrategy[Any]:
    """Draw nothing where a chain starts: `map_case` replaces the whole body, and drawing it takes a third of a run."""
    if not CHAINS_ONLY or context.operation is None or operation_named(context.operation) not in GROUND:
        return strategy
    return strategies.builds(dict)


SEARCHES = {
    name: STAND_INS[state]
    for state, names in {
        "searched": ("showAutoSearchParamsAnalysis",),
        "searching": ("showAutoSearchTrials", "stopAutoSearchTrial"),
    }.items()
    for name in (f"v2.{name}" for name in names)
    if state in STAND_INS
}


EXIST = {value for known in (STAND_INS, *SEARCHES.values()) for value in known.values() if isinstance(value, str)}


def spare(case: schemathesis.Case) -> None:
    """Aim past what other calls stand on: ids come from lists as well, and a chain may delete what it finds there."""
    stands = {STAND_INS.get(name) for name in ("algorithm_id", "printed_algorithm_id", "training_job_id")}
    stands |= {search["training_job_id"] for search in SEARCHES.values()}
    harmless = case.method.upper() in HARMLESS or operation_of(case) == "v2.stopAutoSearchTrial"
    if not harmless and case.path_parameters:
        case.path_parameters = {
            name: f"{value}-spared" if value in stands else value for name, value in case.path_parameters.items()
        }


def search_instead(case: schemathesis.Case) -> None:
    """Let three of four chains go on with the whole of a search, which takes longer to start than a chain has time."""
    path, search = case.path_parameters or {}, SEARCHES.get(operation_of(case))
    if search and path.get("training_job_id") in CREATED and fingerprint(path) % 4 and "trial_id" not in path:
        case.path_parameters = {**path, "training_job_id": search["training_job_id"]}
        case.query = {}


@schemathesis.hook
def map_case(context: schemathesis.HookContext, case: schemathesis.Case) -> schemathesis.Case:
    """Ground three of four well-formed requests."""
    spare(case)
    if is_stateful(case):
        search_instead(case)
    ground_path(case)
    ground_body(case)
    ground_subject(case)
    return case


SEEN: Counter[str] = Counter()


def is_left_alone(case: schemathesis.Case) -> bool:
    """Whether the path stays as it was drawn: every fourth of an operation, in fuzzing by its content.

    Fuzzing may draw a case again, and wants the same of it.
    """
    if case.meta is not None and case.meta.phase.name.value == "fuzzing":
        return fingerprint(case.path_parameters) % 4 == 0
    SEEN[operation_of(case)] += 1
    return SEEN[operation_of(case)] % 4 == 2


def ground_path(case: schemathesis.Case) -> None:
    """Lead three of four well-formed requests that read to something which exists."""
    if case.method == "GET" and has_good_path(case) and not is_stateful(case) and not is_left_alone(case):
        exists = STAND_INS.get("searched", STAND_INS) if "autosearch" in case.path else STAND_INS
        known = {name: exists[name] for name in case.path_parameters or {} if name in exists}
        case.path_parameters = {**(case.path_parameters or {}), **known}
    elif operation_of(case) == "v2.stopAutoSearchTrial" and not is_stateful(case) and is_positive(case):
        known = SEARCHES.get(operation_of(case), {})
        case.path_parameters = {name: known.get(name, value) for name, value in (case.path_parameters or {}).items()}


def ground_body(case: schemathesis.Case) -> None:
    """Ground three of four well-formed bodies: a schema cannot say which algorithm, flavor, job or user exists.

    A chain of calls starts from bodies that hold nothing else, because it is about what comes after them.
    """
    ground = GROUND.get(operation_of(case))
    if ground is None or not is_positive(case) or not isinstance(case.body, dict):
        return
    algorithm = case.body.get("algorithm")
    if isinstance(algorithm, dict) and algorithm.get("id") in CREATED:
        return
    if isinstance(algorithm, dict) and algorithm.get("id") == PRINTED_ID and STAND_INS:
        # The documented job as printed, but for the id: only the service gives ids.
        case.body = {**case.body, "algorithm": {**algorithm, "id": STAND_INS["printed_algorithm_id"]}}
    elif (is_stateful(case) or fingerprint(case.body) % 4) and (STAND_INS or operation_of(case) in LOGINS):
        case.body = {"metadata": {}} if is_stateful(case) and operation_of(case) not in LOGINS else dict(case.body)
        ground(case.body)


NAME = re.compile("[0-9A-Za-z_-]{1,64}")


def is_named(body: Any) -> bool:
    """Whether the body has a well-formed name, whatever the rest is."""
    metadata = body.get("metadata") if isinstance(body, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return isinstance(name, str) and NAME.fullmatch(name) is not None


def keep_to_own(case: schemathesis.Case) -> None:
    """Name after the run what is created, and lead what changes to something that this process created, or nowhere."""
    if kind_of(case) == "read":
        return
    body: Any = case.body
    if is_named(body) and not body["metadata"]["name"].startswith(PREFIX):
        case.body = {**body, "metadata": {**body["metadata"], "name": NAMES.take("other")}}
    owner = OPERATIONS[case.operation.definition.raw["operationId"]].owner_parameter
    path = case.path_parameters or {}
    for name, value in path.items():
        is_safe = value in CREATED if name == owner else NAME.fullmatch(str(value))
        if name != "project_id" and not is_safe:
            case.path_parameters = {**(case.path_parameters or {}), name: NAMES.take("absent")}


@schemathesis.hook
def filter_case(context: schemathesis.HookContext, case: schemathesis.Case) -> bool:
    """Drop every call that could change what is not ours: the guard would reject it (guard.py)."""
    kind = kind_of(case)
    if not GUARDED or kind == "read":
        return True
    if READ_ONLY or kind in {"login", "unknown"} or not has_good_path(case):
        return False
    has_name = isinstance(case.body, dict) and "metadata" in case.body
    return is_stateful(case) or is_named(case.body) or (kind == "change" and not has_name)


ABSENT = {"ModelArts.2755", "ModelArts.2775"}


def error_code(response: schemathesis.Response) -> str | None:
    try:
        body = response.json()
    except ValueError:
        return None
    return body.get("error_code") if isinstance(body, dict) else None


@schemathesis.check
class CreatedIsFound:
    """What was created and not deleted is found.

    The service says "not found" with status 400; the `ensure_resource_availability` of schemathesis looks at 404 only.
    """

    def __init__(self) -> None:
        self.alive: set[str] = set()

    def after_response(
        self, ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case
    ) -> None:
        if response.status_code in {200, 201} and kind_of(case) == "create":
            self.alive.add(response.json()["metadata"]["id"])
            return
        known = {str(value) for value in (case.path_parameters or {}).values()} & self.alive
        if case.method == "DELETE":
            self.alive -= known
        elif known and error_code(response) in ABSENT:
            raise AssertionError(f"{case.method} {case.path} does not find {known}, which was created and not deleted")


@schemathesis.check
def documented_code(ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """A rejection carries a code that the document lists for its status."""
    code = error_code(response)
    responses = case.operation.definition.raw["responses"]
    if (
        code is None
        or case.method.lower() != case.operation.method.lower()
        or str(response.status_code) not in responses
    ):
        return
    documented = responses[str(response.status_code)]
    if "$ref" in documented:
        documented = case.operation.schema.raw_schema["components"]["responses"][documented["$ref"].rpartition("/")[2]]
    listed = documented.get("x-error-codes")
    if listed is not None and code not in listed:
        raise AssertionError(
            f"{case.method} {case.path} rejects with {response.status_code} {code}, which is not listed"
        )


@schemathesis.check
class NeighbourSeesNothing:
    """What one project can read, the token of another project cannot."""

    def __init__(self) -> None:
        self.probed: set[str] = set()

    def after_response(
        self, ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case
    ) -> None:
        neighbour = STAND_INS.get("neighbour")
        name = operation_of(case)
        reads = case.method == "GET" and 200 <= response.status_code < 300
        if neighbour is None or not reads or "{project_id}" not in case.path or name in self.probed:
            return
        self.probed.add(name)
        url = str(response.request.url)
        headers = {"X-Auth-Token": neighbour["token"]}
        responses = {"in our project": requests.get(url, headers=headers, timeout=TIMEOUT)}
        if set(case.path_parameters or {}) & {"training_job_id", "algorithm_id"}:
            own = url.replace(os.environ["MODELARTS_PROJECT_ID"], neighbour["project_id"])
            responses["in its own project"] = requests.get(own, headers=headers, timeout=TIMEOUT)
        for where, found in responses.items():
            if found.status_code < 400:
                raise AssertionError(f"another project's token reads {case.path} {where}: status {found.status_code}")
