"""Places in object storage that requests name: checked before a job relies on them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.settings.catalogue import Limits
from modelarts_emulator.storage.errors import AccessDenied, NoSuchBucket, NoSuchKey
from modelarts_emulator.storage.names import check_path, parse_obs_url
from modelarts_emulator.storage.protocol import AccountStore


def parse(member: str, url: str) -> tuple[str, str]:
    """Bucket and key of an OBS path.

    Raises ServiceError (INVALID_OBS_PATH) naming the member if it is not one that the store can hold.
    """
    try:
        bucket, key = parse_obs_url(url)
        if key:
            check_path(key)
    except ValueError as error:
        raise _invalid(member, f"{error}") from None
    return bucket, key


def require_bucket(store: AccountStore, member: str, url: str) -> tuple[str, str]:
    """Bucket and key; raises ServiceError (INVALID_OBS_PATH) unless it is a bucket that the account may use."""
    bucket, key = parse(member, url)
    try:
        store.head_bucket(bucket)
    except NoSuchBucket:
        raise _invalid(member, f"{url}: bucket {bucket} does not exist") from None
    except AccessDenied as error:
        raise _invalid(member, f"{url}: {error}") from None
    return bucket, key


def require_content(store: AccountStore, member: str, url: str) -> None:
    """Raise ServiceError (INVALID_OBS_PATH) unless the path is an existing object or directory in such a bucket."""
    bucket, key = require_bucket(store, member, url)
    if not _exists(store, bucket, key) and not store.has_folder(bucket, key):
        raise _invalid(member, f"{url}: there is no such object or directory")


def _invalid(member: str, reason: str) -> ServiceError:
    return ServiceError(Problem.INVALID_OBS_PATH, f"Invalid OBS path in {member}: {reason}.")


class Code:
    """A code directory in object storage: its size in bytes and its files as a tree, in the service's form."""

    def __init__(self, prefix: str, sizes: Mapping[str, int]) -> None:
        self._prefix = prefix
        self._keys = sizes.keys()
        self.size = sum(sizes.values())

    @property
    def tree(self) -> dict[str, Any]:
        """The files; a directory's name ends in `/`."""
        tree: dict[str, Any] = {"name": f"{self._prefix.rstrip('/').rpartition('/')[2]}/", "children": []}
        folders = {"": tree["children"]}
        for key in self._keys:
            path = ""
            *above, name = key.removeprefix(self._prefix).split("/")
            for folder in above:
                children, path = folders[path], f"{path}{folder}/"
                if path not in folders:
                    folders[path] = []
                    children.append({"name": f"{folder}/", "children": folders[path]})
            if name:
                folders[path].append({"name": name})
        return tree


def inspect_code(
    store: AccountStore,
    code_dir: str,
    boot_file: str | None,
    limits: Limits,
    members: tuple[str, str] = ("code_dir", "boot_file"),
) -> Code:
    """Check that the code can be fetched and started; raises ServiceError with a Problem that says what is wrong.

    `members` are the names of directory and boot file in the request.
    """
    bucket, key = parse(members[0], code_dir)
    try:
        if key and not key.endswith("/"):
            if _exists(store, bucket, key):
                raise ServiceError(
                    Problem.CODE_NOT_A_DIRECTORY, f"Invalid {members[0]} {code_dir}: it is an object, not a directory."
                )
            key += "/"
        # One more than the limit shows that they are too many.
        sizes = dict(islice(store.sizes(bucket, key), limits.code_files + 1))
    except NoSuchBucket:
        reason = f"bucket {bucket} does not exist"
        raise ServiceError(Problem.CODE_NOT_FOUND, f"Code directory {code_dir} not found: {reason}.") from None
    except AccessDenied as error:
        raise _invalid(members[0], f"{code_dir}: {error}") from None
    if not sizes:
        raise ServiceError(Problem.CODE_NOT_FOUND, f"Code directory {code_dir} not found: nothing lies below it.")
    _check_limits(key, sizes, limits)
    if boot_file is not None:
        _check_boot_file(sizes, (bucket, key), code_dir, members[1], boot_file)
    return Code(key, sizes)


def _check_limits(prefix: str, sizes: Mapping[str, int], limits: Limits) -> None:
    if len(sizes) > limits.code_files:
        raise ServiceError(
            Problem.TOO_MANY_CODE_FILES,
            f"Too many files in the code directory: at most {limits.code_files} are allowed.",
        )
    depth = max(key.removeprefix(prefix).rstrip("/").count("/") for key in sizes)
    if depth > limits.code_depth:
        rule = f"at most {limits.code_depth} are allowed"
        raise ServiceError(Problem.CODE_TOO_DEEP, f"The code directory is {depth} levels deep: {rule}.")
    size = sum(sizes.values())
    if size > limits.code_bytes:
        rule = f"at most {limits.code_bytes} are allowed"
        raise ServiceError(Problem.CODE_TOO_LARGE, f"The code directory has {size} bytes: {rule}.")


def _check_boot_file(
    sizes: Mapping[str, int], code: tuple[str, str], code_dir: str, member: str, boot_file: str
) -> None:
    bucket, key = parse(member, boot_file)
    reason = ""
    if key.endswith("/"):
        reason = "is a directory: name the .py file in it that starts the program"
    elif not key.endswith(".py"):
        reason = "is not a Python file: its name must end in .py"
    elif key not in sizes:
        reason = "not found"
    if bucket != code[0] or not key.startswith(code[1]):
        outside = f"Boot file {boot_file} does not lie below the code directory {code_dir}."
        raise ServiceError(Problem.BOOT_FILE_OUTSIDE_CODE, outside)
    if reason:
        raise ServiceError(Problem.BOOT_FILE_NOT_FOUND, f"Boot file {boot_file} {reason}.")


def _exists(store: AccountStore, bucket: str, key: str) -> bool:
    if not key:
        return False
    try:
        store.head(bucket, key)
    except NoSuchKey:
        return False
    return True
