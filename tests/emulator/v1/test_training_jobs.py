"""Training jobs of version 1: created, listed, described and deleted."""

from __future__ import annotations

from typing import Any

import pytest

from modelarts_toolkit.errors import ApiError


def names(v1: Any, **query: Any) -> list[str]:
    return [job.job_name for job in v1.jobs.list_training_jobs(**query).jobs]


def test_a_name_in_use_is_rejected_in_the_words_of_the_documents(v1: Any) -> None:
    created = v1.create()

    with pytest.raises(ApiError) as rejection:
        v1.create(created.job_name)

    assert (rejection.value.status, rejection.value.error_code) == (400, "ModelArts.0103")
    assert f"Job name:{created.job_name} is existed" in str(rejection.value)


def test_a_job_without_a_version_runs_nothing(v1: Any) -> None:
    created = v1.create(create_version=False)

    listed = v1.jobs.list_training_jobs(search_content=created.job_name).jobs
    assert (created.version_id, created.status, created.resource_id) == (None, None, None)
    assert [(job.version_id, job.version_count, job.status) for job in listed] == [(None, 0, None)]


def test_the_list_counts_against_the_quota(v1: Any) -> None:
    created = v1.create()

    found = v1.jobs.list_training_jobs(search_content=created.job_name)

    assert found.job_total_count == 1
    assert 0 <= found.job_count_limit < found.quotas == 10_000


def test_jobs_are_sorted_and_paged(v1: Any) -> None:
    prefix = v1.unique("page")
    for letter in "bca":
        v1.create(f"{prefix}-{letter}")

    assert names(v1, search_content=prefix) == [f"{prefix}-{letter}" for letter in "abc"]
    assert names(v1, search_content=prefix, order="desc", per_page=2) == [f"{prefix}-c", f"{prefix}-b"]
    assert names(v1, search_content=prefix, order="desc", per_page=2, page=2) == [f"{prefix}-a"]
    assert names(v1, search_content=prefix, page=65535) == []
    assert names(v1, search_content=prefix, sort_by="create_time") == [f"{prefix}-{letter}" for letter in "bca"]


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_jobs_that_are_equal_in_the_sorted_member_follow_their_ids(v1: Any, order: str) -> None:
    """So pages of one job show each job once, and the same when they are asked for again."""
    prefix = v1.unique("equal")
    expected = [f"{prefix}-{letter}" for letter in "bca"]
    for name in expected:
        v1.create(name)
    if order == "desc":
        expected.reverse()

    query = {"search_content": prefix, "sort_by": "version_count", "order": order, "per_page": 1}
    for _ in range(2):
        assert [name for page in (1, 2, 3) for name in names(v1, **query, page=page)] == expected


def test_a_page_has_ten_jobs_unless_the_query_says_otherwise(v1: Any) -> None:
    prefix = v1.unique("ten")
    for number in range(11):
        v1.create(f"{prefix}-{number:02}")

    assert [name[-2:] for name in names(v1, search_content=prefix)] == [f"{number:02}" for number in range(10)]
    assert names(v1, search_content=prefix, page=2) == [f"{prefix}-10"]
    assert names(v1, search_content=prefix, page=65535, per_page=1000) == []


def test_jobs_are_chosen_by_one_status_or_several(v1: Any) -> None:
    prefix = v1.unique("status")
    v1.plan(f"{prefix}-bad", exit_code=1)
    v1.create(f"{prefix}-bad")
    v1.create(f"{prefix}-good")
    v1.advance(60)
    v1.plan(f"{prefix}-long", duration=1000)
    v1.create(f"{prefix}-long")
    v1.advance(60)

    assert names(v1, search_content=prefix, status="10") == [f"{prefix}-good"]
    assert names(v1, search_content=prefix, status="8,11") == [f"{prefix}-bad", f"{prefix}-long"]
    assert names(v1, search_content=prefix, sort_by="duration")[-1] == f"{prefix}-long"


@pytest.mark.parametrize(
    ("query", "member"),
    [({"status": "running"}, "status"), ({"status": "23"}, "status"), ({"workspace_id": "7"}, "Workspace 7")],
)
def test_a_condition_that_cannot_be_met_is_rejected_by_name(v1: Any, query: Any, member: str) -> None:
    with pytest.raises(ApiError, match=member):
        v1.jobs.list_training_jobs(**query)


def test_a_deleted_job_is_gone_with_its_versions_and_its_name_is_free(v1: Any) -> None:
    created = v1.create()
    further = v1.create_version(created)

    v1.jobs.delete_training_job(created.job_id)

    for version in (created, further):
        with pytest.raises(ApiError, match=r"does not exist") as rejection:
            v1.show(version)
        assert rejection.value.error_code == "ModelArts.0105"
    again = v1.create(created.job_name)
    assert again.job_id > created.job_id
    assert again.version_id > further.version_id


def test_another_workspace_and_a_notification_are_rejected(v1: Any) -> None:
    for member, value, code, text in (
        ("workspace_id", "af261af2218841ec960b01ab3cf1a5fa", "0102", "Workspace"),
        (
            "notification",
            {"topic_urn": "urn:smn:x", "events": []},
            "0104",
            r"topic_urn.*no notifications",
        ),
    ):
        with pytest.raises(ApiError, match=text) as rejection:
            v1.jobs.create_training_job(v1.body() | {member: value})
        assert rejection.value.error_code == f"ModelArts.{code}"


@pytest.mark.parametrize("text", ["a\0b", "%_\\", "'; drop table v1_jobs; --", "\U0001f600" * 64, "\u202e", "\x7f\x01"])
def test_any_text_is_a_description_and_can_be_looked_for(v1: Any, text: str) -> None:
    created = v1.jobs.create_training_job(v1.body() | {"job_desc": text})

    assert v1.show(created).job_desc in {text, text.replace("\0", "\ufffd")}  # PostgreSQL cannot store NUL
    assert v1.jobs.list_training_jobs(search_content=text).jobs == []
    assert v1.configs.list_training_job_configs(search_content=text).configs == []
    with pytest.raises(ApiError, match="does not exist"):
        v1.configs.show_training_job_config(text)
