"""What a task leaves in its outputs arrives as the task itself sees it, or is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from tests.emulator.execution.conftest import Bench

# Makes the entries, then walks the output as a program in the task can: the files by name, and the names of the rest.
TREE = """
import json, os, sys
home = os.environ["MA_HOME"]
out, other = sys.argv[-1].split("=")[1], home + "/other"
own = [os.path.realpath(home), "/cache"]
for entry, kind, target in json.loads(os.environ["TREE"]):
    if entry.startswith("/cache") and not os.path.ismount("/cache"):
        continue
    path, target = (text.replace("OUT", out).replace("OTHER", other) for text in (entry, target))
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if kind == "file":
            open(path, "x").write(path)
        elif kind == "folder":
            os.mkdir(path)
        elif kind == "pipe":
            os.mkfifo(path)
        elif kind == "relative":
            os.symlink(os.path.relpath(target, os.path.dirname(path)), path)
        else:
            {"link": os.symlink, "hard": os.link, "move": os.rename}[kind](target, path)
    except OSError:
        pass
files, left = {}, []
def walk(folder, name, above):
    for entry in sorted(os.listdir(folder)):
        path, real = f"{folder}/{entry}", os.path.realpath(f"{folder}/{entry}")
        chain = above + [os.path.realpath(folder)]
        may_lead = any((real + "/").startswith(f"{folder}/") for folder in own)
        if os.path.isfile(path) and may_lead:
            files[name + entry] = open(path).read()
        elif os.path.isdir(path) and may_lead and not any((passed + "/").startswith(real + "/") for passed in chain):
            walk(path, f"{name}{entry}/", chain if os.path.islink(path) else above)
        else:
            left.append(name + entry)
if os.path.isdir(out) and any((os.path.realpath(out) + "/").startswith(f"{folder}/") for folder in own):
    walk(out, "", [])
elif os.path.lexists(out):
    left.append("the folder itself")
print(f"\\n{json.dumps([files, left])}")
"""
NAMES = ("a", "b.pt", "c d", "tab\t", "line\nend", "back\\slash", "ü", "x" * 255)
FOLDERS = ("OUT", "OUT/a", "OUT/a/a", "OTHER", "OTHER/a")
PATHS = st.builds("/".join, st.tuples(st.sampled_from(FOLDERS), st.sampled_from(NAMES)))
ELSEWHERE = ("/etc/passwd", "/proc/self/environ", "/dev/zero", "/", "/nowhere", "/cache/best", "b.pt")
TARGETS = st.one_of(PATHS, st.sampled_from((*FOLDERS, *ELSEWHERE)))
FAST = (Phase.explicit, Phase.generate)  # to shrink takes minutes
KINDS = st.sampled_from(("file", "file", "folder", "link", "link", "relative", "hard", "pipe"))


def _outcome(bench: Bench, paths: Any, tree: list[tuple[str, str, str]]) -> Any:
    """Run a job that makes the tree: what it saw itself, what arrived, its exit code and its message."""
    bench.use_paths(paths, upload_period=60)
    url = f"/data/out{len(bench.jobs)}/"
    report = bench.run(TREE, outputs=(bench.channel("train_url", url),), environments={"TREE": json.dumps(tree)})
    line = next(line for line in bench.log().splitlines() if line.startswith("[{"))
    infos = bench.store.list("data", url[len("/data/") :]).objects
    arrived = {info.key.partition("/")[2]: bench.store.read("data", info.key).decode() for info in infos}
    return *json.loads(line), arrived, report.exit_code, report.message or ""


@pytest.mark.parametrize("paths", ["mapping", "namespace"])
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), phases=FAST)
@given(tree=st.lists(st.tuples(PATHS, KINDS, TARGETS), max_size=30))
@example([("OUT/epoch3.pt", "file", ""), ("OUT/latest.pt", "link", "OUT/epoch3.pt")])
@example([("/cache/best/x", "file", ""), ("OUT/a", "link", "/cache/best"), ("OUT/b.pt", "link", "OUT/a")])
@example([("OTHER/a/b.pt", "file", ""), ("OUT/a/b.pt", "relative", "OTHER/a/b.pt"), ("OUT/c d", "relative", "OTHER")])
@example(
    [
        ("OTHER/a", "link", "OTHER/b/a"),
        ("OTHER/b/a/x", "file", ""),
        ("OTHER/b/a/c", "link", "OTHER/c"),
        ("OTHER/c/b", "link", "OTHER/a"),
        ("OUT/a", "link", "OTHER/a"),
    ]
)
@example([("OUT/a/b.pt", "file", ""), ("OUT/a/loop", "link", "OUT"), ("OUT/loop", "link", "OUT/loop")])
@example([("OTHER/b.pt", "file", ""), ("OTHER/out", "move", "OUT"), ("OUT", "link", "OTHER")])
@example([("OTHER/out", "move", "OUT"), ("OUT", "file", "")])
@example([("OTHER/out", "move", "OUT"), ("OUT", "link", "/etc")])
@example([("OTHER/out", "move", "OUT")])
def test_what_arrives_is_what_the_task_sees_or_the_job_fails_and_names_it(
    bench: Bench, paths: Any, tree: list[tuple[str, str, str]]
) -> None:
    """Links are followed, also absolute ones and those to folders; in both path modes."""
    files, left, arrived, code, message = _outcome(bench, paths, tree)

    assert arrived == files
    assert code == (1 if left else 0), message
    assert not left or f"{len(left)} file(s) could not be uploaded" in message
    assert "\n" not in message
    for name in left if len(left) <= 5 else ():
        shown = name if name.isprintable() else name.replace("\t", "\\t").replace("\n", "\\n")
        assert shown[:50] in message, name


@pytest.mark.parametrize("paths", ["mapping", "namespace"])
def test_no_link_leads_out_of_the_task_s_directories(bench: Bench, paths: Any, tmp_path: Path) -> None:
    """Not to other accounts' objects, other jobs or credentials, although they lie in a folder for temporary files."""
    bench.store.put("data", "secret/x", b"a-secret")
    (tmp_path / "jobs" / "other").mkdir(parents=True)
    private = [tmp_path / "objects" / "data" / "secret", tmp_path / "jobs" / "other", tmp_path, tmp_path.parent]
    (beside := tmp_path.parent / f"{tmp_path.name}-beside").touch()
    targets = [
        f"/proc/self/root{beside}",
        "/proc/self/environ",
        "/etc/passwd",
        "/tmp",
        "/dev/shm",
        "/",
        *map(str, private),
    ]
    for target in targets:
        tree = [("OUT/good", "file", ""), ("OUT/a", "link", target), ("OUT/b.pt", "link", "OUT/a")]
        *_, arrived, code, message = _outcome(bench, paths, tree)
        assert list(arrived) == ["good"], target
        assert code == 1, target
        assert "a: it is a link to" in message, target
        assert "b.pt: it is a link to" in message, target
