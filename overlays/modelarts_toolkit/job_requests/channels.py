"""The input and output channels of a request, and the places that they name."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from modelarts_toolkit.reading import read

if TYPE_CHECKING:
    from modelarts_api.v2.models import InputRequestDict, OutputRequestDict


def channel_at(name: str, place: str | Mapping[str, object]) -> Any:
    """Return the input or output channel for a URL, or the one that has these fields."""
    return {"name": name, **({"remote": {"obs": {"obs_url": place}}} if isinstance(place, str) else place)}


def channel_name(channel: "InputRequestDict | OutputRequestDict") -> str | None:
    """Return the name of the channel, if it has one."""
    return read(lambda: channel["name"], str)


def channel_url(channel: "InputRequestDict | OutputRequestDict") -> str | None:
    """Return the place of the channel in object storage, if it has one."""
    return read(lambda: channel["remote"]["obs"]["obs_url"], str)
