"""Object storage, where a run puts the code of its jobs."""

from __future__ import annotations

from collections.abc import Iterable

from modelarts_contract.temporary import temporary_folder
from modelarts_toolkit import Obs

__all__ = ["put"]

BOOT = b"print('hello', flush=True)\n"


def put(obs: Obs, bucket: str, keys: Iterable[str]) -> None:
    """Put a boot file into the bucket under each of the keys; raises ObsError."""
    with temporary_folder() as folder:
        for key in keys:
            file = folder / key
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(BOOT)
        obs.upload(folder, f"obs://{bucket}/")
