"""Split jobs into runs, which are executed, and training jobs of v2, which clients see."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

BATCH = 1000
LONG_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
PRESETS = ("job_template", "key_task")
ENGINE = ("engine_id", "engine_name", "engine_version", "image_url")
MILLISECONDS_PER_HOUR = 3_600_000


def _text(length: int) -> sa.String:
    return sa.String(length).with_variant(sa.Text(collation="C"), "postgresql")


PROGRESS: dict[str, Any] = {
    "phase": _text(16),
    "secondary_phase": _text(32),
    "launched": sa.Boolean,
    "attempt": sa.Integer,
    "retries": sa.Integer,
    "hung_task": _text(64),
    "queue_time": sa.BigInteger,
    "start_time": sa.BigInteger,
    "attempt_start": sa.BigInteger,
    "end_time": sa.BigInteger,
    "worked": sa.BigInteger,
    "history": sa.JSON,
}
SHARED = ("id", "project_id", "create_time")
OF_RUNS = ("node_count", "flavor_id", "priority", *PROGRESS)
OF_JOBS = ("user_id", "name", "kind", "algorithm_name")
jobs = sa.table(
    "jobs",
    *(sa.column(name) for name in (*SHARED, *OF_RUNS, *OF_JOBS, "head", "tail") if name not in ("launched", "history")),
    sa.column("launched", sa.Boolean),
    sa.column("history", sa.JSON),
)


def upgrade() -> None:
    runs = op.create_table(
        "runs",
        sa.Column("id", _text(36), primary_key=True),
        sa.Column("project_id", _text(64), nullable=False),
        sa.Column("node_count", sa.Integer, nullable=False),
        sa.Column("flavor_id", _text(64), nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("create_time", sa.BigInteger, nullable=False),
        sa.Column("max_duration", sa.BigInteger, nullable=False),
        sa.Column("restarts", sa.JSON, nullable=False),
        sa.Column("spec", sa.JSON, nullable=False),
        *(sa.Column(name, kind, nullable=False) for name, kind in PROGRESS.items()),
    )
    v2_jobs = op.create_table(
        "v2_jobs",
        sa.Column("id", _text(36), primary_key=True),
        sa.Column("run_id", _text(36), nullable=False, unique=True),
        sa.Column("project_id", _text(64), nullable=False),
        sa.Column("user_id", _text(64), nullable=False),
        sa.Column("name", _text(64), nullable=False),
        sa.Column("kind", _text(64), nullable=False),
        sa.Column("algorithm_name", _text(64), nullable=False),
        sa.Column("create_time", sa.BigInteger, nullable=False),
        sa.Column("description", LONG_TEXT, nullable=False),
        sa.Column("document", sa.JSON, nullable=False),
    )
    _split(op.get_bind(), runs, v2_jobs)
    op.drop_table("jobs")
    op.create_index("run_phases", "runs", ["phase", "project_id", "id"])
    searched = ["project_id", "create_time", "id", "name", "kind", "algorithm_name", "user_id", "run_id"]
    op.create_index("v2_job_searches", "v2_jobs", searched)
    op.create_index("v2_job_names", "v2_jobs", ["project_id", "name"], unique=True)
    op.drop_index("job_events", "events")
    op.execute("ALTER TABLE events RENAME COLUMN job_id TO run_id")
    op.create_index("run_events", "events", ["run_id", "time", "id"])
    op.execute("ALTER TABLE removals RENAME COLUMN job_id TO run_id")


def _split(connection: sa.Connection, runs: sa.Table, v2_jobs: sa.Table) -> None:
    """Every job becomes a run and a training job of the same id, which names its folders and records."""
    last = ""
    while found := connection.execute(sa.select(jobs).where(jobs.c.id > last).order_by(jobs.c.id).limit(BATCH)).all():
        rows = [dict(row._mapping) for row in found]
        documents = [json.loads(f"{{{row['head']},{row['tail']}}}") for row in rows]
        connection.execute(
            sa.insert(runs),
            [
                {name: row[name] for name in (*SHARED, *OF_RUNS)} | _execution(row, document)
                for row, document in zip(rows, documents, strict=True)
            ],
        )
        connection.execute(
            sa.insert(v2_jobs),
            [
                {name: row[name] for name in (*SHARED, *OF_JOBS)}
                | {
                    "run_id": row["id"],
                    "description": document["metadata"].pop("description", ""),
                    "document": document,
                }
                for row, document in zip(rows, documents, strict=True)
            ],
        )
        last = rows[-1]["id"]


def _execution(row: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """What is executed, as it was read from the response until this revision."""
    algorithm, spec = document.get("algorithm") or {}, document.get("spec") or {}
    annotations = document.get("metadata", {}).get("annotations") or {}
    engine = algorithm.get("engine") or {}
    has_own_folders = not engine.get("v1_compatible", False)
    detail = (spec.get("resource") or {}).get("flavor_detail") or {}
    devices = ((detail.get("flavor_info") or {}).get("gpu") or {}).get("unit_num", 0)
    hours = int((spec.get("auto_stop") or {}).get("duration") or 0)
    return {
        "max_duration": hours * MILLISECONDS_PER_HOUR,
        "restarts": {
            "number": int(annotations.get("fault-tolerance/job-retry-num") or "0"),
            "always": annotations.get("fault-tolerance/job-unconditional-retry") == "true",
            "hung": annotations.get("fault-tolerance/hang-retry") == "true",
        },
        "spec": {
            "job_id": row["id"],
            "name": row["name"],
            "node_count": row["node_count"],
            "code_dir": algorithm.get("code_dir"),
            "boot_file": algorithm.get("boot_file"),
            "command": algorithm.get("command"),
            "local_code_dir": algorithm.get("local_code_dir") if has_own_folders else None,
            "working_dir": algorithm.get("working_dir") if has_own_folders else None,
            "parameters": [[entry["name"], entry.get("value") or ""] for entry in algorithm.get("parameters") or ()],
            "inputs": _channels(algorithm.get("inputs") or ()),
            "outputs": _channels(algorithm.get("outputs") or ()),
            "environments": algorithm.get("environments") or {},
            "log_export_url": (spec.get("log_export_path") or {}).get("obs_url"),
            "service_environments": {"MA_NUM_GPUS": str(devices)},
            "engine": {name: engine[name] for name in ENGINE if engine.get(name)},
            "annotations": {name: text for name, text in annotations.items() if name not in PRESETS},
            "search": (algorithm.get("policies") or {}).get("auto_search") or None,
            "resources": {"flavor_id": row["flavor_id"], "gpu_count": devices},
        },
    }


def _channels(entries: Any) -> list[dict[str, Any]]:
    return [
        {"name": entry["name"], "obs_url": entry["remote"]["obs"]["obs_url"], "local_dir": entry["local_dir"]}
        for entry in entries
    ]
