"""Texts that databases and programs do not like: NUL characters, patterns, quotes, the longest that are allowed."""

from __future__ import annotations

from typing import Any

import pytest

from modelarts_toolkit.errors import ApiError

TEXTS = ["a\0b", "\0", "%_\\", "'; drop table v1_jobs; --", "\U0001f600" * 256, "\u202e", '"', "\x7f\x01"]


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_is_a_description(v1: Any, text: str) -> None:
    created = v1.jobs.create_training_job(v1.body() | {"job_desc": text})
    config = {"config_name": v1.unique("texts"), "config_desc": text, "worker_server_num": 1, "spec_id": 7}
    v1.configs.create_training_job_config(config)

    kept = {text, text.replace("\0", "\ufffd")}  # PostgreSQL cannot store NUL
    assert v1.show(created).job_desc in kept
    assert v1.jobs.list_training_jobs(search_content=created.job_name).jobs[0].job_desc in kept
    assert v1.configs.show_training_job_config(config["config_name"]).config_desc in kept


@pytest.mark.parametrize("text", [text[:64] for text in TEXTS])
def test_any_text_can_be_looked_for_and_none_is_found(v1: Any, text: str) -> None:
    assert v1.jobs.list_training_jobs(search_content=text).jobs == []
    assert v1.configs.list_training_job_configs(search_content=text).configs == []
    assert v1.configs.list_training_job_configs(search_content=text, config_type="sample").configs == []
    assert v1.api.built_in_algorithms.list_built_in_algorithms(search_content=text).models == []


@pytest.mark.parametrize("text", TEXTS)
def test_a_configuration_of_any_name_is_looked_for(v1: Any, text: str) -> None:
    with pytest.raises(ApiError, match="does not exist") as rejection:
        v1.configs.show_training_job_config(text)

    assert rejection.value.error_code == "ModelArts.0105"


@pytest.mark.parametrize("text", TEXTS)
def test_any_value_of_a_hyperparameter_is_kept_or_rejected(v1: Any, text: str) -> None:
    parameter = [{"label": "text", "value": text}]
    if "\0" in text:
        with pytest.raises(ApiError, match="NUL"):
            v1.create(parameter=parameter)
    else:
        assert v1.show(v1.create(parameter=parameter)).parameter[0].value == text
