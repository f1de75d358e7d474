"""shift("os", "mox"), in processes of its own, because it lasts."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.emulator.job_packages.moxing.conftest import Run

import moxing as mox
from modelarts_emulator.control.client import ObjectControl


def test_functions_of_python_take_urls(bucket: str, objects: ObjectControl, tmp_path: Path, run_script: Run) -> None:
    """Those that the documentation lists."""
    run_script(f"""
import glob, os, shutil
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
assert [path for path, _, _ in os.walk(top + "/dir")] == [top + "/dir", top + "/dir/other", top + "/dir/sub"]
shutil.copyfile(top + "/dir/a.txt", local + "/b.txt")
shutil.copytree(top + "/dir", top + "/copy", dirs_exist_ok=True)
os.rename(top + "/dir/a.txt", top + "/dir/c.txt")
os.remove(top + "/dir/c.txt")
shutil.rmtree(top + "/dir")
""")

    assert (tmp_path / "b.txt").read_text() == "text"
    assert mox.file.list_directory(bucket, recursive=True) == ["copy", "copy/a.txt", "copy/other", "copy/sub"]


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
with tempfile.TemporaryDirectory() as other:
    assert os.path.isdir(other)
""")


def test_only_the_documented_switch_exists() -> None:
    """Another one is an error, and nothing is replaced."""
    with pytest.raises(ValueError, match="use shift"):
        mox.file.shift("mox", "os")
