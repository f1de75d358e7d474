"""What is known of an attempt that has not ended."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Submission"]


@dataclass(slots=True)
class Submission:
    """What is known of an attempt that has not ended; times in seconds of a clock that never goes back."""

    node_count: int
    slurm_id: str | None = None
    sent_at: float = 0.0
    ended_at: float | None = None
    """When it was first seen that the attempt has ended at Slurm, or is unknown there."""
    is_end_asked: bool = False
    """Whether Slurm is being asked for more about the end."""
    begun_at: float | None = None
    """When it was first seen that the attempt has begun although it waits at Slurm."""
    is_clock_checked: bool = False
    reason: str = ""
    """Why it waits, as its events say."""
