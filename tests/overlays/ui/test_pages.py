"""What the pages show of jobs, storage and the emulator, as HTML that needs no script."""

import io
import re
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from tests.overlays.ui.conftest import Served, simulated, submitted

from modelarts_emulator.server import Emulator
from modelarts_toolkit import Job, JobFailed, ModelArts
from modelarts_toolkit.job_requests.channels import channel_at, made_folder
from modelarts_toolkit.local_emulator import PYTHON
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.ui import storage

HTML = '"><script>alert(1)</script>\u202e'


def test_a_failed_job_says_why_in_the_list_and_on_its_page(served: Served, ma: ModelArts) -> None:
    job = submitted(ma, "broken", module="not_there")
    with pytest.raises(JobFailed):
        job.wait(timeout=300)

    row = served.client.get("/", params={"name": "broken"}).text
    page = served.client.get(f"/jobs/{job.id}").text

    assert "has no module not_there" in row
    assert re.findall(r'<li class="[\w-]+ (\w+)"><b>(\w+)', page) == [
        ("done", "Scheduling"),
        ("done", "Preparing"),
        ("failed", "Running"),
        ("end", "Ended"),
    ]
    assert "has no module not_there" in page
    assert "pip-requirements.txt" in page
    assert "ModuleNotFoundError" in page


def test_the_log_of_a_job_of_several_nodes_is_that_of_the_task_that_failed_first() -> None:
    """The verdict names it, and the remedy shows its log; the others were stopped because of it."""
    with Emulator(executor="simulated") as emulator:
        emulator.clock.freeze()
        environment = emulator.environment()
        emulator.plans.add(job="many", duration=30, tasks={"worker-2": {"duration": 9, "exit_code": 7}})
        with ModelArts(config=Config.load(environ=environment)) as ma:
            job = simulated(ma, "many", nodes=4)
            emulator.clock.advance(60)
            verdict = job.explain()
        with Served(Config.load(environ=environment), environment) as served:
            page = served.client.get(f"/jobs/{job.id}").text

    assert verdict.text == "worker-2 ended with exit code 7."
    assert "modelarts job logs many --task worker-2 --tail 50" in verdict.remedy
    assert f'data-url="/jobs/{job.id}/log?task=worker-2"' in page
    assert "<option selected>worker-2</option>" in page


def test_each_tab_shows_its_part_of_the_job(served: Served, ended: Job) -> None:
    """The emulator's own page shows the calls that it got for it."""
    page = {
        tab: served.client.get(f"/jobs/{ended.id}?tab={tab}").text
        for tab in ("log", "metrics", "events", "outputs", "request", "fields")
    }

    assert f'data-url="/jobs/{ended.id}/log"' in page["log"]
    assert "<td>0.001</td>" in page["metrics"]
    assert 'class="level' in page["events"]
    assert "/page/code/" in page["outputs"]
    assert "ma.jobs.submit(" in page["request"]
    assert f"modelarts job rerun {ended.name}" in page["request"]
    assert "metadata.<wbr>create_time" in page["fields"]
    assert "showTrainingJobDetails" in served.client.get("/emulator").text


def test_text_of_others_is_never_html(served: Served, ma: ModelArts) -> None:
    """Descriptions, hyperparameters and what an address asks for."""
    job = submitted(ma, "html", start="1", epochs=HTML)
    with suppress(JobFailed):
        job.wait(timeout=300)
    for path in (f"/jobs/{job.id}", f"/jobs/{job.id}?tab=fields", f"/jobs/{job.id}?tab=request", f"/?name={HTML}"):
        assert "<script>alert" not in served.client.get(path).text, path


