"""Looking at files and directories, making and removing them: the same at both kinds of places."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.emulator.job_packages.moxing.conftest import Run

import moxing as mox
from modelarts_emulator.control.client import ObjectControl


@pytest.fixture(params=["object storage", "local"])
def top(request: pytest.FixtureRequest, tree: Path) -> str:
    """The tree at either kind of place."""
    if request.param == "local":
        return str(tree)
    url = f"{request.getfixturevalue('bucket')}/tree"
    mox.file.copy_parallel(tree, url)
    return url


def test_what_is_there_is_found_and_listed(top: str) -> None:
    """A directory is found with and without a slash; a listing is relative to it, of the top level or of everything."""
    assert mox.file.exists(f"{top}/a.txt")
    assert not mox.file.is_directory(f"{top}/a.txt")
    assert mox.file.exists(f"{top}/sub")
    assert mox.file.is_directory(f"{top}/sub/")
    assert not mox.file.exists(f"{top}/su")
    assert not mox.file.is_directory(f"{top}/nowhere")

    assert sorted(mox.file.list_directory(top)) == ["a.txt", "empty", "sub"]
    assert mox.file.list_directory(f"{top}/", recursive=True) == [
        "a.txt",
        "empty",
        "sub",
        "sub/b.bin",
        "sub/deeper",
        "sub/deeper/c",
    ]
    assert mox.file.list_directory(top, remove_sep=False, skip_file=True) == ["empty/", "sub/"]
    assert mox.file.list_directory(top, skip_dir=True) == ["a.txt"]
    assert mox.file.list_directory(f"{top}/empty") == []
    with pytest.raises(FileNotFoundError, match="nowhere"):
        mox.file.list_directory(f"{top}/nowhere")


def test_files_and_directories_are_described_as_python_does(top: str) -> None:
    """`stat` reports bytes and nanoseconds; directories come with the names in them; `*` stops at a slash."""
    found = mox.file.stat(f"{top}/sub/b.bin")

    assert (found.length, found.is_directory) == (256, False)
    assert abs(found.mtime_nsec / 1e9 - time.time()) < 60
    assert mox.file.stat(f"{top}/sub").is_directory
    assert mox.file.get_size(f"{top}/sub/b.bin") == 256
    assert mox.file.get_size(top, recursive=True) == 257
    with pytest.raises(FileNotFoundError):
        mox.file.stat(f"{top}/nowhere")

    assert [(path[len(top) :], sorted(folders), files) for path, folders, files in mox.file.walk(top)] == [
        ("", ["empty", "sub"], ["a.txt"]),
        ("/empty", [], []),
        ("/sub", ["deeper"], ["b.bin"]),
        ("/sub/deeper", [], ["c"]),
    ]
    entries = {entry.name: entry for entry in mox.file.scan_dir(top)}
    assert {name: entry.is_dir() for name, entry in entries.items()} == {"a.txt": False, "empty": True, "sub": True}
    assert mox.file.read(entries["a.txt"].path) == "a"
    assert mox.file.glob(f"{top}/*/b.*") == [f"{top}/sub/b.bin"]
    assert mox.file.glob(f"{top}/[ab]*") == [f"{top}/a.txt"]
    assert mox.file.glob(f"{top}/nowhere/*") == []


def test_directories_are_made_and_removed_only_if_that_is_asked_for(top: str) -> None:
    """`make_dirs` makes those above, too; `mk_dir` does not; everything beside what is removed stays."""
    mox.file.make_dirs(f"{top}/new/one")
    mox.file.make_dirs(f"{top}/new/one")
    mox.file.mk_dir(f"{top}/new/two")

    assert mox.file.list_directory(f"{top}/new") == ["one", "two"]
    with pytest.raises(OSError, match="nowhere"):
        mox.file.mk_dir(f"{top}/nowhere/one")

    if "://" in top:
        mox.file.remove(f"{top}/sub")
        mox.file.remove(f"{top}/sub/")
        mox.file.remove(f"{top}/nowhere", recursive=True)
    else:
        with pytest.raises(OSError, match="sub"):
            mox.file.remove(f"{top}/sub")
    assert mox.file.exists(f"{top}/sub/b.bin")

    mox.file.remove(f"{top}/sub", recursive=True)
    mox.file.remove(f"{top}/a.txt")

    assert mox.file.list_directory(top) == ["empty", "new"]


def test_only_what_is_in_the_directory_is_removed_and_no_whole_bucket(bucket: str, objects: ObjectControl) -> None:
    """A name that only begins like the directory's is another one; a slip of the pen must not cost all data."""
    for key in ("data/x", "data2/x", "dat"):
        objects.put(f"{bucket}/{key}", b"")

    mox.file.remove(f"{bucket}/data", recursive=True)
    for url in (bucket, f"{bucket}/", f"{bucket}//"):
        with pytest.raises(ValueError, match="is a whole bucket"):
            mox.file.remove(url, recursive=True)

    assert objects.list(f"{bucket}/") == [f"{bucket}/dat", f"{bucket}/data2/x"]


