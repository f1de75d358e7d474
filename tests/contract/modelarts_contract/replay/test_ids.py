"""Ids of a recording are replaced by those that the service gives which it is played on."""

from __future__ import annotations

from modelarts_contract.documents import Documents
from modelarts_contract.replay.ids import Ids, collection

OLD, NEW, OTHER = (f"{digit * 8}-0000-4000-8000-{digit * 12}" for digit in "123")
JOBS, BOARDS = "v1/training-jobs", "v1/visualization-jobs"


def test_an_id_that_was_learned_is_replaced_wherever_it_is() -> None:
    """In values, in texts and in paths; the first that stands for it stays."""
    ids = Ids()
    ids.learn(JOBS, {"metadata": {"id": OLD.upper()}}, {"metadata": {"id": NEW}})
    ids.learn(JOBS, {"items": [{"id": OLD}]}, {"items": [{"id": OTHER}]})

    assert ids.value({"a": [f"job {OLD}", 5, OTHER]}) == {"a": [f"job {NEW}", 5, OTHER]}
    assert (ids.has(OLD), ids.has(OTHER)) == (True, False)


def test_lists_teach_nothing_if_their_entries_may_be_others() -> None:
    ids = Ids()
    ids.learn(JOBS, [{"id": OLD}, {"id": OTHER}], [{"id": NEW}, {"id": OTHER}])

    assert not ids.has(OLD)


def test_numbers_count_within_their_collection() -> None:
    """A training job and a visualization job may have the same number."""
    operations = {operation.operation_id: operation for operation in Documents(["v1"]).operations}
    job, board = operations["showTrainingJobVersion"], operations["showVisualizationJob"]
    ids = Ids()
    ids.learn(JOBS, {"job_id": 7, "version_id": 1}, {"job_id": 1, "version_id": 3})

    assert (collection(job), collection(board)) == (JOBS, BOARDS)
    assert ids.path(job, {"job_id": "7", "version_id": "1"}) == {"job_id": "1", "version_id": "3"}
    assert ids.path(board, {"job_id": "7"}) == {"job_id": "7"}
    assert (ids.knows(JOBS, "job_id", "7"), ids.knows(BOARDS, "job_id", "7")) == (True, False)
    assert ids.knows(JOBS, "task_id", "worker-0")
