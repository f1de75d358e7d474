"""Experiments: named groups of jobs, which a job joins when it is created.

Pages of "CreateTrainingExperiment", "ListTrainingExperiments", "ShowTrainingExperimentDetails",
"ChangeTrainingExperiment", "DeleteTrainingExperiment" and "CheckTrainingExperiment". No page says what happens to the
jobs of a deleted experiment: here an experiment with jobs cannot be deleted.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from sqlalchemy import BigInteger, Connection, Index, Integer, Row, Table, func, select, update

from modelarts_emulator.engine.tables import TEXT, columns, metadata
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.resources import Resource
from modelarts_emulator.service import ModelArts
from modelarts_emulator.v2.conventions import invalid, page_of, reject_workspace
from modelarts_emulator.v2.jobs import Job, v2_jobs

# Groups of these jobs; `jobs_made` counts all that ever joined, so that no number of a job is used twice.
experiments = Table(
    "experiments",
    metadata,
    *columns({"id": TEXT}, project_id=TEXT, name=TEXT, description=TEXT),
    *columns({}, create_time=BigInteger, update_time=BigInteger, jobs_made=Integer),
    Index("experiment_names", "project_id", "name", unique=True),
)


REFERENCE = "training_experiment_reference"  # of a job's metadata
JOB_COUNT = select(func.count()).where(v2_jobs.c.experiment_id == experiments.c.id).scalar_subquery()


def _read(row: Row[Any]) -> dict[str, Any]:
    names = ("id", "name", "description", "create_time", "update_time")
    metadata = {name: row._mapping[name] for name in names}
    return {"metadata": {**metadata, "workspace_id": "0"}, "statistic": {"job_count": row.job_count}}


EXPERIMENTS: Resource[dict[str, Any]] = Resource(
    key=experiments.c.id,
    scope=experiments.c.project_id,
    rows=select(experiments, JOB_COUNT.label("job_count")),
    read=_read,
    missing=lambda key: ServiceError("ModelArts.2842", f"Experiment {key} not found."),
    in_use=lambda name: ServiceError("ModelArts.2841", f"There is already an experiment of the name {name}."),
    sorts={name: experiments.c[name] for name in ("create_time", "update_time", "name")},
)


def create_training_experiment(service: ModelArts, call: Call) -> Response:
    """Store an experiment without jobs."""
    given = call.body["metadata"]
    reject_workspace(given)
    with service.database.writing() as connection:
        key = _add(connection, call.project_id, given, service.now())
        return Response(201, EXPERIMENTS.find(connection, call.project_id, key))


def list_training_experiments(service: ModelArts, call: Call) -> Response:
    """One page of the project's experiments; newest first unless the request has an order."""
    reject_workspace(call.query)
    page, described = page_of(EXPERIMENTS, call.query, service.offset_unit == "page")
    del described["group_by"]
    with service.database.reading() as connection:
        total, found = EXPERIMENTS.page(connection, call.project_id, page)
    return Response(200, {"total": total, "count": len(found), **described, "items": found})


def show_training_experiment_details(service: ModelArts, call: Call) -> Response:
    """The experiment with the number of its jobs."""
    return Response(200, EXPERIMENTS.of_path(service.database, call, "experiment_id"))


def change_training_experiment(service: ModelArts, call: Call) -> Response:
    """Store what the request gives; jobs of the experiment show its new name."""
    key = call.path["experiment_id"]
    with service.database.writing() as connection:
        EXPERIMENTS.change(connection, call.project_id, key, **call.body, update_time=service.now())
        changed = EXPERIMENTS.find(connection, call.project_id, key)["metadata"]
        jobs = select(v2_jobs.c.id, v2_jobs.c.document).where(v2_jobs.c.experiment_id == key)
        for job_id, document in connection.execute(jobs).all() if "name" in call.body else ():
            document["metadata"][REFERENCE]["name"] = changed["name"]
            connection.execute(update(v2_jobs).where(v2_jobs.c.id == job_id).values(document=document))
    return Response(200, {name: changed[name] for name in ("name", "description")})


def delete_training_experiment(service: ModelArts, call: Call) -> Response:
    """Remove the experiment; raises ServiceError (2788) if it still has jobs."""
    key = call.path["experiment_id"]
    with service.database.writing() as connection:
        count = EXPERIMENTS.find(connection, call.project_id, key)["statistic"]["job_count"]
        if count:
            raise invalid("experiment_id", f"experiment {key} still has jobs ({count}): delete them first")
        EXPERIMENTS.remove(connection, call.project_id, key)
    return Response(202)


def check_training_experiment(service: ModelArts, call: Call) -> Response:
    """Whether the project has an experiment of this name."""
    reject_workspace(call.query)
    with service.database.reading() as connection:
        is_known = EXPERIMENTS.has_name(connection, call.project_id, call.query["experiment_name"])
    return Response(200, {"is_duplicate": is_known})


def join(connection: Connection, job: Job, reference: Mapping[str, Any], now: int) -> None:
    """Make the job one of the experiment that exists by `id`, or of a new one; raises ServiceError as they do."""
    if not (key := reference.get("id")):
        if not reference.get("name"):
            raise invalid(REFERENCE, "it has neither id nor name")
        key = _add(connection, job.project_id, reference, now)
    experiment = EXPERIMENTS.find(connection, job.project_id, key)["metadata"]
    if reference.get("name") not in (None, "", experiment["name"]):
        raise invalid(f"{REFERENCE}.name", f"the name of experiment {key} is {experiment['name']}")
    counted = update(experiments).where(experiments.c.id == key).values(jobs_made=experiments.c.jobs_made + 1)
    number = connection.execute(counted.returning(experiments.c.jobs_made)).scalar_one()
    job.experiment_id = key
    job.document["metadata"][REFERENCE] = {"id": key, "name": experiment["name"], "serial_number": str(number)}


def _add(connection: Connection, project_id: str, given: Mapping[str, Any], now: int) -> str:
    values = {"id": str(uuid.uuid4()), "project_id": project_id, "name": given["name"], "create_time": now}
    rest = {"description": given.get("description") or "", "update_time": now, "jobs_made": 0}
    return str(EXPERIMENTS.add(connection, values | rest))
