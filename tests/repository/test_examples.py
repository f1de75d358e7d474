"""Examples can run on the engine that their job names."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
JOBS = sorted(path for path in EXAMPLES.glob("*/job.json") if "py_3" in path.read_text())
NEW = re.compile(r"\bmaster_listen_fd\b|\bcreate_server\b|\.removeprefix\(|\.removesuffix\(")  # of later versions


@pytest.mark.parametrize("job", JOBS, ids=lambda path: path.parent.name)
def test_an_example_uses_nothing_that_its_engine_does_not_have(job: Path) -> None:
    """Its Python, its PyTorch; annotations of later versions are not evaluated."""
    found = re.search(r"py_3\.(\d+)", job.read_text())
    assert found
    for path in job.parent.glob("code/*.py"):
        text = path.read_text()
        module = ast.parse(text, feature_version=(3, int(found[1])))
        has_future = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in module.body)

        assert not NEW.search(text), path
        assert has_future or not re.search(r"\b(list|tuple|dict)\[", text), path
