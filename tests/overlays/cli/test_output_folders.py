"""Each job writes its outputs to a folder of its own, unless its request names another one."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.overlays.cli.conftest import Run, Submit, job_request

from modelarts_api.v2 import models as v2
from modelarts_emulator.server import Emulator
from modelarts_toolkit import Job, ModelArts, ObsError, as_request
from modelarts_toolkit.job_requests.channels import made_folder, new_run_id

NAMES = st.text("abz-_09", min_size=1, max_size=60)
AGAIN: dict[str, Callable[[Run, ModelArts], object]] = {
    "rerun": lambda run, _: run("job", "rerun", "digits", "-d"),
    "rerun of a rerun": lambda run, _: [run("job", "rerun", "--last", "-d") for _ in range(2)],
    "rerun by another name": lambda run, _: run("job", "rerun", "digits", "--name", "second", "-d"),
    "submit_file": lambda _, ma: ma.jobs.submit_file("job.yaml", unique=True),
    "as_request": lambda _, ma: ma.jobs.submit(ma.jobs.get("digits").as_request(), unique=True),
}


@pytest.mark.parametrize("door", AGAIN)
def test_a_job_that_runs_again_leaves_the_outputs_of_the_first_one(
    run: Run, quick: Emulator, project: Path, door: str
) -> None:
    with ModelArts() as ma:
        ma.jobs.submit_file("job.yaml")
        AGAIN[door](run, ma)
        jobs = ma.jobs.list()
        for job in jobs:
            quick.objects.put(f"{job.outputs()['train_url']}model", job.id)
        for job in jobs:
            job.download(project / job.id)

        assert len(jobs) >= 2
        assert {job.id for job in jobs} == {(project / job.id / "train_url/model").read_text() for job in jobs}
    assert "same folder" not in run("job", "rerun", "digits").stderr


def test_a_folder_that_the_request_names_stays_and_the_command_says_so(run: Run, submit: Submit) -> None:
    """Also the folder of an earlier job, to continue from its checkpoints."""
    folder = "obs://work/results/"
    submit("typed", outputs=[{"name": "model", "remote": {"obs": {"obs_url": "/work/results"}}}])

    done = run("job", "rerun", "typed", "--name", "again", "-d")

    assert f"again writes to the same folder as typed: {folder}" in done.stderr
    job = json.loads(run("job", "get", "again", "-o", "json").stdout)
    assert job["algorithm"]["outputs"][0]["remote"]["obs"]["obs_url"] == "/work/results"


def request_again(job_name: str, output: str, **channels: str) -> str:
    """The folder of the output `model` in the request for a job like one with this output and these inputs."""
    inputs = [{"name": name, "remote": {"obs": {"obs_url": url}}} for name, url in channels.items()]
    outputs = [{"name": "model", "remote": {"obs": {"obs_url": output}}}]
    job = v2.TrainingJob.from_dict(job_request(job_name, inputs=inputs, outputs=outputs))
    return as_request(job, name="new")["algorithm"]["outputs"][0]["remote"]["obs"]["obs_url"]


@given(name=NAMES, parent=st.sampled_from(["obs://b", "obs://b/a/out/", "/b/x-y"]), has_suffix=st.booleans())
def test_folders_that_the_toolkit_made_are_replaced(name: str, parent: str, has_suffix: bool) -> None:
    """The service may return another form of the URL, and the name may have got a suffix."""
    url = made_folder(parent, name, new_run_id(), "model")
    job_name = f"{name[:55]}-{new_run_id()}" if has_suffix else name

    for shown in (url, url.rstrip("/"), url.replace("obs://", "/")):
        new = request_again(job_name, shown)
        assert new.startswith(f"obs://{parent.removeprefix('obs://').strip('/')}/new-".replace("obs:///", "obs://")), (
            shown
        )
        assert new.endswith("/model/"), shown
        assert new != request_again(job_name, shown), shown


@given(name=NAMES, run_id=st.text("0123456789abcdef", min_size=12, max_size=12), data=st.data())
def test_folders_that_somebody_typed_stay(name: str, run_id: str, data: st.DataObject) -> None:
    """Typed, or copied from another job, or read by the job, too."""
    made = made_folder("obs://b/outputs", name, run_id[:8], "model")
    typed = [url for url in (f"obs://b/outputs/{name}-{run_id}/model/",) if url != made]
    typed += [
        f"obs://b/outputs/{name}/model/",
        f"obs://b/{name}-{run_id[:8]}/model/",
        made.replace("model", "m/x"),
        "/b/",
    ]
    url = data.draw(st.sampled_from(typed))

    assert request_again(name, url) == url
    assert request_again(f"{name}other", made) == made
    assert request_again(name, made, checkpoint=made.replace("obs://", "/")) == made


def test_jobs_that_are_downloaded_into_one_folder_at_once_are_not_mixed_without_a_word(
    quick: Emulator, project: Path
) -> None:
    with ModelArts() as ma:
        jobs = [ma.jobs.submit_file("job.yaml", unique=True) for _ in range(2)]
        for number, job in enumerate(jobs * 80):
            quick.objects.put(f"{job.outputs()['train_url']}{number // 2}", f"{number % 2}" * 100_000)

        def is_complete(job: Job) -> bool:
            with suppress(ObsError):
                return job.download().files == 80
            return False

        with ThreadPoolExecutor(2) as threads:
            done = [*threads.map(is_complete, jobs)]
            assert all(threads.map(lambda job: job.download("both", overwrite=True), jobs))

    found = {file.read_text()[0] for file in (project / "out").iterdir()}
    assert done == [found == {"0"}, found == {"1"}]


def test_local_files_of_another_job_or_a_person_stay(run: Run, quick: Emulator, project: Path) -> None:
    """The same job replaces its own, as after a restart; all that would be replaced is named, and nothing is mixed."""
    file = project / "out" / "model"
    with ModelArts() as ma:
        first, second = (ma.jobs.submit_file("job.yaml", unique=True) for _ in range(2))

        def write(job: Job, text: str) -> None:
            quick.objects.put(f"{job.outputs()['train_url']}model", text)
            quick.objects.put(f"{job.outputs()['train_url']}new-{job.name}", text)

        for text in ("weights", "of a restart"):
            write(first, text)
            first.download()
            assert file.read_text() == text, text
        write(second, "others")
        with pytest.raises(ObsError, match=r"files of others would be replaced in out, .*: 'model': choose another"):
            second.download()
        assert (file.read_text(), (project / "out" / f"new-{second.name}").exists()) == ("of a restart", False)
        second.download(overwrite=True)
        assert file.read_text() == "others"
        second.download()
        file.write_text("edited")
        with pytest.raises(ObsError, match="'model'"):
            second.download()
        file.write_text("of a restart")
        first.download()

    done = [run("job", "download", job.name, "here", "--logs") for job in (first, first, second)]
    again = run("job", "download", second.name, "here", "--logs", "--overwrite")
    assert [each.exit_code for each in (*done, again)] == [0, 0, 1, 0]
    assert "here/logs/worker-0.log is not a log of this job: choose another folder, or replace it" in done[2].stderr
    assert (project / "here/train_url/model").read_text() == "others"
    (project / "out/logs").symlink_to("/")
    assert "leads out of out through a link" in run("job", "download", first.name, "out", "--logs").stderr
