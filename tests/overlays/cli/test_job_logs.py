"""`modelarts job logs`."""

import re

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


def lines(text: str) -> list[str]:
    """The lines of the script."""
    return [line for line in text.splitlines() if re.search(r"worker-\d \d$", line)]


def test_another_task_or_all_of_them(run: Run, ended: str) -> None:
    assert "worker-1 3" in lines(run("job", "logs", ended, "--task", "worker-1").stdout)
    everything = run("job", "logs", ended, "--all").stdout
    assert "[worker-0] worker-0 3" in everything
    assert "[worker-1] worker-1 1" in everything
    assert run("job", "logs", ended, "--all", "--task", "worker-1").exit_code == 2


@pytest.mark.parametrize("follow", [[], ["-f"]])
def test_the_tail_is_the_end_of_what_is_there(run: Run, ended: str, follow: list[str]) -> None:
    whole = run("job", "logs", ended).stdout.splitlines()

    assert run("job", "logs", ended, "--tail", 2, *follow).stdout.splitlines() == whole[-2:]
    assert run("job", "logs", ended, "--tail", 0, *follow).stdout == ""


def test_following_ends_with_the_status_of_the_job(run: Run, submit: Submit, service: Emulator) -> None:
    """The log is not printed a second time in the error."""
    service.plans.add(job="*", exit_code=1, log=["a line of the script"])
    submit("digits")
    service.clock.advance(60)

    done = run("job", "logs", "digits", "-f")

    assert done.exit_code == 3
    assert "a line of the script" in done.stdout
    assert "failed: worker-0 ended with exit code 1" in done.stderr
    assert "a line of the script" not in done.stderr


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
    assert f"digits continues. Follow it again: modelarts job logs {job.id[:8]} -f" in done.stderr
    assert not job.refresh().is_terminal


def test_bytes_that_are_not_text_do_not_end_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    job_logs.show_lines(["before", "half a \ud83d character", "after"], to_stderr=False)

    assert capsys.readouterr().out == "before\nhalf a ? character\nafter\n"


def test_a_link_to_the_file_of_the_log_can_be_read_by_any_program(run: Run, ended: str) -> None:
    link = run("job", "logs", ended, "--link", "--task", "worker-1").stdout.strip()

    assert "worker-1 3" in httpx.get(link).text
    assert run("job", "logs", ended, "--link", "--tail", 1).exit_code == 2


def test_a_log_with_lines_of_the_platform_only_says_where_the_script_s_may_be(
    run: Run, submit: Submit, service: Emulator
) -> None:
    service.plans.add(job="*", log=[])
    submit("silent")
    service.clock.advance(60)

    done = run("job", "logs", "silent")

    assert "lines of the platform only" in done.stderr
    assert re.search(r"modelarts-job-[0-9a-f-]{36}-worker-0\.log", done.stderr)


def test_a_log_with_a_line_of_the_script_says_nothing_more(run: Run, ended: str) -> None:
    assert run("job", "logs", ended).stderr == ""
