"""Input and output channels of a request, the places that they name, and folders that are made for a job's outputs."""

import hashlib
import re
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from modelarts_toolkit.job_requests.request_body import LONGEST_BEFORE_SUFFIX
from modelarts_toolkit.reading import entries, read

if TYPE_CHECKING:
    from modelarts_api.v2.models import InputRequestDict, OutputRequestDict
    from modelarts_toolkit.job_requests.job_request import JobRequest

_MADE = re.compile(r"(.*)/([^/]+)-([0-9a-f]{8})[0-9a-f]{4}/([^/]+)/")


def channel_at(name: str, place: str | Mapping[str, object]) -> Any:
    """Return the input or output channel for a URL, or the one that has these fields."""
    return {"name": name, **({"remote": {"obs": {"obs_url": place}}} if isinstance(place, str) else place)}


def channel_name(channel: "InputRequestDict | OutputRequestDict") -> str | None:
    """Return the name of the channel, if it has one."""
    return read(lambda: channel["name"], str)


def channel_url(channel: "InputRequestDict | OutputRequestDict") -> str | None:
    """Return the place of the channel in object storage, if it has one."""
    return read(lambda: channel["remote"]["obs"]["obs_url"], str)


def new_run_id() -> str:
    """Return a random id for the output folders of a job that is not created yet."""
    return secrets.token_hex(4)


def made_folder(parent: str, job_name: str, run_id: str, channel: str) -> str:
    """Return the URL of a folder below `parent` for one output; its name ends with a checksum of what is before it."""
    folder = f"{parent.rstrip('/')}/{job_name}-{run_id}"
    return f"{folder}{hashlib.sha256(plain_folder(folder).encode()).hexdigest()[:4]}/{channel}/"


def plain_folder(url: str | None) -> str:
    """Return the URL of a folder in the form `obs://bucket/folder/`."""
    return f"obs://{(url or '').removeprefix('obs://').strip('/')}/"


def output_folders(request: "JobRequest") -> set[str]:
    """Return the URLs of the outputs of a request."""
    return {plain_folder(channel_url(each)) for each in entries(lambda: request["algorithm"]["outputs"], dict)}


def replace_made_folders(request: "JobRequest", job_name: str, run_id: str) -> None:
    """Give a request, made of the job with this name, folders of its own in place of those that the toolkit made.

    A folder that somebody typed stays, and so does one that the request also reads.
    """
    algorithm, name = request.get("algorithm", {}), read(lambda: request["metadata"]["name"], str) or job_name
    inputs = {plain_folder(channel_url(each)) for each in entries(lambda: algorithm["inputs"], dict)}
    for output in entries(lambda: algorithm["outputs"], dict):
        url = plain_folder(channel_url(output))
        if url in inputs or (found := _MADE.fullmatch(url)) is None:
            continue
        parent, base, old_id, channel = found.groups()
        is_name = re.fullmatch(f"{re.escape(base)}|{re.escape(base[:LONGEST_BEFORE_SUFFIX])}-[0-9a-f]{{8}}", job_name)
        if is_name and url == made_folder(parent, base, old_id, channel):
            output["remote"] = channel_at("", made_folder(parent, name, run_id, channel))["remote"]
