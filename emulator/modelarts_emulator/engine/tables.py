"""The tables of the emulator's state but that of runs; a database with other tables is rejected."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Index, Integer, MetaData, String, Table, Text

metadata = MetaData()

# PostgreSQL would reject longer texts, which SQLite stores, and would compare and sort by the rules of a language.
_POSTGRESQL_TEXT = Text(collation="C")
LONG_TEXT = Text().with_variant(_POSTGRESQL_TEXT, "postgresql")


def short_text(length: int) -> String:
    """Text of about `length` characters."""
    return String(length).with_variant(_POSTGRESQL_TEXT, "postgresql")


settings = Table(
    "settings", metadata, Column("name", short_text(64), primary_key=True), Column("value", short_text(256))
)

# Hashes of tokens that were revoked; a row may go when its token would have expired anyway (seconds since 1970).
revoked_tokens = Table(
    "revoked_tokens",
    metadata,
    Column("digest", short_text(64), primary_key=True),
    Column("expires_at", BigInteger, nullable=False),
)

algorithms = Table(
    "algorithms",
    metadata,
    Column("id", short_text(36), primary_key=True),
    Column("project_id", short_text(64), nullable=False),
    Column("name", short_text(64), nullable=False),
    Column("create_time", BigInteger, nullable=False),
    Column("document", JSON, nullable=False),
    Index("algorithm_names", "project_id", "name", unique=True),
    Index("algorithm_times", "project_id", "create_time", "id"),
)

# Training jobs of ModelArts v2: who made them, and in `document` what was asked for, with everything resolved that it
# refers to (metadata, algorithm, spec). Description and experiment change.
v2_jobs = Table(
    "v2_jobs",
    metadata,
    Column("id", short_text(36), primary_key=True),
    Column("run_id", short_text(36), nullable=False, unique=True),
    Column("project_id", short_text(64), nullable=False),
    Column("user_id", short_text(64), nullable=False),
    Column("name", short_text(64), nullable=False),
    Column("kind", short_text(64), nullable=False),
    Column("algorithm_name", short_text(64), nullable=False),
    Column("create_time", BigInteger, nullable=False),
    Column("description", LONG_TEXT, nullable=False),
    Column("document", JSON, nullable=False),
    Column("experiment_id", short_text(36), nullable=True),
    # To find a page, the index is read from its begin; short entries keep that quick.
    Index("v2_job_times", "project_id", "create_time", "id"),
    # Holds all that a search asks about, so that it reads no more rows than its page has.
    Index("v2_job_searches", "project_id", "create_time", "id", "name", "kind", "algorithm_name", "user_id", "run_id"),
    # SQLite prefers a unique index, so it looks names up in this one.
    Index("v2_job_names", "project_id", "name", unique=True),
)

IS_IN_EXPERIMENT = v2_jobs.c.experiment_id.is_not(None)
Index("v2_job_experiments", v2_jobs.c.experiment_id, sqlite_where=IS_IN_EXPERIMENT)

# Groups of these jobs; `jobs_made` counts all that ever joined, so that no number of a job is used twice.
experiments = Table(
    "experiments",
    metadata,
    Column("id", short_text(36), primary_key=True),
    Column("project_id", short_text(64), nullable=False),
    Column("name", short_text(64), nullable=False),
    Column("description", LONG_TEXT, nullable=False),
    Column("create_time", BigInteger, nullable=False),
    Column("update_time", BigInteger, nullable=False),
    Column("jobs_made", Integer, nullable=False),
    Index("experiment_names", "project_id", "name", unique=True),
)

# Their labels.
job_tags = Table(
    "job_tags",
    metadata,
    Column("job_id", short_text(36), primary_key=True),
    Column("key", short_text(128), primary_key=True),
    Column("value", short_text(255), nullable=False),
    Column("project_id", short_text(64), nullable=False),
    Index("job_tag_values", "project_id", "key", "value", "job_id"),
)

# How many of them a user may have.
quotas = Table(
    "quotas",
    metadata,
    Column("project_id", short_text(64), primary_key=True),
    Column("user_id", short_text(64), primary_key=True),
    Column("job_num", BigInteger, nullable=False),
)

# Training jobs of ModelArts v1. What runs is a version: a job has `version_count` of them, `newest_version_id` is the
# last, and `versions_made` is the number of the last that was ever made, so that no name of a version is used twice.
# Ids are not used twice either, whatever is deleted.
v1_jobs = Table(
    "v1_jobs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("project_id", short_text(64), nullable=False),
    Column("user_id", short_text(64), nullable=False),
    Column("name", short_text(64), nullable=False),
    Column("description", LONG_TEXT, nullable=False),
    Column("create_time", BigInteger, nullable=False),
    Column("versions_made", Integer, nullable=False),
    Column("version_count", Integer, nullable=False),
    Column("newest_version_id", Integer, nullable=True),
    Index("v1_job_names", "project_id", "name", unique=True),
    sqlite_autoincrement=True,
)

# Their versions; `document` has the settings that a version was made with, with what they refer to. `output` is the
# bucket and key of `train_url`, which only one active version may write to.
v1_versions = Table(
    "v1_versions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("job_id", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("run_id", short_text(36), nullable=False, unique=True),
    Column("pre_version_id", Integer, nullable=True),
    Column("create_time", BigInteger, nullable=False),
    Column("output", LONG_TEXT, nullable=False),
    Column("document", JSON, nullable=False),
    Index("v1_version_numbers", "job_id", "number", unique=True),
    sqlite_autoincrement=True,
)

# Settings that are stored under a name.
v1_configs = Table(
    "v1_configs",
    metadata,
    Column("project_id", short_text(64), primary_key=True),
    Column("name", short_text(64), primary_key=True),
    Column("description", LONG_TEXT, nullable=False),
    Column("create_time", BigInteger, nullable=False),
    Column("document", JSON, nullable=False),
)

# How many jobs each project has: counted as they come and go, because counting a hundred thousand takes longer than to
# find a page of them.
job_counts = Table(
    "job_counts",
    metadata,
    Column("project_id", short_text(64), primary_key=True),
    Column("count", Integer, nullable=False),
)

# What happened to runs. Times are in milliseconds since 1970.
events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run_id", short_text(36), nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("level", short_text(8), nullable=False),
    Column("source", short_text(8), nullable=False),
    Column("message", LONG_TEXT, nullable=False),
    Index("run_events", "run_id", "time", "id"),
)

# Searches for hyperparameters, by the id of their run: how they search, the bytes of each task's joint log that are
# right, why the search has failed while its trials still end, and the analysis of its results.
searches = Table(
    "searches",
    metadata,
    Column("run_id", short_text(64), primary_key=True),
    Column("policy", JSON, nullable=False),
    Column("sizes", JSON, nullable=False),
    Column("failure", LONG_TEXT, nullable=False),
    Column("analysis", JSON, nullable=False),
)

# The trials of searches, in their order; `run_id` names the run of each.
trials = Table(
    "trials",
    metadata,
    Column("search_id", short_text(64), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("trial_id", short_text(8), nullable=False),
    Column("run_id", short_text(64), nullable=False),
    Column("config", JSON, nullable=False),
    Column("status", short_text(16), nullable=False),
    Column("iterations", Integer, nullable=False),
    Column("reports", JSON, nullable=False),
    Column("latest", JSON, nullable=False),
    Column("read_bytes", JSON, nullable=False),
)

# Visualization jobs: what was asked for, and how far each is; see visualization/jobs.py. Ids are never used again.
visualization_jobs = Table(
    "visualization_jobs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("project_id", short_text(64), nullable=False),
    Column("name", short_text(64), nullable=False),
    Column("description", LONG_TEXT, nullable=False),
    Column("tool", short_text(16), nullable=False),
    Column("train_url", LONG_TEXT, nullable=False),
    Column("resource_id", short_text(36), nullable=False),
    Column("create_time", BigInteger, nullable=False),
    Column("run_limit_ms", BigInteger, nullable=True),
    Column("phase", short_text(16), nullable=False),
    Column("start_time", BigInteger, nullable=False),
    Column("past_duration_ms", BigInteger, nullable=False),
    Column("error", LONG_TEXT, nullable=False),
    Column("url", LONG_TEXT, nullable=False),
    Index("visualization_job_names", "project_id", "name", unique=True),
    Index("visualization_job_phases", "phase"),
    sqlite_autoincrement=True,
)

# Runs that are gone for every client, and whose processes and files the supervisor still has to remove; `held_nodes`
# of the flavor are theirs until that was tried.
removals = Table(
    "removals",
    metadata,
    Column("run_id", short_text(36), primary_key=True),
    Column("flavor_id", short_text(64), nullable=False),
    Column("held_nodes", Integer, nullable=False),
)
