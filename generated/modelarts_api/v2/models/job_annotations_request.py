# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import TypeAlias

JobAnnotationsRequest: TypeAlias = dict[str, str]
"""Advanced functions, switched by texts: `job_template` names a template (`Template RL` for tasks of different
kinds). `fault-tolerance/job-retry-num` counts restarts after a fault (`1` to `3`).
`fault-tolerance/job-unconditional-retry` and `fault-tolerance/hang-retry` are `true` to restart after any end
or after a hang. The keys that end in `/enable` are `true` to start that tool with the job. Huawei Cloud also
knows `fault-tolerance/hccl_op_retry` and `performance_diagnosis_enabled`, which are `true` or `false`.
Known keys: job_template, fault-tolerance/job-retry-num, fault-tolerance/job-unconditional-retry,
fault-tolerance/hang-retry, fault-tolerance/hccl_op_retry, performance_diagnosis_enabled, jupyter-lab/enable,
tensorboard/enable, mindstudio-insight/enable.
"""
