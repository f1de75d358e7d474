"""Object-level authorization: one project's token against another project's things, operation by operation."""

from __future__ import annotations

from typing import Any

from .operations import operations as documented
from .promises import ABSENT, Project, rejection
from .service import Service

__all__ = ["check", "operations"]


def operations() -> dict[str, tuple[str, str]]:
    """The operations of a project: method and path below it."""
    prefix = "/v2/{project_id}"
    return {
        operation.operation_id: (operation.method, operation.path.removeprefix(prefix))
        for operation in documented("v2").values()
        if operation.path.startswith(prefix)
    }


def check(service: Service, operation_id: str) -> None:
    """Raise AssertionError if the neighbour gets anywhere with the operation, or changes anything by trying."""
    method, template = operations()[operation_id]
    with Project(service) as ours, neighbour(service, ours=True) as intruder, neighbour(service) as stranger:
        target = ours.job("long")
        known = {**service.stand_ins, "training_job_id": target["metadata"]["id"]}
        path = template.format_map({**NAMES, **known})
        body = bodies(known).get(operation_id)
        before = state(ours, known)

        response = intruder.call(method, path, body)
        assert (response.status_code, rejection(response)) == (404, "ModelArts.2786"), (
            f"{operation_id} in our project gives status {response.status_code} to another project's token"
        )
        names_ours = (
            "{training_job_id}" in template
            or "{algorithm_id}" in template
            or body == bodies(known)["createTrainingJob"]
        )
        response = stranger.call(method, path, body)
        if names_ours:
            assert rejection(response) in ABSENT, f"another project finds our things by {operation_id}: {response.text}"
        else:
            assert target["metadata"]["id"] not in response.text, f"{operation_id} lists our job to another project"
            assert known["algorithm_id"] not in response.text, f"{operation_id} lists our algorithm to another project"
        assert state(ours, known) == before, f"{operation_id} of another project changes our things"
        ours.ask("DELETE", f"/training-jobs/{target['metadata']['id']}")


NAMES = {
    "trial_id": "0",
    "parameter_name": "lr",
    "algorithm_type": "parameters-search",
    "algorithm_name": "bayes_opt_search",
}


def neighbour(service: Service, ours: bool = False) -> Project:
    """The second identity, in its own project or where it does not belong: in ours."""
    him = service.stand_ins["neighbour"]
    return Project(service, him["token"], "" if ours else him["project_id"])


def bodies(known: dict[str, Any]) -> dict[str, Any]:
    """Well-formed bodies that name our things."""
    code = {key: known[key] for key in ("code_dir", "boot_file", "engine")}
    spec = {"resource": {"flavor_id": known["flavor_id"], "node_count": 1}}
    metadata = {"name": "contract-neighbour"}
    return {
        "createAlgorithm": {"metadata": metadata, "job_config": code},
        "changeAlgorithm": {"metadata": {"name": "contract-taken", "description": "taken"}, "job_config": code},
        "createTrainingJob": {
            "kind": "job",
            "metadata": metadata,
            "algorithm": {"id": known["algorithm_id"]},
            "spec": spec,
        },
        "changeTrainingJobDescription": {"description": "taken"},
        "stopTrainingJob": {"action_type": "terminate"},
        "listTrainingJobs": {"limit": 50},
    }


def state(project: Project, known: dict[str, Any]) -> Any:
    """What the neighbour must not change: our job and algorithm, and how much there is."""
    job = project.ask("GET", f"/training-jobs/{known['training_job_id']}")
    return (
        job["metadata"],
        job["status"]["phase"] in {"Creating", "Pending", "Running"},
        project.ask("GET", f"/algorithms/{known['algorithm_id']}"),
        project.ask("POST", "/training-job-searches", {"limit": 1})["total"],
        project.ask("GET", "/algorithms", limit=1)["total"],
    )
