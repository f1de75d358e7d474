"""The verdict of an exam, on runs that are made up."""

import math

from modelarts_toolkit.local.exam import Attempt, Exam, JobFollower, Point, judge


def judged(whole: list[float], before: list[float], after: list[float], begin: int, lost: str = "") -> Exam:
    """The verdict on losses of epochs from 1 on; the second attempt begins with the epoch `begin`, with a file kept."""

    def run(*attempts: tuple[int, list[float]]) -> JobFollower:
        found = JobFollower(lambda _: None)
        for first, losses in attempts:
            points = [
                Point((("epoch", float(epoch)),), {"loss": loss}, 0.0) for epoch, loss in enumerate(losses, first)
            ]
            found.attempts.append(Attempt(points=points, lost=lost))
        return found

    return judge(run((1, whole)), run((1, before), (begin, after)), tolerance=0.001, kept_files=1)


def test_a_value_that_is_not_a_number_in_both_runs_is_the_same() -> None:
    assert judged([0.9, math.nan, 0.4], [0.9], [math.nan, 0.4], begin=2).passed
    assert not judged([0.9, math.nan, 0.4], [0.9], [0.5, 0.4], begin=2).passed


def test_a_file_that_was_lost_does_not_hide_that_the_kept_ones_were_not_read() -> None:
    assert "reads no checkpoint" in judged([0.9, 0.5], [0.9], [0.9, 0.5], begin=1, lost="model.pt").reason


def test_a_restarted_script_without_numbers_did_not_go_on() -> None:
    """Nothing is said of where it went on."""
    exam = judged([0.9, 0.5, 0.4], [0.9], [], begin=2)

    assert exam.sentences[:2] == (
        "It was stopped after epoch 1 and restarted; no numbers say where it went on.",
        "The script prints no numbers after the restart, so the curves cannot be compared.",
    )
    assert exam.reason.startswith("it prints no numbers after the restart")
