"""What a training job executes, for its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from modelarts_emulator.execution.protocol import Channel, JobSpec, spec_to_json
from modelarts_emulator.settings.catalogue import node_resources

__all__ = ["describe_run"]

ENGINE = ("engine_id", "engine_name", "engine_version", "image_url")
PRESETS = ("job_template", "key_task")


def describe_run(run_id: str, name: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """The run's specification as JSON values; `document` is the job's, with all that it refers to."""
    algorithm, spec = document["algorithm"], document["spec"]
    engine, resource = algorithm["engine"], spec["resource"]
    # Without effect in engines that are compatible with v1, says the page "Creating a Training Job".
    has_own_folders = not engine.get("v1_compatible", False)
    devices = resource["flavor_detail"]["flavor_info"].get("gpu", {}).get("unit_num", 0)
    annotations = document["metadata"].get("annotations") or {}
    job_spec = JobSpec(
        job_id=run_id,
        name=name,
        node_count=resource["node_count"],
        code_dir=algorithm.get("code_dir"),
        boot_file=algorithm.get("boot_file"),
        command=algorithm.get("command"),
        local_code_dir=algorithm.get("local_code_dir") if has_own_folders else None,
        working_dir=algorithm.get("working_dir") if has_own_folders else None,
        parameters=tuple((entry["name"], entry.get("value") or "") for entry in algorithm["parameters"]),
        inputs=_channels(algorithm["inputs"]),
        outputs=_channels(algorithm["outputs"]),
        environments=algorithm.get("environments") or {},
        log_export_url=spec["log_export_path"].get("obs_url"),
        service_environments={"MA_NUM_GPUS": str(devices)},
        engine={name: engine[name] for name in ENGINE if engine.get(name)},
        annotations={name: value for name, value in annotations.items() if name not in PRESETS},
        search=(algorithm.get("policies") or {}).get("auto_search") or None,
        resources=node_resources(resource.get("flavor_id", ""), resource["flavor_detail"]["flavor_info"]),
    )
    return spec_to_json(job_spec)


def _channels(entries: Sequence[Mapping[str, Any]]) -> tuple[Channel, ...]:
    return tuple(
        Channel(
            entry["name"],
            entry["remote"]["obs"]["obs_url"],
            entry["local_dir"],
            entry.get("access_method") or "parameter",
        )
        for entry in entries
    )
