"""Object storage, where a run puts the code of its jobs."""

from __future__ import annotations

from modelarts_contract.temporary import temporary_folder
from modelarts_toolkit import Obs
from modelarts_toolkit.errors import ObsError
from modelarts_toolkit.settings.config import Config

__all__ = ["Objects", "is_rejection"]

BOOT = b"print('hello', flush=True)\n"


class Objects:
    """The object store of the settings; raises ObsError for what it rejects."""

    def __init__(self, config: Config) -> None:
        self.endpoint = config.obs_endpoint
        self._obs = Obs(config)

    def __repr__(self) -> str:
        return f"Objects({self.endpoint!r})"

    def make_bucket(self, bucket: str) -> None:
        self._obs.create_bucket(bucket)

    def put(self, bucket: str, *keys: str) -> None:
        """Put the boot file there under each of the keys."""
        with temporary_folder() as folder:
            for key in keys:
                file = folder / key
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(BOOT)
            self._obs.upload(folder, f"obs://{bucket}/")

    def delete(self, bucket: str, key: str) -> None:
        """Delete an object; no error if it does not exist."""
        self._obs.delete(f"obs://{bucket}/{key}")

    def delete_bucket(self, bucket: str) -> bool:
        """Delete a bucket; False if it is not empty."""
        return self._obs.delete_bucket(bucket)

    def buckets(self) -> list[str]:
        """The names of all buckets of the account."""
        return [bucket.name for bucket in self._obs.list_buckets()]

    def keys(self, bucket: str) -> list[str]:
        """What is in a bucket, as `bucket/key`."""
        return [found.url.removeprefix("obs://") for found in self._obs.list(f"obs://{bucket}/")]


def is_rejection(error: ObsError) -> bool:
    """Whether object storage said no; without a response, what was asked for may have happened."""
    return "no response" not in str(error)
