"""Files at local paths and at `obs://bucket/key` or `s3://bucket/key`, by the same functions.

The functions, their parameters and exceptions are those that the documentation of MoXing's file API names.
"""

from moxing.client import (
    MoxFileNameDuplicateException,
    MoxFileNotExistsException,
    MoxFileReadException,
    MoxFileRespException,
    set_auth,
)
from moxing.file.copying import copy, copy_parallel, rename
from moxing.file.directories import (
    DirEntry,
    FileStat,
    exists,
    get_size,
    glob,
    is_directory,
    list_directory,
    make_dirs,
    mk_dir,
    remove,
    scan_dir,
    stat,
    walk,
)
from moxing.file.opening import File, append, append_remote, read, write
from moxing.file.shifting import shift

__all__ = [
    "DirEntry",
    "File",
    "FileStat",
    "MoxFileNameDuplicateException",
    "MoxFileNotExistsException",
    "MoxFileReadException",
    "MoxFileRespException",
    "append",
    "append_remote",
    "copy",
    "copy_parallel",
    "exists",
    "get_size",
    "glob",
    "is_directory",
    "list_directory",
    "make_dirs",
    "mk_dir",
    "read",
    "remove",
    "rename",
    "scan_dir",
    "set_auth",
    "shift",
    "stat",
    "walk",
    "write",
]
