"""The command that installs what is missing, as this distribution was installed itself."""

import json
import shlex
from typing import Any
from urllib.parse import unquote, urlsplit

NAME = "modelarts-toolkit"


def install_command(*extras: str) -> str:
    """The pip command for extras: from the folder, file or repository that the distribution came from (PEP 610).

    Without such a record it came from a package index.
    """
    wanted = f"[{','.join(extras)}]"
    origin = _origin()
    url = str(origin.get("url", ""))
    path = unquote(urlsplit(url).path)
    if "dir_info" in origin:
        option = "-e " if origin["dir_info"].get("editable") else ""
        return f"pip install {option}{shlex.quote(path + wanted)}"
    if "vcs_info" in origin:
        info = origin["vcs_info"]
        revision = info.get("requested_revision") or info.get("commit_id", "")
        url = f"{info.get('vcs', 'git')}+{url}" + (f"@{revision}" if revision else "")
    return f"pip install {shlex.quote(f'{NAME}{wanted}' + (f' @ {url}' if url else ''))}"


def _origin() -> dict[str, Any]:
    from importlib.metadata import Distribution, PackageNotFoundError  # takes 15 ms

    try:
        text = Distribution.from_name(NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        text = None
    origin: dict[str, Any] = json.loads(text) if text else {}
    return origin
