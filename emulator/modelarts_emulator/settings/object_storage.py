"""The object storage that the options name: a folder of the data folder, or a bucket of another service."""

from __future__ import annotations

from urllib.parse import urlencode

from modelarts_emulator.http.errors import EmulatorError
from modelarts_emulator.settings.data_folder import DataFolder
from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.folder import FolderStore
from modelarts_emulator.storage.opening import open_store
from modelarts_emulator.storage.protocol import Store

__all__ = ["open_object_storage"]


def open_object_storage(url: str | None, endpoint: str | None, folder: DataFolder, is_durable: bool) -> Store:
    """Open and try the store at `s3://bucket/prefix` of the service at the endpoint, without a URL the folder's.

    `is_durable` is about the folder's only. Raises EmulatorError, in one sentence, if it cannot be used.
    """
    try:
        if url is None:
            return FolderStore(folder.objects, is_durable=is_durable)
        store = open_store(f"{url}?{urlencode({'endpoint': endpoint or ''})}", folder.path / "unsent")
        store.prepare()
    except (ValueError, StoreError) as error:
        raise EmulatorError(f"the object storage cannot be used: {error}") from error
    except ModuleNotFoundError as error:
        if error.name != "obstore":
            raise
        install = "pip install 'modelarts-toolkit[objects]'"
        raise EmulatorError(f"--objects needs one more library ({error.name}): {install}") from error
    return store
