"""Places in object storage, checked before a job relies on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from modelarts_emulator.engine import obs_paths
from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.settings.catalogue import Limits
from modelarts_emulator.storage.folder import FolderStore

ACCOUNT = "account-1"


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    made = FolderStore(tmp_path)
    made.create_bucket("bucket")
    made.put("bucket", "code/train.py", b"x" * 10)
    made.put("bucket", "code-other/train.py", b"x")
    made.put("bucket", "train.py", b"x")
    return made


def code_of(store: FolderStore, code_dir: str, boot_file: str | None = None, **limits: int) -> Problem:
    with pytest.raises(ServiceError) as caught:
        obs_paths.inspect_code(store, ACCOUNT, code_dir, boot_file, Limits(**limits))
    assert isinstance(caught.value.code, Problem)
    return caught.value.code


@pytest.mark.parametrize("form", ["/bucket/code/", "obs://bucket/code/", "/bucket/code", "obs://bucket/code"])
def test_both_forms_of_a_path_name_the_same_code_with_and_without_a_slash(store: FolderStore, form: str) -> None:
    code = obs_paths.inspect_code(store, ACCOUNT, form, "obs://bucket/code/train.py", Limits())

    assert code.size == 10
    assert code.tree == {"name": "code/", "children": [{"name": "train.py"}]}


def test_nothing_is_revealed_about_a_bucket_of_another_account(store: FolderStore) -> None:
    """Neither what is missing nor what is over a limit."""
    store.create_bucket("theirs", owner="somebody-else")
    store.put("theirs", "code/deep/train.py", b"x")

    for code_dir, boot_file in (("/theirs/code/", "/theirs/code/other.py"), ("/theirs/none/", None)):
        with pytest.raises(ServiceError, match="bucket theirs belongs to another account"):
            obs_paths.inspect_code(store, ACCOUNT, code_dir, boot_file, Limits(code_depth=0))
    for url in ("/theirs/code/", "/theirs/none/"):
        with pytest.raises(ServiceError, match="bucket theirs belongs to another account"):
            obs_paths.require_content(store, ACCOUNT, "inputs.data_url", url)


def test_a_whole_bucket_can_be_code(store: FolderStore) -> None:
    assert obs_paths.inspect_code(store, ACCOUNT, "/bucket/", "/bucket/train.py", Limits()).size == 12


def test_a_directory_whose_name_only_begins_alike_is_not_the_code_directory(store: FolderStore) -> None:
    assert code_of(store, "/bucket/code", "/bucket/code-other/train.py") == Problem.BOOT_FILE_OUTSIDE_CODE


def test_an_object_is_not_a_code_directory(store: FolderStore) -> None:
    assert code_of(store, "/bucket/code/train.py") == Problem.CODE_NOT_A_DIRECTORY


def test_code_has_limits(store: FolderStore, tmp_path: Path) -> None:
    deep = tmp_path / "bucket/deep" / "/".join("d" * 33)
    deep.mkdir(parents=True)
    (deep / "train.py").write_bytes(b"")
    many = tmp_path / "bucket/many"
    many.mkdir()
    for number in range(1001):
        (many / f"{number}.py").touch()
    large = tmp_path / "bucket/large"
    large.mkdir()
    with (large / "train.py").open("wb") as stream:
        stream.truncate(5 * 1024**3 + 1)

    assert code_of(store, "/bucket/many/") == Problem.TOO_MANY_CODE_FILES
    assert code_of(store, "/bucket/deep/") == Problem.CODE_TOO_DEEP
    assert code_of(store, "/bucket/large/") == Problem.CODE_TOO_LARGE


def test_the_deepest_legal_key_is_too_deep_for_code_and_disturbs_no_check(store: FolderStore) -> None:
    """A key of 511 levels below the code directory is rejected as too deep, and is an input like any other."""
    store.put("bucket", "deep/" + "d/" * 500 + "train.py", b"")

    assert code_of(store, "/bucket/deep/") == Problem.CODE_TOO_DEEP
    obs_paths.require_content(store, ACCOUNT, "inputs.data_url", "/bucket/deep/" + "d/" * 500)


@pytest.mark.parametrize(
    ("limit", "code"),
    [
        ("code_files", Problem.TOO_MANY_CODE_FILES),
        ("code_depth", Problem.CODE_TOO_DEEP),
        ("code_bytes", Problem.CODE_TOO_LARGE),
    ],
)
def test_the_limits_of_code_can_be_set(store: FolderStore, limit: str, code: Problem) -> None:
    store.put("bucket", "other/a/b/train.py", b"xx")
    store.put("bucket", "other/train.py", b"xx")

    assert code_of(store, "/bucket/other/", **cast("Any", {limit: 1})) == code
    assert obs_paths.inspect_code(store, ACCOUNT, "/bucket/other/", "/bucket/other/train.py", Limits(2, 2, 4)).size == 4


def test_an_input_is_an_object_or_a_directory(store: FolderStore) -> None:
    for there in ("/bucket/", "/bucket", "/bucket/code", "/bucket/code/", "/bucket/code/train.py"):
        obs_paths.require_content(store, ACCOUNT, "inputs.data_url", there)
    for absent in ("/bucket/cod", "/bucket/code/train", "/bucket/none/", "/nobody/"):
        with pytest.raises(ServiceError, match=r"inputs\.data_url") as caught:
            obs_paths.require_content(store, ACCOUNT, "inputs.data_url", absent)
        assert caught.value.code == Problem.INVALID_OBS_PATH
