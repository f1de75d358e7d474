"""Places in object storage, checked before a job relies on them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from modelarts_emulator.server import Emulator

LIMITS = "[limits]\ncode_files = 3\ncode_depth = 2\ncode_bytes = 100\n"


@pytest.fixture(scope="module")
def owner(tmp_path_factory: pytest.TempPathFactory, log_in: Any) -> Iterator[Any]:
    """A client of an emulator with small limits, and a bucket with code."""
    folder: Path = tmp_path_factory.mktemp("places")
    (folder / "catalogue.toml").write_text(LIMITS)
    with Emulator(folder / "data", executor="simulated", catalogue=folder / "catalogue.toml") as emulator:
        client = log_in(emulator)
        client.store.create_bucket("code", owner=client.identity.domain_id)
        for key in ("own/train.py", "own-other/train.py", "train.py"):
            client.store.put("code", key, b"x" * 10)
        client.store.create_bucket("theirs", owner="somebody-else")
        client.store.put("theirs", "code/a/b/c/train.py", b"x")
        yield client


def problem(api: Any, code_dir: str, boot_file: str, **algorithm: Any) -> str:
    """Why a job of this code is rejected; empty if it is not."""
    body = api.job_body(code_dir=code_dir, boot_file=boot_file, **algorithm)
    return str(api.call("POST", "/training-jobs", json=body).json().get("error_msg", ""))


def test_both_forms_of_a_path_name_the_same_code_with_and_without_a_slash(owner: Any) -> None:
    for form in ("/code/own/", "obs://code/own/", "/code/own", "obs://code/own"):
        assert problem(owner, form, "obs://code/own/train.py") == ""


def test_a_whole_bucket_can_be_code(owner: Any) -> None:
    assert problem(owner, "/code/", "/code/train.py") == ""


def test_nothing_is_revealed_about_a_bucket_of_another_account(owner: Any) -> None:
    """Neither what is missing nor what is over a limit."""
    for code_dir in ("/theirs/code/", "/theirs/none/"):
        found = problem(owner, code_dir, f"{code_dir}other.py")
        assert found.endswith("bucket theirs belongs to another account.")
        inputs = [{"name": "data_url", "remote": {"obs": {"obs_url": code_dir}}}]
        found = problem(owner, "/code/own/", "/code/own/train.py", inputs=inputs)
        assert found.endswith("bucket theirs belongs to another account.")


@pytest.mark.parametrize(
    ("code_dir", "boot_file", "said"),
    [
        ("/code/own/", "/code/own-other/train.py", "does not lie below the code directory"),
        ("/code/own/train.py", "/code/own/train.py", "it is an object, not a directory"),
        ("/code/own/", "/code/own/none.py", "Boot file /code/own/none.py not found"),
        ("/code/own/", "/code/own/train", "is not a Python file"),
        ("/code/none/", "/code/none/train.py", "nothing lies below it"),
        ("/nobody/own/", "/nobody/own/train.py", "bucket nobody does not exist"),
    ],
)
def test_code_that_cannot_be_started_is_rejected(owner: Any, code_dir: str, boot_file: str, said: str) -> None:
    assert said in problem(owner, code_dir, boot_file)


def test_code_has_limits(owner: Any) -> None:
    """A key of hundreds of levels is too deep like any other."""
    for name, keys, said in (
        ("many", {f"{number}.py": 1 for number in range(4)}, "Too many files in the code directory: at most 3"),
        ("deep", {"a/b/c/train.py": 1}, "The code directory is 3 levels deep: at most 2"),
        ("deepest", {"d/" * 500 + "train.py": 1}, "The code directory is 500 levels deep"),
        ("large", {"train.py": 60, "data": 41}, "The code directory has 101 bytes: at most 100"),
        ("full", {"a/b/train.py": 50, "c": 49, "d": 1}, "Boot file /code/full/train.py not found"),
    ):
        for key, size in keys.items():
            owner.store.put("code", f"{name}/{key}", b"x" * size)
        assert problem(owner, f"/code/{name}/", f"/code/{name}/train.py").startswith(said)


def test_an_input_is_an_object_or_a_directory(owner: Any) -> None:
    def said(url: str) -> str:
        inputs = [{"name": "data_url", "remote": {"obs": {"obs_url": url}}}]
        return problem(owner, "/code/own/", "/code/own/train.py", inputs=inputs)

    for there in ("/code/", "/code/own", "/code/own/", "/code/own/train.py"):
        assert said(there) == ""
    for absent in ("/code/ow", "/code/own/train", "/code/none/", "/nobody/"):
        assert "data_url" in said(absent)
