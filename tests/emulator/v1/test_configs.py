"""Configurations: settings stored under a name, and samples."""

from __future__ import annotations

from typing import Any

import pytest

from modelarts_toolkit.errors import ApiError


def settings(v1: Any, **changes: Any) -> Any:
    """The printed settings, of the specification, engine and data that there are."""
    body = v1.example("createTrainingJobConfig.dataset")
    for name in ("dataset_id", "dataset_version_id", "model_id"):
        del body[name]
    return body | {"config_name": v1.unique("config"), "spec_id": 27, "data_url": "/usr/data/"} | changes


def names(v1: Any, **query: Any) -> list[str]:
    return [config.config_name for config in v1.configs.list_training_job_configs(**query).configs]


@pytest.fixture
def stored(v1: Any) -> Any:
    body = settings(v1)
    v1.configs.create_training_job_config(body)
    return body


def test_a_configuration_is_shown_as_it_was_stored(v1: Any, stored: Any) -> None:
    shown = v1.configs.show_training_job_config(stored["config_name"]).to_dict()

    assert {name: shown[name] for name in stored} == stored
    assert (shown["engine_name"], shown["spec_code"], shown["core"]) == ("TensorFlow", "modelarts.vm.cpu.8u", "8")


def test_a_configuration_is_replaced_as_a_whole(v1: Any, stored: Any) -> None:
    """Numbers as values of hyperparameters, as the printed body has them, become text."""
    body = v1.example("updateTrainingJobConfig.dataset")
    for name in ("dataset_id", "dataset_version_id", "model_id", "log_url"):
        del body[name]

    v1.configs.update_training_job_config(stored["config_name"], body | {"spec_id": 7})

    shown = v1.configs.show_training_job_config(stored["config_name"]).to_dict()
    assert (shown["log_url"], shown["data_url"], shown["spec_id"]) == (None, None, 7)
    assert shown["parameter"] == [{"label": "learning_rate", "value": "0.01"}, {"label": "batch_size", "value": "32"}]


def test_configurations_are_sorted_downwards_unless_asked_otherwise(v1: Any) -> None:
    prefix = v1.unique("sorted")
    for letter, description in (("b", "1"), ("a", "2"), ("c", "0")):
        v1.configs.create_training_job_config(settings(v1, config_name=f"{prefix}-{letter}", config_desc=description))

    assert names(v1, search_content=prefix) == [f"{prefix}-{letter}" for letter in "cba"]
    assert names(v1, search_content=prefix, order="asc", per_page=2) == [f"{prefix}-a", f"{prefix}-b"]
    assert names(v1, search_content=prefix, order="asc", per_page=2, page=2) == [f"{prefix}-c"]
    assert names(v1, search_content=prefix, sort_by="config_desc") == [f"{prefix}-{letter}" for letter in "abc"]
    assert len(names(v1, search_content=prefix, sort_by="create_time")) == 3


def test_a_deleted_configuration_is_gone(v1: Any, stored: Any) -> None:
    v1.configs.delete_training_job_config(stored["config_name"])

    for call in (v1.configs.show_training_job_config, v1.configs.delete_training_job_config):
        with pytest.raises(ApiError, match="does not exist") as rejection:
            call(stored["config_name"])
        assert rejection.value.error_code == "ModelArts.0105"
    with pytest.raises(ApiError, match="does not exist"):
        v1.configs.update_training_job_config(
            stored["config_name"], {name: value for name, value in stored.items() if name != "config_name"}
        )


def test_a_sample_can_be_run(v1: Any) -> None:
    """Samples are the built-in algorithms with their own hyperparameters; data and results are the user's."""
    name = names(v1, config_type="sample")[0]
    sample = v1.configs.show_training_job_config(name, config_type="sample").to_dict()
    used = {name: sample[name] for name in ("model_id", "parameter", "spec_id", "worker_server_num")}

    created = v1.create(app_url=None, boot_file_url=None, engine_id=None, flavor=None, **used)

    assert v1.show(created).model_id == sample["model_id"]