def test_an_empty_bucket_is_a_directory_and_no_bucket_is_none(bucket: str, objects: ObjectControl) -> None:
    """Where a listing is wanted, no bucket is an error; pages of one are continued after the last key."""
    assert mox.file.is_directory(bucket)
    assert mox.file.list_directory(bucket) == []
    assert not mox.file.exists(f"{bucket}-other/x")
    with pytest.raises(mox.file.MoxFileNotExistsException, match="NoSuchBucket"):
        mox.file.list_directory(f"{bucket}-other")

    names = [f"{number:04}" for number in range(1003)]
    for name in names:
        objects.put(f"{bucket}/data/{name}/x", b"")

    assert mox.file.list_directory(f"{bucket}/data") == names
    assert len(mox.file.list_directory(f"{bucket}/data", recursive=True)) == 2 * len(names)


def test_a_url_without_a_bucket_or_of_another_scheme_is_an_error() -> None:
    """It is not taken for a local path."""
    for url in ("obs://", "s3:///key"):
        with pytest.raises(ValueError, match="names no bucket"):
            mox.file.exists(url)
    with pytest.raises(ValueError, match="neither a local path nor a URL"):
        mox.file.write("gs://bucket/key", "x")


def test_functions_of_python_take_urls(bucket: str, objects: ObjectControl, tmp_path: Path, run_script: Run) -> None:
    """Those that the documentation lists, after the one documented switch."""
    run_script(f"""
import glob, os, shutil, sys, tarfile
import moxing as mox
mox.file.shift("os", "mox")
mox.file.shift("os", "mox")
top, local = {bucket!r}, {str(tmp_path)!r}

os.makedirs(top + "/dir/sub")
os.makedirs(top + "/dir/sub", exist_ok=True)
try:
    os.makedirs(top + "/dir/sub")
    raise AssertionError
except FileExistsError:
    pass
os.mkdir(top + "/dir/other", 0o755)
with open(top + "/dir/a.txt", "w", newline="") as file:
    file.write("text")
assert open(file=top + "/dir/a.txt", mode="rb").read() == b"text"
assert os.listdir(top + "/dir") == ["a.txt", "other", "sub"]
assert glob.glob(top + "/dir/*.txt") == [top + "/dir/a.txt"]
assert os.path.exists(top + "/dir/a.txt") and not os.path.exists(top + "/nowhere")
assert os.path.isdir(top + "/dir") and os.path.getsize(top + "/dir/a.txt") == 4
assert os.stat(top + "/dir/a.txt").st_size == 4
assert os.path.isfile(top + "/dir/a.txt") and not os.path.isfile(top + "/dir")
assert not os.path.isfile(top + "/nowhere")
with os.scandir(top + "/dir") as entries:
    assert [entry.name for entry in entries if entry.is_file()] == ["a.txt"]
for entry in os.scandir(top + "/dir"):
    assert entry.is_dir(follow_symlinks=False) != entry.is_file(follow_symlinks=False)
    assert entry.stat(follow_symlinks=False).st_ino == entry.inode() == os.stat(entry.path).st_ino
    assert {{*dir(next(os.scandir(local + "/..")))}} - {{*dir(entry)}} <= {{"__class_getitem__"}}
assert [path for path, _, _ in os.walk(top + "/dir")] == [top + "/dir", top + "/dir/other", top + "/dir/sub"]
shutil.copyfile(top + "/dir/a.txt", local + "/b.txt")
shutil.copytree(top + "/dir", top + "/copy", dirs_exist_ok=True)
os.rename(top + "/dir/a.txt", top + "/dir/c.txt")
os.remove(top + "/dir/c.txt")
shutil.rmtree(top + "/dir")

import io, zipfile
for name in ("a.txt", "b.bin", ".hidden", "sub/c.txt", "sub/deep/d.txt"):
    with io.open(top + "/tree/" + name, "x") as file:
        file.write(name)
assert shutil.copy(local + "/b.txt", top + "/tree/sub") == top + "/tree/sub/b.txt"
shutil.copy2(top + "/tree/a.txt", local + "/copied")
os.replace(top + "/tree/sub/b.txt", top + "/tree/e.txt")
os.unlink(top + "/tree/e.txt")
shutil.move(top + "/tree/b.bin", top + "/tree/sub")
with zipfile.ZipFile(top + "/tree/z.zip", "w") as file:
    file.writestr("x", "y")
assert zipfile.ZipFile(top + "/tree/z.zip").read("x") == b"y"
os.remove(top + "/tree/z.zip")
open(top + "/tree/never-closed", "w").write("kept")
assert open(top + "/tree/never-closed").read() == "kept"
os.remove(top + "/tree/never-closed")
with tarfile.open(top + "/tree/z.tar", "w") as file:
    file.add(local + "/copied", "x")
assert tarfile.open(top + "/tree/z.tar").getnames() == ["x"]
os.remove(top + "/tree/z.tar")

def names(pattern, **options):
    return [name[len(top) + 6:] for name in glob.glob(top + "/tree/" + pattern, **options)]

assert names("*") == ["a.txt", "sub"] and names("*/") == ["sub/"]
assert names("**/*.txt") == ["sub/c.txt"]
assert names("**/*.txt", recursive=True) == ["a.txt", "sub/c.txt", "sub/deep/d.txt"]
assert names("**", recursive=True)[:2] == ["", "a.txt"]
assert names("sub/**/d.txt", recursive=True) == ["sub/deep/d.txt"]
if sys.version_info >= (3, 11):
    assert names("*", include_hidden=True) == [".hidden", "a.txt", "sub"]
    assert glob.glob("*.txt", root_dir=top + "/tree") == ["a.txt"]
below = lambda **options: [(path[len(top) + 6:], files) for path, _, files in os.walk(top + "/tree", **options)]
assert below(followlinks=True) == [("", [".hidden", "a.txt"]), ("sub", ["b.bin", "c.txt"]), ("sub/deep", ["d.txt"])]
assert below(topdown=False) == below()[::-1]
for path, folders, files in os.walk(top + "/tree"):
    del folders[:]
assert path == top + "/tree"
missing = []
assert list(os.walk(top + "/nowhere", onerror=missing.append)) == [] and isinstance(missing[0], FileNotFoundError)
shutil.copytree(top + "/tree", local + "/tree", ignore=shutil.ignore_patterns("*.bin", "deep", ".*"))
assert sorted(name for _, _, names in os.walk(local + "/tree") for name in names) == ["a.txt", "c.txt"]
for call in (
    lambda: shutil.copytree(top + "/tree", local + "/tree", dirs_exist_ok=False),
    lambda: shutil.copytree(top + "/tree", local + "/other", copy_function=print),
    lambda: shutil.copytree(local, top + "/other", symlinks=True),
    lambda: os.remove(top + "/tree/a.txt", dir_fd=1),
    lambda: open(top + "/tree/a.txt", opener=print),
):
    try:
        call()
        raise AssertionError(call)
    except (ValueError, FileExistsError) as error:
        assert "leave out" in str(error) or "already" in str(error), error
shutil.rmtree(top + "/tree")
at_the_end = open(top + "/copy/end", "w")
at_the_end.write("kept")
""")
    assert objects.get(f"{bucket}/copy/end") == b"kept"
    mox.file.remove(f"{bucket}/copy/end")

    with pytest.raises(ValueError, match="use shift"):
        mox.file.shift("mox", "os")
    assert (tmp_path / "b.txt").read_text() == "text"
    assert mox.file.list_directory(bucket, recursive=True) == ["copy", "copy/a.txt", "copy/other", "copy/sub"]


