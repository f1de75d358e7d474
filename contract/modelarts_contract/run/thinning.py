"""Which cases of the coverage phase are sent: of a large body it makes a thousand that differ in one value."""

from __future__ import annotations

from collections import Counter

import schemathesis
from schemathesis.generation.meta import CoveragePhaseData

from .made_up import fingerprint

__all__ = ["Thinned"]

FIRST = 4  # cases of a kind that are all sent
EVERY = 12  # one of this number of further ones is sent, others under another seed


class Thinned:
    """Keeps some cases of each kind: the same operation, scenario and place of what varies."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._seen: Counter[tuple[object, ...]] = Counter()

    def keeps(self, case: schemathesis.Case) -> bool:
        """Whether the case is sent; those of other phases always are."""
        data = case.meta.phase.data if case.meta is not None else None
        if not isinstance(data, CoveragePhaseData):
            return True
        kind = (case.operation.label, case.method, data.scenario, data.parameter_location)
        self._seen[kind] += 1
        number = self._seen[kind]
        return number <= FIRST or fingerprint([self._seed, *map(str, kind), number]) % EVERY == 0
