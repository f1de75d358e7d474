"""What the open page of a job shows by requests of its own: the job's tags, and the sizes of its outputs."""

import asyncio
from collections.abc import Mapping

from modelarts_toolkit import AsyncModelArts
from modelarts_toolkit.jobs._async.handles import AsyncJobHandle
from modelarts_toolkit.jobs._async.jobs import AsyncJob
from modelarts_toolkit.jobs.state import COMPLETED
from modelarts_toolkit.texts import counted, size_text
from modelarts_toolkit.ui.problems import PROBLEMS

MOST_OUTPUTS = 5  # whose sizes are looked up
AGE_S = 30.0  # after which tags and sizes are looked up again


class JobExtras:
    """Tags, and sizes by the URLs of outputs, of the jobs that were looked at."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, Mapping[str, str], Mapping[str, str]]] = {}

    def known(self, job: AsyncJobHandle) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """What was looked up."""
        return self._kept.get(job.id, (0, {}, {}))[1:]

    async def look_up(self, ma: AsyncModelArts, job: AsyncJobHandle) -> None:
        """Look up what is not known; no sizes while the job may still write its outputs."""
        now_s = asyncio.get_running_loop().time()
        if job.id in self._kept and now_s < self._kept[job.id][0] + AGE_S:
            return
        urls = [*job.outputs().values()][:MOST_OUTPUTS] if job.phase == COMPLETED else []
        sizes = {url: await _size(ma, url) for url in urls}
        self._kept[job.id] = now_s, await _tags(ma, job), sizes


async def _tags(ma: AsyncModelArts, job: AsyncJobHandle) -> Mapping[str, str]:
    """The tags of a job; none where the service has no tags."""
    try:
        found = (await ma.v2.tags.show_train_job_tags(job.key)).tags if isinstance(job, AsyncJob) else ()
        return {str(each.key): str(each.value or "") for each in found or ()}
    except PROBLEMS:
        return {}


async def _size(ma: AsyncModelArts, url: str) -> str:
    """How much is right in a folder, such as `2 files, 12.3 MB, 1 folder`; empty if that is not known."""
    try:
        page = await ma.obs.list_folder(f"{url.rstrip('/')}/")
    except PROBLEMS:
        return ""
    files = [counted(len(page.objects), "file"), size_text(sum(each.size for each in page.objects))]
    folders = [counted(len(page.folders), "folder")]
    shown = (files if page.objects else []) + (folders if page.folders else [])
    return ("more than " if page.is_truncated else "") + (", ".join(shown) or "empty")
