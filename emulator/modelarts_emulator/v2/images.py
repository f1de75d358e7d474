"""Images of running tasks; pages "CreateSaveImageJob" and "ShowSaveImageJob".

The emulator builds no image: it records what the task runs in, and says so. A job can name the image's address as a
custom image, because the emulator reads only the address. The pages' prose says which characters are allowed.
"""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import select

from modelarts_emulator.engine.resources import Resource
from modelarts_emulator.engine.tables import saved_images
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.service import ModelArts
from modelarts_emulator.v2.conventions import invalid
from modelarts_emulator.v2.jobs import Job
from modelarts_emulator.v2.task_outputs import find_task

RULES = {"name": re.compile(r"[a-z0-9_.-]{1,512}"), "tag": re.compile(r"[A-Za-z0-9_.-]{1,64}")}

IMAGES: Resource[dict[str, Any]] = Resource(
    key=saved_images.c.task,
    scope=saved_images.c.job_id,
    rows=select(saved_images.c.document),
    read=lambda row: row.document,
    missing=lambda task: invalid("task_id", f"no image of {task} was asked for"),
    in_use=lambda task: invalid("task_id", f"{task} has an image already"),
)


def create_save_image_job(service: ModelArts, call: Call) -> Response:
    """Record what the task runs in, in place of an earlier record; raises ServiceError (2788) unless it runs."""
    request = call.body
    for member, rule in RULES.items():
        if not rule.fullmatch(request[member]):
            raise invalid(member, f"{request[member]!r} has characters that no image's {member} can have")
    job, task = find_task(service, call)
    if job.run.phase != "Running":
        raise invalid("training_job_id", f"only a running task can be saved, the job is {job.run.phase}")
    given = {name: request.get(name) or "" for name in ("name", "namespace", "tag", "description")}
    document = {**given, "status": "ACTIVE", "message": _environment(job), "create_time": service.now()}
    with service.database.writing() as connection:
        if IMAGES.count(connection, job.id, [saved_images.c.task == task]):
            IMAGES.change(connection, job.id, task, document=document)
        else:
            IMAGES.add(connection, {"job_id": job.id, "task": task, "document": document})
    return Response(200, document | {"status": "INIT"})


def show_save_image_job(service: ModelArts, call: Call) -> Response:
    """The record."""
    job, task = find_task(service, call)
    with service.database.reading() as connection:
        return Response(200, IMAGES.find(connection, job.id, task))


def _environment(job: Job) -> str:
    algorithm = job.document["algorithm"]
    engine = algorithm["engine"]
    parts = {
        "image": engine.get("image_url"),
        "engine": engine.get("engine_id"),
        "code": algorithm.get("code_dir"),
        "boot file": algorithm.get("boot_file"),
        "command": algorithm.get("command"),
    }
    shown = ", ".join(f"{name} {value}" for name, value in parts.items() if value)
    return f"The emulator built no image; this records what the task ran in: {shown}."
