"""Object storage: buckets, folders, a look into small texts, and downloads."""

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from modelarts_toolkit.errors import ObsError
from modelarts_toolkit.storage.bucket_requests import StoredObject
from modelarts_toolkit.storage.buckets import Location
from modelarts_toolkit.texts import size_text
from modelarts_toolkit.ui.problems import PROBLEMS
from modelarts_toolkit.ui.site import Context, Page, Site

MOST_PREVIEW = 1_000_000  # bytes
MOST_ARCHIVED = 1_000_000_000  # bytes


async def load_storage(site: Site, request: Request) -> Context:
    """The buckets, or what is in a folder, or the text of a small object."""
    url = request.query_params.get("url", "")
    if not url:
        buckets = await site.ma.obs.list_buckets()
        return _context("Storage", "", [(bucket.name, f"obs://{bucket.name}/", None) for bucket in buckets])
    url = _checked(url)
    if url.endswith("/"):
        page = await site.ma.obs.list_folder(url)
        folders = [(each.removeprefix(url).rstrip("/"), each, None) for each in page.folders]
        objects = [(each.url.removeprefix(url), each.url, each) for each in page.objects]
        return _context(url, url, [*folders, *objects], is_truncated=page.is_truncated)
    found = await site.ma.obs.list(url)
    text = await _text(site, found[0]) if found and found[0].size <= MOST_PREVIEW else None
    return _context(url, url, [], stored=found[0] if found else None, text=text)


def _checked(url: str) -> str:
    """The URL of an object or a folder; raises ValueError for anything else."""
    try:
        return str(Location.parse(url if url.startswith("obs://") else f"obs://{url.lstrip('/')}"))
    except ObsError as error:
        raise ValueError(str(error)) from error


def _context(title: str, url: str, entries: Sequence[tuple[str, str, StoredObject | None]], **others: Any) -> Context:
    """What the page shows: of each entry its name and its URL, and the object if it is none of folders and buckets."""
    parts = url.removeprefix("obs://").split("/")
    steps = [(part, "obs://" + "/".join(parts[: index + 1]) + "/") for index, part in enumerate(parts[:-1]) if part]
    defaults = {"is_truncated": False, "stored": None, "text": None}
    return {"title": title, "url": url, "steps": steps, "entries": entries} | defaults | others


async def _text(site: Site, stored: StoredObject) -> str | None:
    """The content of an object that is text; None if it is not."""
    with tempfile.TemporaryDirectory() as folder:
        await site.ma.obs.download(stored.url, folder)
        content = _file_in(folder).read_bytes()
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _file_in(folder: str) -> Path:
    """The only file in a folder."""
    return next(path for path in Path(folder).rglob("*") if path.is_file())


async def _archive(site: Site, url: str, folder: str) -> Path:
    """All objects below a folder as a ZIP file; raises ValueError if they are too large for a browser."""
    size = sum(each.size for each in await site.ma.obs.list(url))
    if size > MOST_ARCHIVED:
        raise ValueError(f"{url} has {size_text(size)}: modelarts obs cp {url} FOLDER fetches it")
    content = Path(folder, "content")
    await site.ma.obs.download(url, content)
    name = Path(folder, url.rstrip("/").rpartition("/")[2])
    return Path(await asyncio.to_thread(shutil.make_archive, str(name), "zip", content))


async def download(site: Site, request: Request) -> Response:
    """The content of an object, or of a folder as an archive, which no browser shows as a page of ours."""
    folder = tempfile.TemporaryDirectory()
    try:
        url = _checked(request.query_params.get("url", ""))
        if url.endswith("/"):
            path = await _archive(site, url, folder.name)
        else:
            await site.ma.obs.download(url, folder.name)
            path = _file_in(folder.name)
    except PROBLEMS:
        folder.cleanup()
        raise
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(path.name, safe='')}"}
    end = BackgroundTask(folder.cleanup)
    return FileResponse(path, media_type="application/octet-stream", headers=headers, background=end)


PAGES = (Page("/storage", "storage.html", load_storage),)
