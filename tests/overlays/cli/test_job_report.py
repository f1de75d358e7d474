"""`modelarts job report`: one file that says everything about a job."""

from pathlib import Path

from tests.overlays.cli.conftest import Run, Submit

from modelarts_emulator.server import Emulator


def test_the_report_of_a_job_needs_nothing_else(run: Run, submit: Submit, tmp_path: Path) -> None:
    """It has verdict, log and request, loads nothing and runs nothing."""
    submit("digits")
    file = tmp_path / "digits.html"
    done = run("job", "report", "digits", "--html", file)

    assert done.exit_code == 0, done.stderr
    text = file.read_text("utf-8")
    assert "<h1><bdi>digits</bdi></h1>" in text
    assert "modelarts job rerun digits" in text
    assert "Content-Security-Policy" in text
    assert not [part for part in ("<script", "http://", "https://", "src=", "<button") if part in text]


def test_a_missing_job_writes_no_file(run: Run, service: Emulator, tmp_path: Path) -> None:
    done = run("job", "report", "nobody", "--html", tmp_path / "x.html")

    assert done.exit_code == 6
    assert not (tmp_path / "x.html").exists()
