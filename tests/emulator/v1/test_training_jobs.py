"""Training jobs of version 1: created, listed, described and deleted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.v1.conftest import V1Service

from modelarts_emulator.server import Emulator
from modelarts_toolkit.errors import ApiError


def names(v1: Any, **query: Any) -> list[str]:
    return [job.job_name for job in v1.jobs.list_training_jobs(**query).jobs]


def test_a_name_in_use_is_rejected_in_the_words_of_the_documents_until_the_job_is_deleted(v1: Any) -> None:
    """Its versions go with it, and its numbers are not used again."""
    created = v1.create()
    further = v1.create_version(created)

    with pytest.raises(ApiError, match=f"Job name:{created.job_name} is existed") as rejection:
        v1.create(created.job_name)
    assert (rejection.value.status, rejection.value.error_code) == (400, "ModelArts.0103")

    v1.jobs.delete_training_job(created.job_id)
    for version in (created, further):
        with pytest.raises(ApiError, match=r"does not exist") as rejection:
            v1.show(version)
        assert rejection.value.error_code == "ModelArts.0105", version
    again = v1.create(created.job_name)
    assert again.job_id > created.job_id
    assert again.version_id > further.version_id


def test_a_job_without_a_version_runs_nothing_is_counted_and_can_be_described(v1: Any) -> None:
    created = v1.create(create_version=False)
    v1.jobs.update_training_job(int(created.job_id), {"job_desc": "changed"})

    found = v1.jobs.list_training_jobs(search_content=created.job_name)
    assert (created.version_id, created.status, created.resource_id) == (None, None, None)
    [job] = found.jobs
    assert (job.version_id, job.version_count, job.status, job.job_desc) == (None, 0, None, "changed")
    assert found.job_total_count == 1
    assert 0 <= found.job_count_limit < found.quotas == 10_000


def test_jobs_are_sorted_and_paged(v1: Any) -> None:
    """Those that are equal in the sorted member follow their ids: pages show each once, again and again."""
    prefix = v1.unique("page")
    for letter in "bca":
        v1.create(f"{prefix}-{letter}")

    assert names(v1, search_content=prefix) == [f"{prefix}-{letter}" for letter in "abc"]
    assert names(v1, search_content=prefix, order="desc", per_page=2) == [f"{prefix}-c", f"{prefix}-b"]
    assert names(v1, search_content=prefix, order="desc", per_page=2, page=2) == [f"{prefix}-a"]
    assert names(v1, search_content=prefix, page=65535) == []
    created = [f"{prefix}-{letter}" for letter in "bca"]
    assert names(v1, search_content=prefix, sort_by="create_time") == created
    equal = {"search_content": prefix, "sort_by": "version_count", "per_page": 1}
    for order, found in (("asc", created), ("asc", created), ("desc", created[::-1])):
        assert [name for page in (1, 2, 3) for name in names(v1, **equal, order=order, page=page)] == found, order


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


def test_a_condition_that_cannot_be_met_is_rejected_by_name(v1: Any) -> None:
    """As are another workspace and a notification in a request for a job."""
    for query, member in (
        ({"status": "running"}, "status"),
        ({"status": "23"}, "status"),
        ({"workspace_id": "7"}, "Workspace 7"),
    ):
        with pytest.raises(ApiError, match=member):
            v1.jobs.list_training_jobs(**query)
    for member, value, code, text in (
        ("workspace_id", "af261af2218841ec960b01ab3cf1a5fa", "0102", "Workspace"),
        ("notification", {"topic_urn": "urn:smn:x", "events": []}, "0104", r"topic_urn.*no notifications"),
    ):
        with pytest.raises(ApiError, match=text) as rejection:
            v1.jobs.create_training_job(v1.body() | {member: value})
        assert rejection.value.error_code == f"ModelArts.{code}", member


@pytest.mark.parametrize("text", ["a\0b", "%_\\", "'; drop table v1_jobs; --", "\U0001f600" * 64, "\u202e", "\x7f\x01"])
def test_any_text_is_a_description_and_can_be_looked_for(v1: Any, text: str) -> None:
    created = v1.jobs.create_training_job(v1.body() | {"job_desc": text})

    assert v1.show(created).job_desc in {text, text.replace("\0", "\ufffd")}  # PostgreSQL cannot store NUL
    assert v1.jobs.list_training_jobs(search_content=text).jobs == []
    assert v1.configs.list_training_job_configs(search_content=text).configs == []
    with pytest.raises(ApiError, match="does not exist"):
        v1.configs.show_training_job_config(text)


def settings(v1: Any, **changes: Any) -> Any:
    """The printed settings, of the specification, engine and data that there are."""
    body = v1.example("createTrainingJobConfig.dataset")
    for name in ("dataset_id", "dataset_version_id", "model_id"):
        del body[name]
    return body | {"config_name": v1.unique("config"), "spec_id": 27, "data_url": "/usr/data/"} | changes


def config_names(v1: Any, **query: Any) -> list[str]:
    return [config.config_name for config in v1.configs.list_training_job_configs(**query).configs]


def test_a_configuration_is_shown_as_it_was_stored_replaced_as_a_whole_and_deleted(v1: Any) -> None:
    """Numbers as values of hyperparameters, as the printed body has them, become text."""
    stored = settings(v1)
    name = stored["config_name"]
    v1.configs.create_training_job_config(stored)
    shown = v1.configs.show_training_job_config(name).to_dict()
    assert {member: shown[member] for member in stored} == stored
    assert (shown["engine_name"], shown["spec_code"], shown["core"]) == ("TensorFlow", "modelarts.vm.cpu.8u", "8")

    body = v1.example("updateTrainingJobConfig.dataset") | {"spec_id": 7}
    for member in ("dataset_id", "dataset_version_id", "model_id", "log_url"):
        del body[member]
    v1.configs.update_training_job_config(name, body)
    shown = v1.configs.show_training_job_config(name).to_dict()
    assert (shown["log_url"], shown["data_url"], shown["spec_id"]) == (None, None, 7)
    assert shown["parameter"] == [{"label": "learning_rate", "value": "0.01"}, {"label": "batch_size", "value": "32"}]

    v1.configs.delete_training_job_config(name)
    for call, given in (
        (v1.configs.show_training_job_config, ()),
        (v1.configs.delete_training_job_config, ()),
        (v1.configs.update_training_job_config, (body,)),
    ):
        with pytest.raises(ApiError, match="does not exist") as rejection:
            call(name, *given)
        assert rejection.value.error_code == "ModelArts.0105", call


def test_configurations_are_sorted_downwards_unless_asked_otherwise(v1: Any) -> None:
    prefix = v1.unique("sorted")
    for letter, description in (("b", "1"), ("a", "2"), ("c", "0")):
        v1.configs.create_training_job_config(settings(v1, config_name=f"{prefix}-{letter}", config_desc=description))

    assert config_names(v1, search_content=prefix) == [f"{prefix}-{letter}" for letter in "cba"]
    assert config_names(v1, search_content=prefix, order="asc", per_page=2) == [f"{prefix}-a", f"{prefix}-b"]
    assert config_names(v1, search_content=prefix, order="asc", per_page=2, page=2) == [f"{prefix}-c"]
    assert config_names(v1, search_content=prefix, sort_by="config_desc") == [f"{prefix}-{letter}" for letter in "abc"]
    assert len(config_names(v1, search_content=prefix, sort_by="create_time")) == 3


def test_the_documented_built_in_algorithms_are_listed_and_there_are_no_samples_that_use_them(v1: Any) -> None:
    """Filtered, sorted and in pages; the page prints two of them."""
    stored = settings(v1)
    v1.configs.create_training_job_config(stored)

    def models(**query: Any) -> list[int]:
        found = v1.ma.v1.built_in_algorithms.list_built_in_algorithms(**query)
        assert found.model_total_count == (1 if "search_content" in query else 2)
        assert all(json.loads(model.parameter)[0]["label"] for model in found.models)
        return [model.model_id for model in found.models]

    assert sorted(models()) == [4, 5]
    assert models(sort_by="model_size") == models(sort_by="create_time") == [5, 4]
    assert models(sort_by="model_size", order="asc", per_page=1, page=2) == [5]
    assert models(search_content="faster") == [5]
    assert config_names(v1, config_type="sample") == []
    with pytest.raises(ApiError, match="does not exist"):
        v1.configs.show_training_job_config(stored["config_name"], config_type="sample")


def test_jobs_are_there_after_a_restart_and_go_on(tmp_path: Path) -> None:
    """They start when they are prepared; the list of jobs has the duration of the details."""
    options: Any = {"executor": "simulated", "check_responses": True}
    with Emulator(tmp_path / "data", **options) as emulator:
        emulator.clock.freeze()
        v1 = V1Service(emulator)
        v1.plan("long", preparation=5, duration=1000)
        created = v1.create("long")
        v1.advance(10)
        version = v1.show(created)
        assert (created.status, version.status, (version.start_time or 0) - version.create_time) == (1, 8, 5000)
        v1.ma.close()

    with Emulator(tmp_path / "data", **options) as emulator:
        v1 = V1Service(emulator)
        v1.advance(2000)
        assert v1.show(created).status == 10
        assert v1.jobs.list_training_jobs().jobs[0].duration == v1.show(created).duration == 1_000_000
        assert v1.create().job_id == created.job_id + 1
        v1.ma.close()
