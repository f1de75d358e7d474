"""Views: what is stored, in the form of the responses of version 1. Reading changes nothing, not even a duration.

Every member that a published example has is here; what the emulator does not know is null or empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from modelarts_emulator.v1.builtin import BuiltInAlgorithm
from modelarts_emulator.v1.configs import Config
from modelarts_emulator.v1.job_queries import ListedJob
from modelarts_emulator.v1.jobs import Job
from modelarts_emulator.v1.specs import engine_view
from modelarts_emulator.v1.statuses import status_of
from modelarts_emulator.v1.versions import Version

__all__ = [
    "algorithm_view",
    "config_summary",
    "config_view",
    "created_view",
    "done",
    "listed_job_view",
    "listed_version_view",
    "version_view",
]

TRAINING = 1  # `job_type` of the only example
# The pool of the use case, the only one that a page shows for a job without a pool of its own.
POOL = {"pool_id": "pool7d1e384a", "pool_name": "hec-train-pub-cpu", "pool_type": "SYSTEM_DEFINED"}
GPU_POOL = POOL | {"pool_name": "hec-train-pub-gpu"}
ENGINE = ("engine_type", "engine_name", "engine_id", "engine_version")
SETTINGS = (
    "worker_server_num",
    "app_url",
    "boot_file_url",
    "model_id",
    "parameter",
    "data_url",
    "data_source",
    "train_url",
    "log_url",
    "user_image_url",
    "user_command",
)
OF_SPEC = ("spec_id", "spec_code", "core", "cpu", "gpu_num", "gpu_type")
# Members of the examples that stand for what the emulator does not have: datasets, volumes, NPUs, searches, ...
LACKING = (
    "dataset_id",
    "dataset_name",
    "dataset_version_id",
    "dataset_version_name",
    "volumes",
    "nas_type",
    "nas_share_addr",
    "nas_mount_path",
)
LACKING_IN_VERSION = (
    "error_result",
    "user_frame_image",
    "is_zombie",
    "inputs",
    "outputs",
    "algorithm_id",
    "autosearch_config",
    "retrain_model_id",
    "npu_info",
)
MEASURED = ("cpuUsage", "memUsage", "gpuUtil", "gpuMemUsage")
NOT_MEASURED = ("diskReadRate", "diskWriteRate", "recvBytesRate", "sendBytesRate")
MINUTES = 1  # between two figures

Usage = Mapping[str, Iterable[float]] | None


def done(**members: Any) -> dict[str, Any]:
    """The body of a successful response."""
    return {"is_success": True, **members}


def created_view(job: Job, version: Version | None) -> dict[str, Any]:
    """The response to the creation of a version; a job without one has null in its place."""
    return done(
        job_id=job.id,
        job_name=job.name,
        status=None if version is None else status_of(version.run),
        create_time=job.create_time if version is None else version.create_time,
        version_id=None if version is None else version.id,
        version_name=None if version is None else version.name,
    )


def listed_job_view(entry: ListedJob) -> dict[str, Any]:
    """An entry of the list of jobs."""
    return {
        "job_id": entry.job_id,
        "job_name": entry.job_name,
        "version_id": entry.version_id,
        "status": entry.status,
        "create_time": entry.create_time,
        "duration": max(entry.duration, 0),
        "job_desc": entry.job_desc,
        "version_count": entry.version_count,
    }


def version_view(job: Job, version: Version, usage: Usage, now: int) -> dict[str, Any]:
    """The details of a version; `usage` are its metrics, `now` is in milliseconds."""
    named = {"job_id": job.id, "job_name": job.name, "job_desc": job.description}
    return done(**named, **_version(version, now), system_metric_list=_metrics(usage))


def listed_version_view(version: Version, usage: Usage, now: int) -> dict[str, Any]:
    """An entry of the list of versions, whose metrics are JSON as text."""
    return {**_version(version, now), "system_metric_list": json.dumps(_metrics(usage))}


def config_view(config: Config) -> dict[str, Any]:
    """The details of a configuration."""
    return done(**_described(config), **_settings(config.document), pool_id=None, pool_name=None)


def config_summary(config: Config) -> dict[str, Any]:
    """An entry of the list of configurations."""
    image = {name: config.document[name] for name in ("user_image_url", "user_command")}
    return {**_described(config), **_engine(config.document), **image}


def algorithm_view(algorithm: BuiltInAlgorithm, engine: Mapping[str, Any]) -> dict[str, Any]:
    """An entry of the list of built-in algorithms; its hyperparameters are JSON as text."""
    parameters = [
        {
            "label": entry.label,
            "value": entry.value,
            "placeholder_cn": entry.description,
            "placeholder_en": entry.description,
            "required": entry.required,
        }
        for entry in algorithm.parameters
    ]
    return {
        "model_id": algorithm.model_id,
        "model_name": algorithm.model_name,
        **algorithm.shown,
        "parameter": json.dumps(parameters),
        **{name: value for name, value in engine_view(engine).items() if name != "engine_type"},
    }


def _version(version: Version, now: int) -> dict[str, Any]:
    run, settings = version.run, version.document
    spec, engine = settings["spec"], settings["engine"]
    is_gpu = bool(spec["gpu_num"])
    return {
        "version_id": version.id,
        "version_name": version.name,
        "pre_version_id": version.pre_version_id,
        "status": status_of(run),
        "create_time": version.create_time,
        "start_time": run.start_time or None,
        "duration": run.past_duration + (max(now - run.attempt_start, 0) if run.attempt_start else 0),
        "resource_id": run.id,
        **_settings(settings),
        **(GPU_POOL if is_gpu else POOL),
        "gpu": True if is_gpu else None,
        "flavor_code": spec["spec_code"],
        "max_num": spec["max_num"],
        "storage": spec["storage"],
        "no_resource": spec["no_resource"],
        "pod_version": None if engine is None else engine["pod_version"],
        "job_type": TRAINING,
        "task_summary": {},
        "model_outputs": [],
        "model_metric_list": "{}",
        **dict.fromkeys(LACKING_IN_VERSION),
    }


def _described(config: Config) -> dict[str, Any]:
    return {"config_name": config.name, "config_desc": config.description, "create_time": config.create_time}


def _settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    shown = {name: settings[name] for name in SETTINGS} | {name: settings["spec"][name] for name in OF_SPEC}
    return shown | _engine(settings) | dict.fromkeys(LACKING)


def _engine(settings: Mapping[str, Any]) -> dict[str, Any]:
    engine = settings["engine"] or dict.fromkeys(ENGINE)
    return {name: engine[name] for name in ENGINE}


def _metrics(usage: Usage) -> dict[str, Any]:
    """The metrics as figures in text; empty lists for what the emulator does not measure."""
    measured: Mapping[str, Sequence[str]] = {
        name: [_figure(value) for value in (usage or {}).get(name, ())] for name in MEASURED
    }
    return {**measured, **{name: [] for name in NOT_MEASURED}, "interval": MINUTES}


def _figure(value: float) -> str:
    """A percentage with two digits, as the examples print them; what there is nothing of is 0."""
    return "0" if value <= 0 else f"{value:.2f}"
