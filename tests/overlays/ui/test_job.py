"""What the page of a job says above its tabs: its results, who it is, why it waits, and what to do about it."""

import html
import re
from pathlib import Path
from typing import Any

import pytest
from tests.overlays.cli.conftest import job_request
from tests.overlays.ui.conftest import Served, simulated, submitted

from modelarts_emulator.server import Emulator
from modelarts_toolkit import JobFailed, ModelArts
from modelarts_toolkit.job_requests.channels import channel_at
from modelarts_toolkit.settings.config import Config

SCRIPT = """\
import os, sys
folder = dict(each.lstrip("-").split("=", 1) for each in sys.argv[1:])["model"]
with open(os.path.join(folder, "weights.bin"), "wb") as file:
    file.write(bytes(1_200_000))
for epoch, loss in enumerate(("0.5", "0.25", "0.375", {last}), 1):
    print(f"epoch {{epoch}} loss: {{loss}} lr: 3e-5", flush=True)
"""


def text_of(part: str) -> str:
    """What is read of a part of a page, in one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", part)).split())


def summary_with(served: Served, job_id: str, *wanted: str) -> str:
    """The part of an open page above the tabs, as soon as it says all of this."""
    for _, parts, _ in served.events(f"/jobs/{job_id}/live"):
        found = text_of(parts.get("summary", ""))
        if all(each in found for each in wanted):
            return found
    raise AssertionError("the stream has ended")


@pytest.mark.parametrize(("last", "said"), [("0.375", ""), ("'nan'", "nan"), ("'inf'", "inf")])
def test_the_verdict_of_a_success_is_what_it_brought(
    served: Served, ma: ModelArts, tmp_path: Path, last: str, said: str
) -> None:
    """Last and best of each metric and the size of each output; it says that a loss is no number any more."""
    (tmp_path / "train.py").write_text(SCRIPT.format(last=repr(last.strip("'"))))
    folder = f"brings-{said}/"
    ma.obs.upload(tmp_path, f"obs://page/{folder}")
    code: Any = {"code_dir": f"/page/{folder}", "boot_file": f"/page/{folder}train.py"}
    outputs = [channel_at("model", f"obs://page/outputs-{folder}")]
    job = ma.jobs.submit(job_request("brings", **code, outputs=outputs), unique=True).wait(timeout=300)
    found = summary_with(served, job.id, "Output model 1 file, 1.2 MB", "loss")

    assert f"loss {said or 0.375} best 0.25 lr 3e-5" in found
    assert (f"At the end loss was {said}." in found) == bool(said)


def test_description_tags_experiment_and_id_stand_above_the_tabs(served: Served, ma: ModelArts) -> None:
    experiment = ma.v2.experiments.create_training_experiment({"metadata": {"name": "page-tests"}})
    code: Any = {"code_dir": "/page/code/", "boot_file": "/page/code/train.py"}
    request = job_request("described", **code)
    request["metadata"] |= {
        "description": "Is <b> enough?",
        "training_experiment_reference": {"id": experiment.metadata.id},
    }
    job = ma.jobs.submit(request, unique=True).wait(timeout=300)
    ma.v2.tags.create_train_job_tags(job.id, {"tags": [{"key": "team", "value": "vision"}, {"key": "kept"}]})
    found = summary_with(served, job.id, "Tags")

    assert "Is <b> enough?" in found
    assert f"Experiment {job.experiment} " in found
    assert "Tags kept , team=vision " in found
    assert f"Id {job.id} Copy" in found


def test_a_waiting_job_says_why_it_waits_now_and_names_no_command() -> None:
    with Emulator(executor="simulated", capacity={"modelarts.vm.cpu.8u": 1}) as emulator:
        emulator.clock.freeze()
        emulator.plans.add(job="*", duration=600)
        environment = emulator.environment()
        with ModelArts(config=Config.load(environ=environment)) as ma:
            job = [simulated(ma, name) for name in ("first", "second")][1]
        emulator.clock.advance(30)
        with Served(Config.load(environ=environment), environment) as page:
            shown = page.client.get(f"/jobs/{job.id}").text

    (reason,) = re.findall(r"<p>(.*?) The job has waited since [^<]*</p>", shown)
    assert "of 1 node of flavor modelarts.vm.cpu.8u, 0 are free" in reason
    assert "modelarts job" not in text_of(shown.partition('<nav class="tabs"')[0])


def test_a_remedy_names_the_job_in_commands_that_can_be_copied_and_none_for_what_a_tab_shows(
    served: Served, ma: ModelArts
) -> None:
    """Neither does it name a placeholder."""
    stopped = submitted(ma, "halts", epochs=100_000_000).wait(until="Running", timeout=300).stop()
    failed = submitted(ma, "fails", start="x")
    with pytest.raises(JobFailed):
        failed.wait(timeout=300)
    with pytest.raises(Exception, match="was stopped"):
        stopped.wait(timeout=300)
    pages = [served.client.get(f"/jobs/{job.id}").text for job in (stopped, failed)]
    verdicts = [re.findall(r'<div class="verdict.*?</div>', page, re.DOTALL)[0] for page in pages]

    assert f'<code id="command-2">modelarts job rerun {stopped.name}</code>' in verdicts[0]
    assert 'data-copy="command-2"' in verdicts[0]
    assert "could not convert string to float" in verdicts[1]
    for verdict in verdicts:
        assert not re.search(r"\bJOB\b|job logs|job events", text_of(verdict)), verdict
