"""The specification of a run: what the executor needs to know, taken from what the service says about a job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from modelarts_emulator.execution.protocol import Channel, JobSpec, Resources
from modelarts_emulator.jobs.store import Job

__all__ = ["specify"]

ENGINE = ("engine_id", "engine_name", "engine_version", "image_url")
PRESETS = ("job_template", "key_task")


def specify(job: Job, environments: Mapping[str, str]) -> JobSpec:
    """The run of the job's present attempt; `environments` is what the platform sets for every job."""
    document = job.document
    algorithm, spec = document["algorithm"], document["spec"]
    engine = algorithm["engine"]
    # Without effect in engines that are compatible with v1, says the page "Creating a Training Job".
    old = engine.get("v1_compatible", False)
    devices = spec["resource"]["flavor_detail"]["flavor_info"].get("gpu", {}).get("unit_num", 0)
    annotations = document["metadata"].get("annotations") or {}
    return JobSpec(
        job_id=job.id,
        name=job.name,
        node_count=job.node_count,
        code_dir=algorithm.get("code_dir"),
        boot_file=algorithm.get("boot_file"),
        command=algorithm.get("command"),
        local_code_dir=None if old else algorithm.get("local_code_dir"),
        working_dir=None if old else algorithm.get("working_dir"),
        parameters=tuple((entry["name"], entry.get("value") or "") for entry in algorithm["parameters"]),
        inputs=_channels(algorithm["inputs"]),
        outputs=_channels(algorithm["outputs"]),
        environments=algorithm.get("environments") or {},
        log_export_url=spec["log_export_path"].get("obs_url"),
        service_environments={**environments, "MA_NUM_GPUS": str(devices)},
        attempt=job.attempt,
        engine={name: engine[name] for name in ENGINE if engine.get(name)},
        annotations={name: value for name, value in annotations.items() if name not in PRESETS},
        search=(algorithm.get("policies") or {}).get("auto_search") or None,
        resources=_resources(spec["resource"]),
    )


def _resources(resource: Mapping[str, Any]) -> Resources:
    flavor = resource["flavor_detail"]["flavor_info"]
    memory = flavor.get("memory", {})
    unit = {"MB": 1 << 20, "GB": 1 << 30}.get(memory.get("unit", ""), 0)
    return Resources(
        flavor_id=resource.get("flavor_id", ""),
        cpu_cores=flavor.get("cpu", {}).get("core_num"),
        memory_bytes=memory.get("size", 0) * unit or None,
        gpu_count=flavor.get("gpu", {}).get("unit_num", 0),
    )


def _channels(entries: Sequence[Mapping[str, Any]]) -> tuple[Channel, ...]:
    return tuple(Channel(entry["name"], entry["remote"]["obs"]["obs_url"], entry["local_dir"]) for entry in entries)
