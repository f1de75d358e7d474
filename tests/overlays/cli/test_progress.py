"""The progress of uploads."""

import pytest

from modelarts_toolkit.cli import progress
from modelarts_toolkit.cli.progress import UploadBar
from modelarts_toolkit.cli.terminal import Terminal
from modelarts_toolkit.storage.uploads import UploadProgress


@pytest.fixture
def bar(monkeypatch: pytest.MonkeyPatch) -> UploadBar:
    """A bar that shows every update."""
    monkeypatch.setattr(progress, "SILENT_S", 0.0)
    monkeypatch.setattr(progress, "LINE_INTERVAL_S", 0.0)
    return UploadBar(Terminal(), "data")


def test_a_line_has_sizes_in_the_unit_that_fits(bar: UploadBar, capsys: pytest.CaptureFixture[str]) -> None:
    bar.update(UploadProgress("obs://work/a", 0, 1_700, 2, 6_691))
    bar.update(UploadProgress("obs://work/a", 2, 6_691, 2, 6_691))

    assert capsys.readouterr().err == "Uploading data: 25%, 1.7 kB of 6.7 kB\nUploading data: 100%, 6.7 kB of 6.7 kB\n"


def test_an_upload_whose_first_report_is_its_last_shows_nothing(
    bar: UploadBar, capsys: pytest.CaptureFixture[str]
) -> None:
    """However long the connection took."""
    bar.update(UploadProgress("obs://work/a", 1, 6_691, 1, 6_691))

    assert capsys.readouterr().err == ""