@pytest.mark.parametrize(
    ("path", "status", "fact"),
    [
        ("/?sort=-", 400, "A column has a name"),
        ("/?tag==x", 400, "=x is not a tag"),
        ("/v1/jobs?status=Sleeping", 400, "is not a status of a job"),
        ("/?n=many", 400, "n=many is not a number of jobs"),
        ("/?n=0", 400, "n=0 is not a number of jobs"),
        ("/?n=²", 400, "n=² is not a number of jobs"),
        ("/?phase=Sleeping", 400, "is not a phase of a job"),
        ("/jobs/00000000-0000-0000-0000-000000000000", 404, "There is no job 00000000"),
        ("/jobs/00000000-0000-0000-0000-000000000000/log", 404, "It may have been deleted."),
        ("/jobs/no-such-name", 404, "There is no job no-such-name. It may have been deleted."),
        ("/v1/jobs/7-7", 404, "There is no job 7-7. It may have been deleted."),
        ("/compare?job=a&job=b", 404, "There is no job a and no job b. It may have been deleted."),
        ("/compare?job=xyz", 404, "There is no job xyz. It may have been deleted."),
        ("/compare", 400, "0 jobs cannot be compared: select 2 to 10 jobs in the list"),
        (f"/compare?{'&'.join(f'job={number}' for number in range(11))}", 400, "11 jobs cannot be compared"),
        ("/storage?url=obs://page/../x", 400, "is not an OBS path"),
        ("/storage?url=%0d%0aX:y", 400, "is not the name of a bucket"),
        ("/storage/download?url=obs://h:1%5C/x", 400, "is not the name of a bucket"),
        ("/storage/download", 400, "is not an OBS path"),
        ("/storage/download?url=obs://page/nothing", 404, "there is nothing at"),
        ("/storage?url=obs://no-such-bucket/", 404, "no-such-bucket"),
        ("/nowhere", 404, "The page /nowhere does not exist"),
    ],
)
def test_a_wrong_address_says_what_is_wrong(served: Served, path: str, status: int, fact: str) -> None:
    response = served.client.get(path)

    assert response.status_code == status
    assert fact in response.text


def test_an_object_is_read_on_the_page_and_downloaded_as_a_file(served: Served) -> None:
    """Also one that a browser would run as a page."""
    folder = served.client.get("/storage", params={"url": "obs://page/code/"}).text
    text = served.client.get("/storage", params={"url": "obs://page/code/train.py"}).text
    file = served.client.get("/storage/download", params={"url": "obs://page/code/train.py"})

    assert "train.py" in folder
    assert "import sys" in text
    assert "&lt;script&gt;" in text
    assert file.text.startswith("import sys")
    assert file.headers["content-disposition"].startswith("attachment")
    assert file.headers["content-type"] == "application/octet-stream"


def test_a_folder_is_downloaded_as_one_file(served: Served, ma: ModelArts, tmp_path: Path) -> None:
    """Also one whose last part is not the name of a file."""
    (tmp_path / "out" / "sub").mkdir(parents=True)
    (tmp_path / "out" / "sub" / "weights.bin").write_bytes(b"\0" * 1000)
    (tmp_path / "out" / "log.txt").write_text("done")
    ma.obs.upload(tmp_path / "out", "obs://page/runs/höhe 1/")
    page = served.client.get("/storage", params={"url": "obs://page/runs/höhe 1/"}).text
    assert "<bdi>sub</bdi>/" in page
    assert "log.txt" in page
    assert "weights.bin" not in page
    file = served.client.get("/storage/download", params={"url": "obs://page/runs/höhe 1/"})

    with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
        assert {each for each in archive.namelist() if not each.endswith("/")} == {"sub/weights.bin", "log.txt"}
    assert file.headers["content-disposition"] == "attachment; filename*=UTF-8''h%C3%B6he%201.zip"
    assert "there is nothing at" in served.client.get("/storage/download?url=obs://page/nothing/").text


def test_a_folder_too_large_for_an_archive_names_the_command(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "MOST_ARCHIVED", 100)
    response = served.client.get("/storage/download?url=obs://page/code/")

    assert response.status_code == 400
    assert "modelarts obs cp obs://page/code/ FOLDER" in response.text


def test_a_job_that_is_started_anew_keeps_its_python(served: Served, ma: ModelArts) -> None:
    """It goes to the same emulator; what `as_request` gives may go anywhere, and has none."""
    request = submitted(ma, "in-its-python").as_request()
    request["metadata"]["annotations"] = {PYTHON: sys.executable}
    job = ma.jobs.submit(request, unique=True)
    again = served.client.post(f"/jobs/{job.id}/rerun").json()["location"]

    repeated = ma.jobs.get(again.rpartition("/")[2])
    assert repeated.details.to_dict()["metadata"]["annotations"][PYTHON] == sys.executable
    assert PYTHON not in repeated.as_request()["metadata"].get("annotations", {})


def test_a_job_is_stopped_started_anew_and_deleted(served: Served, ma: ModelArts) -> None:
    """The new job has output folders of its own; the page asks before both write to a folder that somebody typed."""
    own, typed = made_folder("obs://page/outputs", "acted-on", "0" * 8, "model"), "obs://page/named/"
    outputs = [channel_at("model", own), channel_at("other", typed)]
    job = submitted(ma, "acted-on", outputs).wait(timeout=300)
    again = served.client.post(f"/jobs/{job.id}/rerun").json()["location"]
    repeated = ma.jobs.get(again.rpartition("/")[2]).wait(timeout=300).outputs()

    assert (job.outputs()["model"] == own, repeated["model"] == own, repeated["other"]) == (True, False, typed)
    summary, _, shown = served.client.get(f"/jobs/{job.id}?tab=request").text.partition('id="tab"')
    assert "again? Both jobs write to obs://page/named/." in summary
    assert own not in shown
    assert shown == served.client.get(f"/jobs/{job.id}?tab=request").text.partition('id="tab"')[2]
    assert served.client.post(f"/jobs/{job.id}/delete").json() == {"location": "/"}
    assert served.client.get(f"/jobs/{job.id}").status_code == 404
    assert "problem" in served.client.post(f"/jobs/{job.id}/stop").json()
    assert served.client.post(f"{again}/explode").status_code == 404
    assert served.client.get(again).status_code == 200


