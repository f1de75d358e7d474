"""What a run at a service will do, said before its first request."""

from __future__ import annotations

from collections.abc import Iterator

from modelarts_contract.documents import Operation, operations
from modelarts_contract.run.plan import Plan
from modelarts_contract.run.real import Access, left_out
from modelarts_contract.run.reports import counted
from modelarts_contract.run.service import is_login_enough
from modelarts_toolkit.settings.config import Config

__all__ = ["expected_requests", "operation_list", "preview"]

OF_LIST, OF_THING, OF_OTHER = 17, 6, 3  # requests to an operation, by what it shows, measured at a project with things
OTHER_LOGINS = 3  # requests with wrong logins to an operation


def called(plan: Plan, config: Config) -> dict[str, list[Operation]]:
    """The operations that a run reads with, by document, as far as something exists that leads there.

    To one that needs an id, others of its document lead.
    """
    has_token = config.require_login() != "keys"
    found: dict[str, list[Operation]] = {}
    for name in plan.documents:
        chosen = [each for id_, each in operations(name).items() if id_ in plan.operations]
        is_whole = not plan.operations or any(each.path_names for each in chosen)
        callable_ = operations(name).values() if is_whole else chosen
        reads = [each for each in callable_ if each.kind == "read" and is_login_enough(each, has_token=has_token)]
        found |= {name: reads} if reads else {}
    return found


def expected_requests(plan: Plan, access: Access, config: Config) -> int:
    """About how many requests a run sends at most, if there is something of every kind."""
    found = [each for of_document in called(plan, config).values() for each in of_document]
    number = sum(OF_LIST if each.pagination else OF_THING if each.path_names else OF_OTHER for each in found)
    return number + access.rejected_logins * OTHER_LOGINS * len(found)


def preview(plan: Plan, access: Access, config: Config) -> str:
    """What will be sent where and how fast, what it changes, what it sees, and what is not tried."""
    counts = {name: len(found) for name, found in called(plan, config).items()}
    requests = round(expected_requests(plan, access, config), -1)
    minutes = max(1, round(requests / access.rate / 60))
    pace = f"{access.rate:g} per second at most"
    changes = (
        "It creates, changes and deletes its own things, and runs some jobs on the cheapest flavor, which cost money."
        if access.write
        else "It changes nothing and costs nothing: only GET, HEAD and searches by POST pass its guard."
    )
    lines = [
        f"This run tries {' and '.join(dict.fromkeys((str(config.endpoint), str(config.iam_endpoint))))}.",
        f"It calls {counted(sum(counts.values()), 'operation')} that only read ("
        + ", ".join(f"{count} of {name}" for name, count in counts.items())
        + "; --dry-run lists them).",
        f"It sends about {requests} requests, fewer where the project has few things, {pace}:"
        f" {counted(minutes, 'minute')}.",
        changes,
        "It may see names, ids and user names of all jobs of the project, and parts of their logs.",
        "What it reads stays on this machine, in a folder of yours. It sends nothing to anybody else.",
        "Not tried:",
        *(f"  {each.what} ({each.reason})" for each in left_out(access, config)),
    ]
    return "\n".join(lines)


def operation_list(plan: Plan, config: Config) -> Iterator[str]:
    """A line for each operation that a run reads with."""
    for name, found in called(plan, config).items():
        yield from (f"{name:<4} {each.operation_id:<40} {each.label}" for each in found)
