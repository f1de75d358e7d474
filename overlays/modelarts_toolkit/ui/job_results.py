"""What a job has for its verdict and facts: last and best of its metrics, sizes of its outputs, and its tags."""

import asyncio
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from modelarts_toolkit.jobs._async.handles import AsyncJobHandle
from modelarts_toolkit.jobs._async.jobs import AsyncJob
from modelarts_toolkit.jobs.columns import metrics_of
from modelarts_toolkit.jobs.info import JobInfo
from modelarts_toolkit.jobs.state import COMPLETED
from modelarts_toolkit.texts import counted, number_text, size_text
from modelarts_toolkit.ui.problems import PROBLEMS

if TYPE_CHECKING:
    from modelarts_toolkit.curves.curves import Curve
    from modelarts_toolkit.storage.bucket_requests import FolderPage
    from modelarts_toolkit.ui.site import Site

MOST_OUTPUTS = 5  # whose sizes are looked up
MOST_KEPT = 100  # jobs
AGE_S = 30.0  # after which tags and sizes are looked up again


class Result(NamedTuple):
    """The last value of a metric, and the best one if it is known which is; `is_number` is false for NaN and inf."""

    name: str
    last: str
    best: str
    is_number: bool


def results(job: JobInfo, curves: "Mapping[str, Curve]") -> list[Result]:
    """The results of a job that has completed; one whose loss is no number any more has these, too."""
    if job.phase != COMPLETED:
        return []
    return [
        Result(
            name=name,
            last=number_text(curve.last),
            best=number_text(curve.best) if curve.has_best else "",
            is_number=math.isfinite(curve.last),
        )
        for name, curve in metrics_of(job, curves).items()
    ]


class JobExtras:
    """Tags of jobs and sizes of their outputs, which cost requests of their own: for pages that are open already."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, Mapping[str, str], Mapping[str, str]]] = {}

    def known(self, job: JobInfo) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """The tags, and the sizes of the outputs by their URLs, as far as they are known."""
        return self._kept.get(job.id, (0, {}, {}))[1:]

    async def look_up(self, site: "Site", job: AsyncJobHandle) -> None:
        """Look them up, unless they are known; of some outputs only, and of none while the job may still write them."""
        now_s = asyncio.get_running_loop().time()
        if job.id in self._kept and now_s < self._kept[job.id][0] + AGE_S:
            return
        urls = [*job.outputs().values()][:MOST_OUTPUTS] if job.phase == COMPLETED else []
        sizes, tags = await asyncio.gather(asyncio.gather(*(_size(site, url) for url in urls)), _tags(site, job))
        self._kept[job.id] = now_s, tags, dict(zip(urls, sizes, strict=True))
        while len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]


async def _tags(site: "Site", job: AsyncJobHandle) -> Mapping[str, str]:
    """The tags of a job; none where the service has no tags."""
    try:
        found = (await site.ma.v2.tags.show_train_job_tags(job.key)).tags if isinstance(job, AsyncJob) else ()
        return {str(each.key): str(each.value or "") for each in found or ()}
    except PROBLEMS:
        return {}


async def _size(site: "Site", url: str) -> str:
    try:
        return _described(await site.ma.obs.list_folder(f"{url.rstrip('/')}/"))
    except PROBLEMS:
        return ""


def _described(page: "FolderPage") -> str:
    """How much is right in a folder, such as `2 files, 12.3 MB, 1 folder`; "more than" if the listing has its end."""
    parts = [counted(len(page.objects), "file"), size_text(sum(each.size for each in page.objects))]
    shown = (parts if page.objects else []) + ([counted(len(page.folders), "folder")] if page.folders else [])
    return ("more than " if page.is_truncated else "") + ", ".join(shown) if shown else "empty"