def test_a_restarted_job_shows_the_times_of_its_runs() -> None:
    """It did not wait or prepare while it had ended; where nothing says how long it waited, neither does the page."""
    with Emulator(executor="simulated", capacity={"modelarts.vm.cpu.8u": 1}) as emulator:
        emulator.clock.freeze()
        emulator.plans.add(job="*", duration=600)
        emulator.plans.add(job="again", duration=20, log=["epoch 1 loss: 0.9", "epoch 2 loss: 0.7"])
        environment = emulator.environment()
        with ModelArts(config=Config.load(environ=environment)) as ma:
            job = simulated(ma, "again")
            emulator.clock.advance(1000)
            other = simulated(ma, "other")
            emulator.clock.advance(1)
            with Served(Config.load(environ=environment), environment) as page:
                assert "Stages of the last run" not in page.client.get(f"/jobs/{job.id}").text
                while "[0.9, 0.7]" not in page.client.get(f"/jobs/{job.id}?tab=metrics").text:
                    pass
                job.restart()
                queue = page.client.get("/queue").text
                emulator.clock.advance(2000)
                shown = page.client.get(f"/jobs/{job.id}").text
                urls = (f"/jobs/{job.id}?tab=metrics", f"/compare?job={job.id}&job={other.id}")
                while '"restarts": [2]' not in page.client.get(urls[0]).text:
                    pass  # the log is read for what is new
                charts = [page.client.get(url).text for url in urls]

    assert [re.findall(r'"mark": ?"([^"]+)"', text) for text in charts] == [["restarted"]] * 2
    assert re.findall(r'href="/jobs/[^"]*"><bdi>again.*?</tr>', queue, re.DOTALL)[0].count("data-passed") == 0
    assert re.findall(r"<dt>Waited</dt><dd>(.*?)</dd>", shown) == ["9 min 59 s"]
    runs = re.findall(r"<li>\d{4}-\d\d-\d\d [\d:]{8}, (.*?)</li>", shown)
    assert runs == ["20 s: <bdi>job completed</bdi>"] * 2
    assert "Stages of the last run" in shown


def test_a_page_of_a_cloud_only_reads(trained: Emulator, ended: Job) -> None:
    """It has no page of an emulator, no buttons, and rejects what they would send."""
    with Served(Config.load(environ=trained.environment()), {}, may_write=False) as cloud:
        page = cloud.client.get(f"/jobs/{ended.id}").text

        assert "read only" in page
        assert "Delete" not in page
        assert cloud.client.post(f"/jobs/{ended.id}/delete").status_code == 403
        assert cloud.client.get("/emulator").status_code == 404
        assert cloud.client.get(f"/jobs/{ended.id}").status_code == 200


def test_running_a_job_again_asks_first_on_a_cloud(served: Served, trained: Emulator, ended: Job) -> None:
    """There it costs money; on an emulator it starts at once."""
    with Served(Config.load(environ=trained.environment()), {}) as cloud:
        button = 'rerun" data-question="Run the job \u2068'

        assert button in cloud.client.get(f"/jobs/{ended.id}").text
        assert button not in served.client.get(f"/jobs/{ended.id}").text


def test_the_clock_of_simulated_jobs_is_moved() -> None:
    with Emulator(executor="simulated") as emulator:
        emulator.clock.freeze()
        environment = emulator.environment()
        with Served(Config.load(environ=environment), environment) as page:
            before = emulator.clock.now
            assert page.client.post("/emulator/hour").json() == {"location": "/emulator"}
            assert emulator.clock.now - before == pytest.approx(3600, abs=1)
            assert "frozen" in page.client.get("/emulator").text


def test_a_service_that_is_down_is_named_and_the_page_goes_on() -> None:
    with Emulator(executor="simulated") as emulator:
        environment = emulator.environment()
        config = Config.load(environ=environment)
    with Served(config, {}) as page:
        response = page.client.get("/")

        assert response.status_code == 502
        assert "This did not work" in response.text
        assert page.client.get("/static/page.css").status_code == 200
