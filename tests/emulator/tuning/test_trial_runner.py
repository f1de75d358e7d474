"""What moves searches on."""

from __future__ import annotations

from modelarts_emulator.tuning.state import Search
from modelarts_emulator.tuning.trial_runner import MAX_STEPS, TrialRunner


class Restless(TrialRunner):
    """Every step changes something."""

    def __init__(self) -> None:
        self.saves = 0

    def _step(self, search: Search) -> bool:
        self.saves += 1
        return False


def test_a_search_that_never_comes_to_rest_lets_others_have_their_turn() -> None:
    """A call returns after a number of steps, and the next one continues."""
    runner, search = Restless(), Search.__new__(Search)
    search.outcome = None
    for _ in range(2):
        runner.advance(search, repeatedly=True)

    assert runner.saves == 2 * MAX_STEPS