def test_replaced_functions_take_every_parameter_of_those_that_they_replace(bucket: str, run_script: Run) -> None:
    """Read from the signatures, so whatever this Python has; with their defaults, none is an error."""
    printed = run_script(f"""
import glob, inspect, os
from moxing import file, shifting
functions = [(module, name) for module, name, _ in shifting.REPLACED] + [(glob, "glob"), (os, "walk")]
originals = [(inspect.signature(getattr(module, name)), module, name) for module, name in functions]
file.shift("os", "mox")
top = {bucket!r} + "/dir"
for signature, module, name in originals:
    needed = sum(each.default is each.empty for each in signature.parameters.values()) or 1
    for option in [*signature.parameters.values()][needed:]:
        file.write(top + "/a", "x")
        path = top if name in ("walk", "listdir", "scandir", "copytree", "rmtree") else top + "/a"
        path += option.name if name in ("mkdir", "makedirs") else ""
        target = f"{{{bucket!r}}}/{{name}}-{{option.name}}"
        getattr(module, name)(*[path, target][:needed], **{{option.name: option.default}})
        print(name, option.name)
""")

    expected = {"open opener", "walk topdown", "glob recursive", "copytree copy_function", "rmtree ignore_errors"}
    assert expected <= {*printed.splitlines()}


