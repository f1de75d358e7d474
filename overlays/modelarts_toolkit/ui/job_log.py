"""The log of a job as a stream of events, and as a file."""

from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from modelarts_toolkit.ui.job_row import find
from modelarts_toolkit.ui.log_feed import LogFeed
from modelarts_toolkit.ui.problems import PROBLEMS, text_of
from modelarts_toolkit.ui.site import Site, slug

ALL_TASKS = "all"


def log_routes(site: Site) -> list[Route]:
    """The log of a job as a stream of events, and as a file."""

    async def stream(request: Request) -> Response:
        task = request.query_params.get("task") or None
        job = await find(site, request)
        first = task or next(iter(job.tasks), None)
        key = (request.url.path, task)

        def make() -> LogFeed:
            return LogFeed(job, None if task == ALL_TASKS else first, site.log_poll)

        return await site.feeds.stream(request, key, make)

    async def file(request: Request) -> Response:
        task = request.query_params.get("task") or None
        job = await find(site, request)
        source = job.log_source(None if task == ALL_TASKS else task, all_tasks=task == ALL_TASKS)
        batches = job.log_batches(source)
        first = await anext(batches, None)

        async def content() -> AsyncIterator[bytes]:
            lines = first
            try:
                while lines is not None:
                    yield "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
                    lines = await anext(batches, None)
            except PROBLEMS as error:
                yield f"The rest could not be read. {text_of(error)}\n".encode()

        headers = {"Content-Disposition": f'attachment; filename="{slug(str(job.name or job.id))}.log"'}
        return StreamingResponse(content(), media_type="text/plain; charset=utf-8", headers=headers)

    return [
        Route(f"{prefix}/jobs/{{key}}/log{suffix}", handler)
        for prefix in ("", "/v1")
        for suffix, handler in (("", stream), (".txt", file))
    ]
