"""PyTorch on two nodes in one run: an emulator, a job whose nodes average their gradients, and a model that is checked.

`make demo ENGINE=pytorch`. Exit status 0 means: the job completed, both nodes ended with the same weights, and the
downloaded model named at least 95 % of the held-out digits right.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from demo import BUCKET, EXAMPLE, PASS_MARK, Calls, DemoError, Terminal, emulator, main, train

from modelarts_toolkit import Job, ModelArts

ROOT = Path(__file__).parents[1]
NODES = Path(__file__).parent / "digits-on-nodes"
PYTHON = ROOT / ".cache" / "engines" / "pytorch" / "bin" / "python"
WEIGHTS = re.compile(r"node (\d) ends with weights (\w+)")


def run(folder: Path, terminal: Terminal) -> None:
    if not PYTHON.exists():
        raise DemoError(f"there is no {PYTHON}: say make engine-pytorch")
    state = folder / "emulator"
    state.mkdir(parents=True, exist_ok=True)
    calls = Calls(terminal)
    with emulator(state, terminal, "--engine", f"PyTorch*={PYTHON}"), ModelArts() as ma:
        ma.obs.create_bucket(BUCKET)
        code = ma.obs.upload(NODES / "code", f"obs://{BUCKET}/digits-on-nodes/code/")
        data = ma.obs.upload(EXAMPLE / "data", f"obs://{BUCKET}/digits/data/")
        terminal.step("", "upload", f"{code.files + data.files} files to obs://{BUCKET}/")
        with calls.step(1, "job") as result:
            job = ma.jobs.submit(json.loads((NODES / "job.json").read_text()))
            result.append(f"{job.name} on {job.nodes} nodes, {job.phase}")
        train(job, terminal, calls)
        judge(ma, job, terminal, folder)


def judge(ma: ModelArts, job: Job, terminal: Terminal, folder: Path) -> None:
    """Compare what the nodes ended with, and score the model on images that were never uploaded."""
    found: dict[str, str] = {}
    for task in job.tasks:
        found |= dict(WEIGHTS.findall("\n".join(job.logs(task))))
    terminal.step(2, "nodes", ", ".join(f"node {node}: weights {weights}" for node, weights in sorted(found.items())))
    if len(found) != len(job.tasks) or len(set(found.values())) != 1:
        raise DemoError("the nodes did not end with the same weights")

    sys.path.insert(0, str(EXAMPLE))
    from score import score

    ma.obs.download(f"obs://{BUCKET}/digits-on-nodes/outputs/", folder / "outputs")
    accuracy = score(folder / "outputs" / "model.npz")
    verdict = f"{accuracy:.1%} of the held-out digits named right (at least {PASS_MARK:.0%} wanted)"
    terminal.step(3, "model", terminal.paint("1;32" if accuracy >= PASS_MARK else "1;31", verdict))
    if accuracy < PASS_MARK:
        raise DemoError("the model is not good enough")


if __name__ == "__main__":
    raise SystemExit(main("One model, trained by PyTorch on two nodes of the emulator", run))
