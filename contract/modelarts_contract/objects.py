"""Object storage, where a run puts the code of its jobs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

from modelarts_contract.temporary import temporary_folder
from modelarts_toolkit import Obs
from modelarts_toolkit.settings.config import Config

__all__ = ["objects_of", "put", "put_objects"]

BOOT = b"print('hello', flush=True)\n"


def objects_of(environment: Mapping[str, str]) -> Obs:
    """The object store of an emulator."""
    obs_endpoint, access_key, secret_key = (
        environment[f"MODELARTS_{name}"] for name in ("OBS_ENDPOINT", "ACCESS_KEY", "SECRET_KEY")
    )
    return Obs(Config(obs_endpoint=obs_endpoint, access_key=access_key, secret_key=secret_key))


def put(obs: Obs, bucket: str, keys: Iterable[str]) -> None:
    """Put a boot file into the bucket under each of the keys; raises ObsError."""
    with temporary_folder() as folder:
        for key in keys:
            file = folder / key
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(BOOT)
        obs.upload(folder, f"obs://{bucket}/")


def put_objects(obs: Obs, names: Iterable[str]) -> None:
    """Put a boot file into object storage under each name, `bucket/key`."""
    for bucket, found in itertools.groupby(sorted(names), lambda name: name.partition("/")[0]):
        obs.create_bucket(bucket)
        put(obs, bucket, [name.partition("/")[2] for name in found])
