"""`modelarts contract run`: try every operation of the documents; its help has the exit statuses."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from modelarts_contract.commands.options import EXISTING, INTERRUPTED, as_exit_status, documents_option
from modelarts_contract.temporary import temporary_folder
from modelarts_toolkit.install import install_command

if TYPE_CHECKING:
    from modelarts_contract.run.plan import Plan
    from modelarts_contract.run.real import Access
    from modelarts_contract.run.result import Result

__all__ = ["run"]

TO_SEND = 'Please read it and send it to the project; the page "Your account can help" says how.'
NOTHING_SEEN = "has no response of the service: there is nothing to send."
CONFIGURED = ""  # --service without a URL: that of the settings


@click.command()
@click.option(
    "--service",
    metavar="[URL]",
    is_flag=False,
    flag_value=CONFIGURED,
    help="A real service to try instead of an emulator, by default that of the settings; it is only read.",
)
@click.option("--profile", metavar="NAME", help="With --service: profile of the settings (modelarts config).")
@click.option("--cloud", metavar="NAME", help="With --service: cloud of OpenStack's clouds.yaml instead.")
@click.option(
    "--rate",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="With --service: requests per second.",
)
@click.option(
    "--write",
    is_flag=True,
    help="With --service: also create and delete things, and run a job of each version on the cheapest flavor.",
)
@click.option(
    "--rejected-logins",
    is_flag=True,
    help="With --service: also send requests without a login and with wrong ones, a third more; the service must reject"
    " them, and an audit log shows them.",
)
@click.option("--dry-run", is_flag=True, help="With --service: only say what would be sent, with all operations.")
@click.option("--yes", is_flag=True, help="With --service: start without a question.")
@click.option("--force", is_flag=True, help="With --write: even if others have active jobs in the project.")
@documents_option
@click.option(
    "--operation",
    "operations",
    metavar="ID",
    multiple=True,
    help="Only this operation. Can be repeated.  [default: all]",
)
@click.option("--seed", type=click.IntRange(0), default=20250801, show_default=True, help="Of the generated cases.")
@click.option(
    "--report",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for results.json, report.txt, junit.xml, session.har and, with --service, evidence.json.  [default:"
    " none; with --service a new one]",
)
@click.option(
    "--baseline",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of known findings, which do not fail the run.",
)
@click.option("--hooks", type=EXISTING, help="Python file with checks and hooks of schemathesis, for its part.")
@click.option("--thorough", is_flag=True, help="Run all similar cases, about three times as many.")
@click.option("--update-baseline", is_flag=True, help="Write the findings of this run into the baseline.")
def run(
    documents: tuple[str, ...],
    operations: tuple[str, ...],
    seed: int,
    report: Path | None,
    baseline: Path | None,
    hooks: Path | None,
    thorough: bool,
    update_baseline: bool,
    dry_run: bool,
    yes: bool,
    **access: Any,
) -> None:
    """Try every operation of the documents, and check every response.

    \b
    Without --service, on an emulator that is started for it.
    Exit status: 0 the contract is kept, 1 it is broken, 2 wrong usage or settings, 3 the service could not be tried,
    4 something that the run created is left at the service, 130 Ctrl-C.

    \b
    Examples:
      modelarts contract run --report contract-report
      modelarts contract run --documents v2 --operation createTrainingJob
      modelarts contract run --service --profile work
    """
    is_real = access["service"] is not None
    given = given_options()
    reject_combinations(given, documents)
    check_operations(documents, operations, on_emulator=not is_real)
    check_libraries()
    logging.getLogger("httpx").setLevel(logging.WARNING)
    if baseline is not None:
        check_baseline(baseline, is_written=update_baseline)
    from modelarts_contract.run import reports
    from modelarts_contract.run.evidence import EVIDENCE
    from modelarts_contract.run.plan import Plan
    from modelarts_contract.run.real import Access

    repeated = tuple(part for name in REPEATED for part in given.get(name, ()))
    plan = Plan(documents, operations, seed, baseline, thorough, repeated, hooks)
    settings = Access(**access) if is_real else None
    if settings is not None and not is_agreed(plan, settings, dry_run=dry_run, yes=yes):
        return
    if is_real and report is None:
        report = new_folder()
    with as_exit_status(), reporting(report) as folder:

        def save(result: Result) -> None:
            """Write the reports, before the run cleans up and after it; elsewhere if their folder cannot be written."""
            nonlocal report
            if report is None:
                return
            try:
                write_reports(result, folder, report)
            except OSError as error:
                lost, report = report, Path(tempfile.mkdtemp(prefix="contract-report-"))
                said = f"{lost} cannot be written any more ({error.strerror}): the reports are in {report}"
                click.echo(said, err=True)
                write_reports(result, folder, report)

        result = tried(plan, settings, folder, save)
        save(result)
        for finding in result.new if report is None else ():
            click.echo(f"{reports.described(finding)}\n")
        if result.cases:
            click.echo(reports.summary(result, report))
    for problem in filter(None, (result.trouble, result.left)):
        click.echo(f"Error: {problem}", err=True)
    if is_real and report is not None:
        seen = f"shows what the service did, without names, ids and logs. {TO_SEND}" if result.cases else NOTHING_SEEN
        click.echo(f"{report / EVIDENCE} {seen}")
    if update_baseline and baseline is not None:
        from modelarts_contract.run.baseline import update

        click.echo(f"{baseline} lists {update(baseline, result.findings, result.notes)} findings.", err=True)
        return
    if result.is_interrupted:
        raise SystemExit(INTERRUPTED)
    if result.exit_status:
        raise SystemExit(result.exit_status)


NEEDED = {  # options that mean nothing without another one
    **dict.fromkeys(
        ("profile", "cloud", "rate", "write", "rejected_logins", "dry_run", "yes"), ("service", "--service")
    ),
    "force": ("write", "--write"),
    "update_baseline": ("baseline", "--baseline FILE, the file to write"),
}
# Options with which a finding's command finds it again, besides document, seed and operation.
REPEATED = ("service", "profile", "cloud", "rate", "yes", "write", "rejected_logins", "force", "hooks", "thorough")


def given_options() -> dict[str, list[str]]:
    """The options of the command that were given, by their names, as a command line has them."""
    context = click.get_current_context()
    default = click.core.ParameterSource.DEFAULT
    given = {}
    for option in context.command.params:
        name = str(option.name)
        if context.get_parameter_source(name) != default:
            value = context.params[name]
            given[name] = [option.opts[0], *([] if value in (True, CONFIGURED) else [str(value)])]
    return given


def is_agreed(plan: Plan, access: Access, *, dry_run: bool, yes: bool) -> bool:
    """Say what a run at a service will do, and ask whether it may; nothing has been sent so far.

    Exits with status 2 if nobody can be asked, or says no.
    """
    from modelarts_contract.run.preview import operation_list, preview
    from modelarts_contract.run.real import settings

    with as_exit_status():
        config = settings(access)
    click.echo(preview(plan, access, config), err=True)
    if dry_run:
        click.echo("\n".join(operation_list(plan, config)))
        return False
    if yes:
        return True
    if not sys.stdin.isatty():
        raise click.UsageError("nobody can be asked whether to start: give --yes; nothing was sent")
    with contextlib.suppress(click.Abort):
        if click.confirm("Start?", err=True):
            return True
    raise click.UsageError("not started; nothing was sent")


def new_folder() -> Path:
    """Make a folder for the reports in the current one, which only its owner can read."""
    try:
        return Path(tempfile.mkdtemp(prefix=f"contract-report-{date.today()}-", dir="."))
    except OSError as error:
        wrong = f"the current folder cannot be written ({error.strerror}): name one for the reports with --report"
        raise click.UsageError(wrong) from None


def write_reports(result: Result, folder: Path, report: Path) -> None:
    """Write the reports of a run that left files in the first folder into the second; raises OSError."""
    from modelarts_contract.run import evidence, reports
    from modelarts_contract.run import result as results
    from modelarts_contract.run.session import HAR

    results.write(result, report)
    reports.write(result, report)
    if not result.is_emulator and not (folder / evidence.EVIDENCE).exists():  # the run could not begin
        evidence.write(folder / evidence.EVIDENCE, result)
    for name in (HAR, evidence.EVIDENCE):
        if (folder / name).exists():
            shutil.copy(folder / name, report / name)


def reject_combinations(given: Mapping[str, Sequence[str]], documents: tuple[str, ...]) -> None:
    """Raise click.UsageError for an option of the command that has no effect with the others."""
    for name, parts in given.items():
        needed, described = NEEDED.get(name, (name, ""))
        if needed not in given:
            raise click.UsageError(f"{parts[0]} needs {described}")
    if "write" in given and "v2" not in documents:
        raise click.UsageError("--write creates things of v2: add v2 to --documents")


def check_libraries() -> None:
    """Raise click.UsageError if a library is missing that every run needs."""
    if find_spec("schemathesis") is None:
        raise click.UsageError(f"a run needs schemathesis: {install_command('contract')}")


def check_baseline(file: Path, *, is_written: bool) -> None:
    """Raise click.UsageError for a file that is not a baseline, or is missing although it is not to be written."""
    from modelarts_contract.run.baseline import load

    if not is_written and not file.exists():
        raise click.UsageError(f"{file} does not exist: correct the name, or write the file with --update-baseline")
    try:
        load(file)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def check_operations(documents: tuple[str, ...], chosen: tuple[str, ...], *, on_emulator: bool) -> None:
    """Raise click.UsageError for an operation that documents or emulator do not have, with the nearest one."""
    from difflib import get_close_matches

    from modelarts_contract.documents import operations

    known = {id_: operation for name in documents for id_, operation in operations(name).items()}
    for id_ in chosen:
        if id_ in known and on_emulator and not known[id_].is_emulated:
            raise click.UsageError(f"the emulator does not have {id_!r}: try it on a service (--service)")
        if id_ not in known:
            near = get_close_matches(id_, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"name one of {', '.join(documents)}"
            raise click.UsageError(f"{', '.join(documents)} have no operation {id_!r}: {hint}")


@contextlib.contextmanager
def reporting(report: Path | None) -> Iterator[Path]:
    """A temporary folder for what schemathesis writes; the one of the report exists and can be written."""
    if report is not None:
        try:
            report.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=report).close()
        except OSError as error:
            raise click.UsageError(f"{report} cannot be written ({error.strerror}): name another folder") from None
    with temporary_folder() as folder:
        yield folder


def tried(plan: Plan, access: Access | None, folder: Path, save: Callable[[Result], None]) -> Result:
    """Try what the plan says, on an emulator of the run's own or at a service; errors become exit statuses."""
    from modelarts_contract.run import session
    from modelarts_contract.run.collecting import unreached
    from modelarts_contract.run.real import LeftError, ServiceError, real, settings, upload_code

    say = partial(click.echo, err=True)
    say(f"Trying {', '.join(plan.documents)} on {'the service' if access else 'an emulator'} ...")
    if access is None:
        return session.tried(plan, None, folder, say=say)
    result: Result | None = None
    try:
        with real(access) as (service, config, journal):
            code_dir = upload_code(config, journal) if journal is not None else None
            result = session.tried(plan, service, folder, code_dir, say)
            save(result)
    except LeftError as problem:
        if result is None:
            raise
        result = dataclasses.replace(result, left=str(problem))
    except ServiceError as problem:  # it comes before the run
        result = unreached(plan, str(settings(access).endpoint), str(problem))
    return result
