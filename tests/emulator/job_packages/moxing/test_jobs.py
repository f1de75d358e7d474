"""Scripts of jobs that copy their data themselves, with `import moxing as mox`."""

from __future__ import annotations

from typing import Any

SCRIPT = b"""
import argparse, os, pathlib
import moxing as mox

parser = argparse.ArgumentParser()
parser.add_argument("--source")
parser.add_argument("--target")
arguments, _ = parser.parse_known_args()
home = pathlib.Path(os.environ["MA_HOME"])
mox.file.copy_parallel(arguments.source, home / "data")
text = (home / "data" / "deep" / "x.txt").read_text()
(home / "out").mkdir()
(home / "out" / "model.txt").write_text(text.upper())
mox.file.copy_parallel(home / "out", arguments.target)
print("copied", mox.file.list_directory(arguments.target))
"""


def test_a_script_copies_its_data_and_results_itself(live: Any) -> None:
    """It needs no installation and no settings, and no key shows in what the emulator says of the job."""
    top = f"obs://{live.bucket}/story"
    live.emulator.objects.put(f"{top}/code/train.py", SCRIPT)
    live.emulator.objects.put(f"{top}/data/deep/x.txt", b"text")
    body = live.job_body(
        code_dir=f"/{live.bucket}/story/code/",
        boot_file=f"/{live.bucket}/story/code/train.py",
        parameters=[{"name": "source", "value": f"{top}/data"}, {"name": "target", "value": f"{top}/out"}],
        environments={"PYTHONPATH": "/nowhere"},
    )

    job_id = live.create_job(body)["metadata"]["id"]
    shown = str(live.wait_for_phase(job_id, "Completed", "Failed"))
    log = live.call("GET", f"/training-jobs/{job_id}/tasks/worker-0/logs/preview").text

    assert "copied ['model.txt']" in log
    assert live.emulator.objects.get(f"{top}/out/model.txt") == b"TEXT"
    assert live.emulator.objects.get(f"{top}/data/deep/x.txt") == b"text"
    assert live.identity.secret_key not in log + shown
