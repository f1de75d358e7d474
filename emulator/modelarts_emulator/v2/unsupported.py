"""What the service can do with a job and the emulator cannot: rejected by name, never dropped silently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from modelarts_emulator.http.errors import ServiceError

__all__ = ["reject_in_job", "reject_workspace"]

# member of the request -> what the emulator lacks
MEMBERS = {
    "algorithm.subscription_id": "subscribed algorithms",
    "algorithm.item_version_id": "subscribed algorithms",
    "algorithm.autosearch_config_path": "searches that a YAML file describes",
    "algorithm.autosearch_framework_path": "searches that a YAML file describes",
    "algorithm.engine.install_sys_packages": "the installation of system packages",
    "algorithm.summary": "visualization of summaries",
    "tasks": "jobs with tasks of different roles",
    "spec.volumes": "mounted volumes",
    "spec.log_export_path.host_path": "paths on a host",
    "spec.schedule_policy.required_affinity": "affinities of nodes",
    "spec.schedule_policy.preemptible": "preemption by other jobs",
    "spec.notification": "notifications",
    "endpoints": "access to a running task by SSH",
}
PATHS = {member: member.split(".") for member in MEMBERS}
ANNOTATIONS = {
    "jupyter-lab/enable": "JupyterLab in a task",
    "tensorboard/enable": "TensorBoard beside a task",
    "mindstudio-insight/enable": "MindStudio Insight beside a task",
}


def reject_in_job(request: Mapping[str, Any]) -> None:
    """Raise ServiceError if the request asks for what the emulator does not have; an empty value asks for nothing."""
    if (kind := request.get("kind") or "job") != "job":
        raise ServiceError("ModelArts.2858", f"Operation not supported: the emulator has no jobs of kind {kind}.")
    metadata = request.get("metadata") or {}
    reject_workspace(metadata)
    for member, lacking in MEMBERS.items():
        if _is_given(_look_up(request, PATHS[member])):
            raise ServiceError("ModelArts.2858", f"Operation not supported: {member}: the emulator lacks {lacking}.")
    for name, value in (metadata.get("annotations") or {}).items():
        if name in ANNOTATIONS and value.lower() not in ("", "0", "false"):
            raise ServiceError(
                "ModelArts.2858", f"Operation not supported: {name}: the emulator lacks {ANNOTATIONS[name]}."
            )


def reject_workspace(given: Mapping[str, Any]) -> None:
    """Raise ServiceError unless the metadata or the query is about the only workspace that there is."""
    if (workspace := given.get("workspace_id") or "0") != "0":
        raise ServiceError("ModelArts.0102", f"Workspace {workspace} not found.")


def _look_up(node: Any, path: Sequence[str]) -> Any:
    for part in path:
        if not node:
            return None
        node = node.get(part)
    return node


def _is_given(value: Any) -> bool:
    if value is None:
        return False
    if isinstance(value, dict):
        return any(map(_is_given, value.values()))
    if isinstance(value, list):
        return any(map(_is_given, value))
    return bool(value) or (value is not False and value == 0 and not isinstance(value, bool))
