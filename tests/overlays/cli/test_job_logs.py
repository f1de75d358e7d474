"""`modelarts job logs`."""

import httpx
import pytest
from tests.overlays.cli.conftest import Run, Submit

from modelarts_emulator.server import Emulator
from modelarts_toolkit.cli import job_logs


@pytest.fixture
def ended(submit: Submit, service: Emulator) -> str:
    """The name of a job of two nodes that has ended, with three lines in each log."""
    service.plans.add(job="*", log=["{task} 1", "{task} 2", "{task} 3"])
    submit("digits", nodes=2)
    service.clock.advance(60)
    return "digits"


def test_ctrl_c_says_that_the_job_goes_on(
    run: Run, submit: Submit, service: Emulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.plans.add(job="*", duration=3600, log=["hello"])
    job = submit("digits")
    service.clock.advance(1)

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(job_logs, "show_lines", interrupt)
    done = run("job", "logs", "digits", "-f")

    assert done.exit_code == 130
    assert f"digits continues. Follow it again: modelarts job logs {job.id} -f" in done.stderr
    assert not job.refresh().is_terminal


def test_bytes_that_are_not_text_do_not_end_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    job_logs.show_lines(["before", "half a \ud83d character", "after"], to_stderr=False)

    assert capsys.readouterr().out == "before\nhalf a ? character\nafter\n"


def test_a_link_to_the_file_of_the_log_can_be_read_by_any_program(run: Run, ended: str) -> None:
    link = run("job", "logs", ended, "--link", "--task", "worker-1").stdout.strip()

    assert "worker-1 3" in httpx.get(link).text
    assert run("job", "logs", ended, "--link", "--tail", 1).exit_code == 2
