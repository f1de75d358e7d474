"""Tags: labels of jobs, by which jobs can be found.

Pages "ShowTrainJobTags", "CreateTrainJobTags", "DeleteTrainJobTags", "ListTrainingJobTags", "ListTrainingJobsByTags"
and "CountTrainingJobsByTags". Their prose says which characters a tag may have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, select

from modelarts_emulator.engine.database import contains
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.resources import Page, Resource
from modelarts_emulator.service import ModelArts
from modelarts_emulator.v2.conventions import invalid, reject_workspace
from modelarts_emulator.v2.jobs import JOBS, job_tags, v2_jobs

KEY = re.compile(r"(?!_sys_)(?! )[\w .:=+@-]{1,128}(?<! )")
VALUE = re.compile(r"(?! )[\w .:=+@/-]{0,255}(?<! )|")
MOST = 1000  # keys or jobs of a page, unless the request says otherwise

TAGS: Resource[dict[str, str]] = Resource(
    key=job_tags.c.key,
    scope=job_tags.c.job_id,
    rows=select(job_tags.c.key, job_tags.c.value),
    read=lambda row: {"key": row.key, "value": row.value},
    missing=lambda key: invalid("key", f"the job has no tag {key}"),
    in_use=lambda key: invalid("key", f"the job has a tag {key}"),
)


def show_train_job_tags(service: ModelArts, call: Call) -> Response:
    """The tags of the job, in the order of their keys."""
    with service.database.reading() as connection:
        job = JOBS.find(connection, call.project_id, call.path["training_job_id"])
        return Response(200, {"tags": TAGS.every(connection, job.id)})


def create_train_job_tags(service: ModelArts, call: Call) -> Response:
    """Give the job the tags; a key that it has gets the new value."""
    given = _given(call)
    with service.database.writing() as connection:
        job = JOBS.find(connection, call.project_id, call.path["training_job_id"])
        known = {tag["key"] for tag in TAGS.every(connection, job.id)}
        for key, value in given.items():
            if key in known:
                TAGS.remove(connection, job.id, key)
            new = {"job_id": job.id, "project_id": call.project_id, "key": key, "value": value or ""}
            TAGS.add(connection, new)
    return Response(204)


def delete_train_job_tags(service: ModelArts, call: Call) -> Response:
    """Remove the tags with these keys, and these values where there are some; others are left out."""
    given = _given(call)
    with service.database.writing() as connection:
        job = JOBS.find(connection, call.project_id, call.path["training_job_id"])
        for tag in TAGS.every(connection, job.id):
            if tag["key"] in given and given[tag["key"]] in (None, tag["value"]):
                TAGS.remove(connection, job.id, tag["key"])
    return Response(204)


def list_training_job_tags(service: ModelArts, call: Call) -> Response:
    """One page of the keys in the project, each with its values."""
    offset, limit = call.query.get("offset", 0), call.query.get("limit", MOST)
    columns = (job_tags.c.key, job_tags.c.value)
    query = select(*columns).where(job_tags.c.project_id == call.project_id).distinct().order_by(*columns)
    values: dict[str, list[str]] = {}
    with service.database.reading() as connection:
        for key, value in connection.execute(query):
            values.setdefault(key, []).append(value)
    page = list(values.items())[offset : offset + limit]
    return Response(200, {"tags": [{"key": key, "values": found} for key, found in page]})


def list_training_jobs_by_tags(service: ModelArts, call: Call) -> Response:
    """One page of the jobs that meet the conditions, newest first."""
    page = Page("create_time", False, call.query.get("offset", 0), call.query.get("limit", MOST))
    with service.database.reading() as connection:
        total, jobs = JOBS.page(connection, call.project_id, page, _conditions(connection, call))
        tags = {job.id: TAGS.every(connection, job.id) for job in jobs}
    resources = [
        {
            "resource_id": job.id,
            "resource_name": job.name,
            "resource_detail": {},
            "workspace_id": "0",
            "tags": tags[job.id],
        }
        for job in jobs
    ]
    return Response(200, {"resources": resources, "total_count": total})


def count_training_jobs_by_tags(service: ModelArts, call: Call) -> Response:
    """How many jobs meet the conditions."""
    with service.database.reading() as connection:
        total = JOBS.count(connection, call.project_id, _conditions(connection, call))
    return Response(200, {"total_count": total})


def tag_conditions(wanted: Sequence[Mapping[str, Any]]) -> list[ColumnElement[bool]]:
    """Jobs that have all these tags, each with one of its values, or with any; raises ServiceError (2788)."""
    keys = [condition.get("key") or "" for condition in wanted]
    if not all(keys) or len(set(keys)) < len(keys):
        raise invalid("tags", "every condition has a key, and no two have the same")
    found: list[ColumnElement[bool]] = []
    for condition in wanted:
        having = select(job_tags.c.job_id).where(job_tags.c.key == condition["key"])
        if condition.get("values"):
            having = having.where(job_tags.c.value.in_(condition["values"]))
        found.append(v2_jobs.c.id.in_(having))
    return found


def _conditions(connection: Connection, call: Call) -> list[ColumnElement[bool]]:
    reject_workspace(call.body)
    if call.body.get("without_any_tag"):
        tagged = select(job_tags.c.job_id).where(job_tags.c.project_id == call.project_id)
        found: list[ColumnElement[bool]] = [v2_jobs.c.id.not_in(tagged)]
    else:
        found = tag_conditions(call.body.get("tags") or ())
    for match in call.body.get("matches") or ():
        if (key := match.get("key") or "resource_name") != "resource_name":
            raise invalid("matches", f"{key} is not resource_name")
        found.append(contains(connection, v2_jobs.c.name, match.get("value") or ""))
    return found


def _given(call: Call) -> dict[str, str | None]:
    """The tags of the request, None for a value that is left out; raises ServiceError (2788) for characters."""
    given = {tag["key"]: tag.get("value") for tag in call.body["tags"]}
    for key, value in given.items():
        if not KEY.fullmatch(key):
            rule = "1 to 128 letters, digits, spaces within, and _ . : = + - @, not beginning with _sys_"
            raise invalid("tags.key", f"{key!r} is not {rule}")
        if not VALUE.fullmatch(value or ""):
            rule = "up to 255 letters, digits, spaces within, and _ . : / = + - @"
            raise invalid("tags.value", f"{value!r} is not {rule}")
    return given
