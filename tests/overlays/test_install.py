"""What messages say about installing what is missing."""

import json
from pathlib import Path
from typing import Any

import pytest

from modelarts_toolkit.install import install_command


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install 'some-tool[cli,obs]'"),
        (
            {"url": "file:///srv/a%20clone", "dir_info": {"editable": True}},
            "pip install -e '/srv/a clone[cli,obs]'",
        ),
        ({"url": "file:///srv/clone", "dir_info": {}}, "pip install '/srv/clone[cli,obs]'"),
        (
            {"url": "file:///tmp/some_tool-1-py3-none-any.whl", "archive_info": {}},
            "pip install 'some-tool[cli,obs] @ file:///tmp/some_tool-1-py3-none-any.whl'",
        ),
        (
            {"url": "https://git.example.com/tool.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "pip install 'some-tool[cli,obs] @ git+https://git.example.com/tool.git@abc'",
        ),
    ],
)
def test_extras_come_from_where_the_distribution_came_from(
    origin: Any, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is not on the index, or is somebody else's there, must not be installed from it."""
    info = tmp_path / "some_tool-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-tool\nVersion: 1\n")
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin))
    monkeypatch.syspath_prepend(str(tmp_path))

    assert install_command("cli", "obs", distribution="some-tool") == command
