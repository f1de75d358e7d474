"""Jobs that an earlier version ended get a time at which their logs are deleted."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import text
from tests.emulator.database.test_schema import plain_engine, upgrade

from modelarts_emulator.database.engine import open_database

DAYS_30_MS = 30 * 24 * 3_600_000
RUN = """
insert into runs (id, project_id, node_count, flavor_id, priority, create_time, max_duration, restarts, spec, phase,
secondary_phase, launched, attempt, retries, hung_task, queue_time, start_time, attempt_start, end_time, worked,
version, history)
values (:id, 'p', 2, 'f', 1, 1, 0, '{}', :spec, :phase, 's', true, 0, 0, '', 1, 1, 0, 1000, 0, 0, '{}')
"""
JOB = """
insert into v2_jobs (id, run_id, project_id, user_id, name, kind, algorithm_name, create_time, description, document)
values (:id, :id, 'p', 'u', :id, 'job', '', 1, '', '{}')
"""


def test_logs_of_jobs_of_an_earlier_version_are_deleted_when_they_are_old(database: Path | str) -> None:
    """Not those of jobs that export them, nor those of the first version of the API, nor before a job has ended."""
    old = plain_engine(database)
    upgrade(old, "0009")
    with old.begin() as connection:
        for run_id, spec, phase in (
            ("ended", '{"log_export_url": null}', "Completed"),
            ("exported", '{"log_export_url": "/b/logs/"}', "Completed"),
            ("running", "{}", "Running"),
            ("version-1", "{}", "Failed"),
        ):
            connection.execute(text(RUN), {"id": run_id, "spec": spec, "phase": phase})
            if run_id != "version-1":
                connection.execute(text(JOB), {"id": run_id})
    old.dispose()

    engine = open_database(database)
    with engine.connect() as connection:
        lifetimes = {tuple(row) for row in connection.execute(text("select id, log_lifetime from runs"))}
        logs = connection.execute(text("select run_id, node_count, is_published, delete_time from run_logs")).all()
    engine.dispose()

    assert lifetimes == {("ended", DAYS_30_MS), ("running", DAYS_30_MS), ("exported", 0), ("version-1", 0)}
    assert [tuple(row) for row in logs] == [("ended", 2, True, 1000 + DAYS_30_MS + 1)]
