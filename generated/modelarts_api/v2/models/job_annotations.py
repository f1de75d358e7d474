# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import TypeAlias

JobAnnotations: TypeAlias = dict[str, str | None]
"""Advanced functions and notes of the service, as texts by name.
Known keys: job_template, fault-tolerance/job-retry-num, fault-tolerance/job-unconditional-retry,
fault-tolerance/hang-retry, fault-tolerance/hccl_op_retry, performance_diagnosis_enabled, jupyter-lab/enable,
tensorboard/enable, mindstudio-insight/enable, key_task.
"""