def test_other_import_paths_give_the_same_and_what_is_missing_says_what_to_use(bucket: str, run_script: Run) -> None:
    """Those of the vendor's pages and of public scripts."""
    run_script(f"""
import moxing.pytorch as mox
import moxing.tensorflow, moxing.mxnet
from moxing.framework import file
from moxing.framework.file import file_io
from moxing.framework.util import runtime
runtime.reset_logger(level=30)
file_io._NUMBER_OF_PROCESSES = 1
file_io.write({bucket!r} + "/x", "text")
assert mox.file.read({bucket!r} + "/x") == file.read({bucket!r} + "/x") == moxing.mxnet.file.read({bucket!r} + "/x")
for source in ("mox.run", "from moxing.tensorflow.optimizer import x", "import moxing.nlp", "mox.get_hyper_parameter"):
    try:
        exec(source)
        raise AssertionError(source)
    except (AttributeError, ImportError) as error:
        assert "only mox.file is" in str(error), error
try:
    file.copy_tree
except AttributeError as error:
    assert "copy_parallel" in str(error)
""")


def test_local_files_are_used_as_before(tmp_path: Path, run_script: Run) -> None:
    """Descriptors, bytes, path objects and all options work; nothing is asked of object storage."""
    run_script(f"""
import glob, os, pathlib, shutil, tempfile
import moxing as mox
mox.file.shift("os", "mox")
top = pathlib.Path({str(tmp_path)!r}) / "x"
os.makedirs(top / "deep", mode=0o700)
with open(top / "a", "w", encoding="latin-1", errors="replace", newline="\\r\\n") as file:
    file.write("\\u4e2d\\n")
assert (top / "a").read_bytes() == b"?\\r\\n"
assert open(os.open(top / "a", os.O_RDONLY)).read() == "?\\n"
assert sorted(os.listdir(os.fsencode(top))) == [b"a", b"deep"]
assert glob.glob("*", root_dir=top, recursive=True)
(top / "link").symlink_to("a")
shutil.copytree(top, top.parent / "y", symlinks=True, ignore=shutil.ignore_patterns("deep"))
assert os.path.islink(top.parent / "y" / "link")
folder = os.open(top, os.O_RDONLY)
assert os.stat("a", dir_fd=folder, follow_symlinks=False).st_size == 3
os.remove("a", dir_fd=folder)
assert not os.path.exists(top / "a")
shutil.rmtree(top)
import moxing.shifting, pickle
for module, name, _ in moxing.shifting.REPLACED:  # as `Pool.map` does
    assert pickle.loads(pickle.dumps(getattr(module, name))) is getattr(module, name), name
with tempfile.TemporaryDirectory() as other:
    assert os.path.isdir(other)
""")


SCRIPT = """
import moxing as mox
mox.file.write({url!r}, "written")
assert mox.file.read({url!r}) == "written"
from moxing.framework import file
assert file.File is mox.file.File
"""


def _works(python: str) -> bool:
    return subprocess.run(["/bin/sh", "-c", f"{python} -c ''"], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("python", [sys.executable, "python3.9"], ids=["this", "oldest"])
def test_it_runs_on_this_and_the_oldest_python_that_it_names(bucket: str, run_script: Run, python: str) -> None:
    """With the standard library only. Engines of the service are older than the emulator's own Python."""
    if not _works(python):
        pytest.skip("there is no Python 3.9")

    run_script(SCRIPT.format(url=f"{bucket}/file"), python=python)
