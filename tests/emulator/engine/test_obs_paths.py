"""Places in object storage, checked before a job relies on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from modelarts_emulator.server import Emulator


@pytest.fixture(scope="module")
def owner(tmp_path_factory: pytest.TempPathFactory, log_in: Any) -> Iterator[Any]:
    """A client of an emulator, and a bucket with code."""
    with Emulator(tmp_path_factory.mktemp("places"), executor="simulated") as emulator:
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
    """A whole bucket can be code; a directory whose name begins with that of the code is another one."""
    for form in ("/code/own/", "obs://code/own/", "/code/own", "obs://code/own", "/code/"):
        assert problem(owner, form, "obs://code/own/train.py") == ""
    assert "does not lie below the code directory" in problem(owner, "/code/own/", "/code/own-other/train.py")


def test_nothing_is_revealed_about_a_bucket_of_another_account(owner: Any) -> None:
    """Neither what is missing nor what is over a limit."""
    for code_dir in ("/theirs/code/", "/theirs/none/"):
        found = problem(owner, code_dir, f"{code_dir}other.py")
        assert found.endswith("bucket theirs belongs to another account.")
        inputs = [{"name": "data_url", "remote": {"obs": {"obs_url": code_dir}}}]
        found = problem(owner, "/code/own/", "/code/own/train.py", inputs=inputs)
        assert found.endswith("bucket theirs belongs to another account.")


def test_an_input_is_an_object_or_a_directory(owner: Any) -> None:
    def said(url: str) -> str:
        inputs = [{"name": "data_url", "remote": {"obs": {"obs_url": url}}}]
        return problem(owner, "/code/own/", "/code/own/train.py", inputs=inputs)

    for there in ("/code/", "/code/own", "/code/own/", "/code/own/train.py"):
        assert said(there) == ""
    for absent in ("/code/ow", "/code/own/train", "/code/none/", "/nobody/"):
        assert "data_url" in said(absent)
