"""Values of overlays: what exists, parts of requests and responses, and bodies that are made of drawn ones."""

from __future__ import annotations

from typing import Any

import pytest

from modelarts_contract.run.expressions import at, evaluate, fill

SCOPE: dict[str, Any] = {
    "known": {"code_dir": "/b/c/", "engine": {"engine_id": 4}},
    "request.path": {"job_id": 7},
    "request.body": {"config": {"app_url": "/b/c/"}},
    "response.body": {"jobs": [{"id": "j1"}]},
}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("code/{$request.body#/config/app_url}", "code//b/c/"),
        ("training-jobs/{$request.path.job_id}", "training-jobs/7"),
        ("training-jobs/{$response.body#/jobs/0/id}", "training-jobs/j1"),
        ("training-jobs/{$response.body#/jobs/1/id}", "training-jobs/None"),
    ],
)
def test_expressions_in_a_text_are_replaced(template: str, expected: str) -> None:
    assert expected == fill(template, SCOPE)


def test_expressions_are_replaced_at_any_depth() -> None:
    value = {"a": [{"b": "$known.engine.engine_id"}], "c": "x{$known.code_dir}", "d": 1}

    assert evaluate(value, SCOPE) == {"a": [{"b": 4}], "c": "x/b/c/", "d": 1}


def test_an_unknown_expression_is_named() -> None:
    with pytest.raises(LookupError, match=r"\$nothing\.x"):
        evaluate("$nothing.x", SCOPE)


def test_a_pointer_to_nothing_is_none() -> None:
    assert at({"a": [1]}, "/a/5") is None
    assert at({"a": [1]}, "/a/0") == 1
