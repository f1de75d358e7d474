"""What a job reports of its training: losses, charts, progress and checkpoints.

Pages "ShowFtMetrics" and "ListFtArtifacts". The job writes its charts into a file of a documented form; no page says
where that file is. Here any job can write `REPORT` into one of its outputs: a JSON object with the members of the
response of ShowFtMetrics, and `artifacts`, a list as in the response of ListFtArtifacts. It is read from object storage
as soon as the output is there.
"""

from __future__ import annotations

from typing import Any

import orjson

from modelarts_emulator.engine.obs_paths import parse
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.service import ModelArts
from modelarts_emulator.storage.errors import NoSuchBucket, NoSuchKey
from modelarts_emulator.v2.conventions import invalid
from modelarts_emulator.v2.jobs import JOBS

REPORT = "ft-report.json"
MAX_BYTES = 5 * 1024 * 1024
MEMBERS: dict[str, tuple[type, ...]] = {
    "loss": (dict,), "eval_loss": (dict,), "training_info": (dict,), "train_process": (int, float), "data": (dict,),
}  # fmt: skip


def show_ft_metrics(service: ModelArts, call: Call) -> Response:
    """What the job reports so far; null for what it does not."""
    report = _report(service, call)
    return Response(200, {name: report.get(name) for name in MEMBERS})


def list_ft_artifacts(service: ModelArts, call: Call) -> Response:
    """One page of the checkpoints and models that the job reports, in its own order unless the request has one."""
    query = call.query
    wanted = {name: query[name] for name in ("steps", "epoch", "loss", "status") if name in query}
    found = [
        entry
        for entry in _report(service, call).get("artifacts", [])
        if all(entry.get(name) == value for name, value in wanted.items())
    ]
    if (is_ascending := query.get("order_by_create_time_asc")) is not None:
        found.sort(key=lambda entry: str(entry.get("create_time") or ""), reverse=not is_ascending)
    start = query.get("offset", 0)
    page = found[start : start + query.get("limit", len(found))]
    return Response(200, {"total": len(page), "artifact_info": page})


def _report(service: ModelArts, call: Call) -> dict[str, Any]:
    """The job's report, empty without one; raises ServiceError (2788) if it has another form."""
    with service.database.reading() as connection:
        job = JOBS.find(connection, call.project_id, call.path["training_job_id"])
    for output in job.document["algorithm"]["outputs"]:
        bucket, key = parse("outputs", output["remote"]["obs"]["obs_url"])
        try:
            _, stream = service.store.get(bucket, f"{key.rstrip('/')}/{REPORT}".lstrip("/"))
        except (NoSuchBucket, NoSuchKey):
            continue
        with stream:
            return _checked(f"{output['name']}/{REPORT}", stream.read(MAX_BYTES + 1))
    return {}


def _checked(place: str, content: bytes) -> dict[str, Any]:
    try:
        report = orjson.loads(content) if len(content) <= MAX_BYTES else None
    except ValueError:
        report = None
    if not isinstance(report, dict):
        raise _wrong(place, f"it is not an object of JSON (which has no NaN) of up to {MAX_BYTES // 1024**2} MB")
    for name, types in MEMBERS.items():
        if not isinstance(value := report.get(name), (*types, type(None))) or isinstance(value, bool):
            raise _wrong(place, f"{name} is not {'a number' if float in types else 'an object'}")
    artifacts = report.get("artifacts", [])
    if not isinstance(artifacts, list) or not all(isinstance(entry, dict) for entry in artifacts):
        raise _wrong(place, "artifacts is not a list of objects")
    return report


def _wrong(place: str, reason: str) -> ServiceError:
    return invalid("training_job_id", f"{place} of the job is wrong: {reason}")
