"""The clock: frozen, moved, kept and reset."""

from __future__ import annotations

import math

import pytest

from modelarts_emulator.execution.simulated.clock import Clock


class Source:
    """Time that a test lets pass."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def source() -> Source:
    return Source()


def test_a_held_clock_stands_and_goes_on_from_where_it_stands(source: Source) -> None:
    clock = Clock(source)
    clock.freeze()
    source.now += 50
    held = clock()
    clock.resume()
    source.now += 5

    assert (held, clock()) == (100, 105)


def test_a_moved_clock_is_ahead_of_its_source(source: Source) -> None:
    clock = Clock(source)
    clock.advance_to(130)
    source.now += 5

    assert clock() == 135


@pytest.mark.parametrize("moment", [99, math.nan, math.inf])
@pytest.mark.parametrize("is_frozen", [True, False])
def test_a_clock_does_not_go_back_nor_to_no_moment(source: Source, moment: float, is_frozen: bool) -> None:
    clock = Clock(source)
    if is_frozen:
        clock.freeze()
    with pytest.raises(ValueError, match="cannot go back"):
        clock.advance_to(moment)

    assert clock() == 100


@pytest.mark.parametrize("is_frozen", [True, False])
def test_a_restored_clock_is_as_the_other_one_was(source: Source, is_frozen: bool) -> None:
    clock = Clock(source)
    clock.advance_to(130)
    if is_frozen:
        clock.freeze()
    other = Clock(source)
    other.restore(*clock.state)
    source.now += 5

    assert (other(), other.is_frozen) == (clock(), is_frozen)


def test_a_reset_clock_shows_the_source_s_time(source: Source) -> None:
    clock = Clock(source)
    clock.advance_to(130)
    clock.freeze()
    clock.reset()

    assert (clock(), clock.is_frozen) == (100, False)
