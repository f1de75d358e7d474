"""Quotas: how many jobs a project or a user may have; pages "ShowTrainingQuotas" and "ModifyTrainingQuotas".

The emulator limits one of the documented resources for each user: jobs. A project has the limit of the emulator's
options, in addition to the limits of its users. No page says what a request without a user means; here it means the
project.
"""

from __future__ import annotations

from sqlalchemy import delete, insert

from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.service import ModelArts
from modelarts_emulator.v2.conventions import invalid, unsupported
from modelarts_emulator.v2.jobs import JOBS, quotas, v2_jobs

JOB_NUM = "job-num"


def show_training_quotas(service: ModelArts, call: Call) -> Response:
    """The limit of jobs and how many there are, of the user that the query names or of the project."""
    user_id = call.query.get("user_id")
    if call.query.get("resource") not in (None, "", JOB_NUM):
        return Response(200, {"quotas": []})
    with service.database.reading() as connection:
        own = [v2_jobs.c.user_id == user_id] if user_id else []
        used = JOBS.count(connection, call.project_id, own)
        limit = JOBS.quota_of(connection, call.project_id, user_id) if user_id else None
    most = service.max_jobs if limit is None else limit
    return Response(200, {"quotas": [{"resource": JOB_NUM, "quota": most, "used": used}]})


def modify_training_quotas(service: ModelArts, call: Call) -> Response:
    """Store the user's limit of jobs; raises ServiceError for limits of anything else (2858), or of 0 (2788)."""
    user_id, given = call.body["user_id"], call.body["quotas"]
    for entry in given:
        if entry["resource"] != JOB_NUM:
            raise unsupported(f"the emulator limits {JOB_NUM} for a user, not {entry['resource']}")
        if entry["quota"] < 1:
            raise invalid("quotas.quota", f"{JOB_NUM} is at least 1")
    with service.database.writing() as connection:
        whose = {"project_id": call.project_id, "user_id": user_id}
        for entry in given[-1:]:
            connection.execute(delete(quotas).where(*(quotas.c[name] == value for name, value in whose.items())))
            connection.execute(insert(quotas), whose | {"job_num": entry["quota"]})
        used = JOBS.count(connection, call.project_id, [v2_jobs.c.user_id == user_id])
        limit = JOBS.quota_of(connection, call.project_id, user_id)
    shown = {"resource": JOB_NUM, "quota": service.max_jobs if limit is None else limit, "used": used}
    return Response(200, {"user_id": user_id, "quotas": [shown]})
