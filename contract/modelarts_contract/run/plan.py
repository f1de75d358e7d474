"""What a run tries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import modelarts_openapi
from modelarts_contract.run import baseline
from modelarts_contract.run.runs import SEED

__all__ = ["Plan"]


@dataclass(frozen=True)
class Plan:
    """What a run tries: these documents, or only these operations, with this seed.

    `baseline` is the file of known findings; `thorough` leaves out none of many like cases; `access` are the options
    of the command that say which service is tried, and how; `hooks` is a file of the user's own checks.
    """

    documents: tuple[str, ...] = modelarts_openapi.NAMES
    operations: tuple[str, ...] = ()
    seed: int = SEED
    baseline: Path | None = None
    thorough: bool = False
    access: tuple[str, ...] = ()
    hooks: Path | None = None

    @cached_property
    def known(self) -> set[str]:
        """The ids of the findings that the baseline lists."""
        return set() if self.baseline is None else baseline.known(self.baseline)
