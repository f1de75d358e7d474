"""Why a job waits at Slurm, or has ended there, in sentences.

Source: squeue(1), sections "Job reason codes" and "Job state codes".
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["describe_end", "describe_wait"]

_WAITS: Mapping[str, str] = {
    "None": "Slurm has not looked at it yet",
    "Priority": "jobs with a higher priority are before it",
    "Resources": "the nodes that it needs are in use",
    "Dependency": "another job has to end first",
    "BeginTime": "its earliest start has not been reached",
    "JobHeldUser": "it is held by its user: release it with scontrol release",
    "JobHeldAdmin": "it is held by an administrator",
    "PartitionDown": "its partition is down",
    "PartitionInactive": "its partition does not start jobs now",
    "PartitionNodeLimit": "it asks for more nodes than its partition allows",
    "PartitionTimeLimit": "it asks for more time than its partition allows",
    "ReqNodeNotAvail": "the nodes that it needs are down, drained or reserved",
    "NodeDown": "a node that it needs is down",
    "BadConstraints": "no node can ever satisfy what it asks for",
    "Reservation": "its reservation has not begun",
    "Licenses": "a license that it needs is in use",
    "PartitionConfig": "its partition has no node that is as large, or as many of them",
}
_LIMITS: Mapping[str, str] = {
    "Assoc": "its account has reached a limit",
    "QOS": "its quality of service has reached a limit",
}
"""Reasons that come in many kinds, by how they begin; Slurm's own word behind the sentence says which limit it is."""
_ENDS: Mapping[str, str] = {
    "BOOT_FAIL": "its node could not be started",
    "CANCELLED": "it was cancelled at Slurm",
    "DEADLINE": "its deadline at Slurm was reached",
    "NODE_FAIL": "a node of the job was lost",
    "OUT_OF_MEMORY": "it used more memory than its flavor has",
    "PREEMPTED": "it was preempted by a job with a higher priority",
    "TIMEOUT": "its time limit at Slurm was reached",
}


def describe_wait(reason: str) -> str:
    """The reason for which a job waits, as a sentence that ends with Slurm's own word."""
    word = reason.partition(",")[0].strip("() ")
    if reason.startswith("Nodes required for job are DOWN"):
        word = "ReqNodeNotAvail"
    limits = (text for start, text in _LIMITS.items() if word.startswith(start))
    if (text := _WAITS.get(word) or next(limits, None)) is None:
        return f"Slurm's reason is {reason}"
    return f"{text} ({word})" if word != "None" else text


def describe_end(state: str) -> str:
    """The state in which a job ended, in words."""
    return _ENDS.get(state, f"it ended at Slurm as {state}")
