# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import Literal

NotificationRequestEventsItem = Literal[
    "JobCompleted",
    "JobFailed",
    "JobHanged",
    "JobPreempted",
    "JobRestarted",
    "JobStarted",
    "JobTerminated",
]
