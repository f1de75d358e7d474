"""The progress of uploads."""

import pytest

from modelarts_toolkit.cli import progress
from modelarts_toolkit.cli.terminal import Terminal
from modelarts_toolkit.storage.uploads import UploadProgress


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every update is shown."""
    monkeypatch.setattr(progress, "SILENT_S", 0.0)
    monkeypatch.setattr(progress, "LINE_INTERVAL_S", 0.0)


def test_a_line_has_sizes_in_the_unit_that_fits(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.upload_bar(Terminal(), "data") as update:
        update(UploadProgress("obs://work/a", 0, 1_700, 2, 6_691))
        update(UploadProgress("obs://work/a", 2, 6_691, 2, 6_691))

    assert capsys.readouterr().err == "Uploading data: 25%, 1.7 kB of 6.7 kB\nUploading data: 100%, 6.7 kB of 6.7 kB\n"


def test_an_upload_whose_first_report_is_its_last_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """However long the connection took."""
    with progress.upload_bar(Terminal(), "data") as update:
        update(UploadProgress("obs://work/a", 1, 6_691, 1, 6_691))

    assert capsys.readouterr().err == ""
