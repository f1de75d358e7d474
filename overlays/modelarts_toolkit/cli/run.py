"""`modelarts run`: train on this machine."""

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import click

from .escapes import LINES, escaped
from .groups import Command
from .local_emulator import active_python, own_emulator, running_environment
from .terminal import Terminal

if TYPE_CHECKING:
    from modelarts_toolkit import Job, ModelArts, Progress

POLL = (0.01, 0.5)  # seconds
BUCKET = "modelarts-run"
NAME_LENGTH = 40  # characters of the script's name in the job's
PLATFORM_LINE = re.compile(r"(\[worker-\d+\] )?\[ModelArts Service Log\]")
STARTING = re.compile(r"\[ModelArts Service Log\].* is starting .* with (?P<python>.+)")
METRICS_PERIOD_S = 1
CHART_AFTER_S = 5.0  # a job that ran for less has no use worth drawing
REQUIREMENTS = "pip-requirements.txt"
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


class Python(click.ParamType):  # type: ignore[type-arg]
    """A Python by its path, or by the name of a command."""

    name = "python"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        if (found := shutil.which(os.path.expanduser(value))) is None:  # noqa: PTH111 - keeps the "./" of a path
            self.fail(f"{value} is neither a program nor a command: name a Python, like .venv/bin/python", param, ctx)
        return Path(found).absolute()


class RunCommand(Command):
    """A command that says where the options of the script belong."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name
            near = f" (did you mean {error.possibilities[0]}?)" if error.possibilities else ""
            hint = f"if it is a hyperparameter of the script, write -- before it: SCRIPT -- {name} VALUE"
            raise click.UsageError(f"No such option {name!r}{near}; {hint}", ctx) from None


@click.command(
    cls=RunCommand,
    examples=(
        "modelarts run train.py",
        "modelarts run train.py --data ./data --out ./out -- --lr 0.1 --epochs 3",
        "modelarts run train.py --nodes 2 --engine ~/venvs/torch/bin/python",
    ),
)
@click.argument("script", type=FILE)
@click.option("--data", type=click.Path(exists=True, path_type=Path), help="Data: the script gets --data_url.")
@click.option("--out", type=FOLDER, help="Where the outputs go: the script gets --train_url.")
@click.option(
    "--code",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with the script and what it imports.  [default: the script's folder]",
)
@click.option(
    "--engine",
    "python",
    type=Python(),
    metavar="PYTHON",
    help="Python that runs the script.  [default: that of the active virtual environment]",
)
@click.option("--nodes", type=click.IntRange(1), default=1, show_default=True, help="Number of nodes.")
@click.option("--requirements", type=FILE, help="Packages that are installed first, in an environment of their own.")
@click.option("--new", "is_new", is_flag=True, help="Use an emulator of its own, even if one runs.")
@click.option("-v", "--verbose", is_flag=True, help="Show the lines of the platform, too.")
@click.option("-q", "--quiet", is_flag=True, help="Only print the script's lines and errors.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGUMENTS]")
@click.pass_context
def run(context: click.Context, /, script: Path, quiet: bool, is_new: bool, **given: Any) -> None:  # fmt: skip
    """Train on this machine, as a job of the service would: no account, no bucket, no second terminal.

    The script runs in an emulator: the one that runs already, else one of its own, which ends with it.
    ARGUMENTS are hyperparameters: --name value or --name=value. As from the service, the script gets each as one
    argument, --name=value, spaces in the value included. Positional arguments and flags without a value are rejected,
    because a job cannot pass them.
    The exit status is that of the script.
    """
    terminal = Terminal(quiet=quiet)
    python, requirements = given["python"], given["requirements"]
    parameters = parameters_of(given["arguments"])
    if given["out"] is not None:
        _check_writable(given["out"])
    needs_own = is_new or python is not None or requirements is not None
    environment = None if needs_own else running_environment()
    if environment is not None:
        status = _run(terminal, environment, script, parameters, given, None, is_own=False)
    else:
        python = python or active_python()
        options = ["--engine", f"*={python.absolute()}", "--metrics-period", str(METRICS_PERIOD_S)]
        with own_emulator([*options, *(["--install-requirements"] if requirements else [])]) as own:
            status = _run(terminal, own.environment, script, parameters, given, python, is_own=True)
            own.is_done = True
    context.exit(status)


def _check_writable(folder: Path) -> None:
    """Make the folder; raises OSError, before the script trains, if its outputs could not be written there."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=folder):
        pass


def parameters_of(arguments: Sequence[str]) -> list[dict[str, str]]:
    """The hyperparameters for `--name value` and `--name=value`; raises UsageError for what no job can be given."""
    parameters: list[dict[str, str]] = []
    rest = list(arguments)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if not name.startswith("--") or name == "--":
            raise click.UsageError(f"{name!r}: a job passes arguments as --name=value, so write --name {name}")
        if not equals:
            if not rest or rest[0].startswith("--"):
                raise click.UsageError(f"{name} has no value: a job passes arguments as --name=value")
            value = rest.pop(0)
        parameters.append({"name": name[2:], "value": value})
    return parameters


def _run(
    terminal: Terminal,
    environment: Mapping[str, str],
    script: Path,
    parameters: list[dict[str, str]],
    given: Mapping[str, Any],
    python: Path | None,
    *,
    is_own: bool,
) -> int:
    from modelarts_toolkit import ModelArts, ToolkitError
    from modelarts_toolkit.config import Config

    settings = {name: value for name, value in environment.items() if name.startswith("MODELARTS_")}  # keys: no login
    with ModelArts(config=Config.load(environ=settings)) as ma, ThreadPoolExecutor(1) as thread:
        place = f"obs://{BUCKET}/{os.urandom(4).hex()}"
        job: Job | None = None
        is_done = has_outputs = False
        try:
            resources = thread.submit(_resources, ma, given["nodes"])
            if is_own:
                ma.obs.create_bucket(BUCKET)
            request: Any = _upload(ma, place, script, given)
            engine, flavor = resources.result()
            request["algorithm"] |= {"engine": {"engine_id": engine}, "parameters": parameters}
            request["spec"] = {"resource": {"flavor_id": flavor, "node_count": given["nodes"]}}
            job = ma.jobs.submit(request, unique=True)
            status = _follow(ma, job, given, python)
            if given["out"] is not None:
                has_outputs = True
                _fetch(terminal, ma, job.outputs()["train_url"], given["out"], is_kept=not is_own)
                has_outputs = False
            is_done = True
            if not terminal.quiet:
                _draw(terminal, job)
        finally:
            if not is_own:  # else all of it goes with the emulator
                deletion = None if job is None else thread.submit(ma.jobs.delete, job)
                with nullcontext() if is_done else suppress(ToolkitError):  # the first error says more
                    if not has_outputs:
                        ma.obs.delete(f"{place}/")
                    if deletion is not None:
                        deletion.result()
        return status


def _upload(ma: "ModelArts", place: str, script: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """Upload code and data, and return what the job's request says of them."""
    from modelarts_toolkit import ObsError

    code = (given["code"] or script.parent).resolve()
    boot = script.resolve()
    if not boot.is_relative_to(code):
        raise click.UsageError(f"{script} is not in the folder {given['code']}")
    others = [path.resolve() for path in (given["data"], given["out"]) if path is not None]
    ignored = [f"/{path.relative_to(code).as_posix()}" for path in others if path != code and path.is_relative_to(code)]
    code_url = f"{place}/code/"
    try:
        ma.obs.upload(code, code_url, code=True, ignore=ignored)
    except ObsError as error:
        if f'bucket "{BUCKET}" does not exist' not in str(error):
            raise
        ma.obs.create_bucket(BUCKET)
        ma.obs.upload(code, code_url, code=True, ignore=ignored)
    if given["requirements"] is not None:
        ma.obs.upload(given["requirements"], f"{code_url}{REQUIREMENTS}")
    channels: dict[str, Any] = {"inputs": [], "outputs": []}
    if (data := given["data"]) is not None:
        ma.obs.upload(data, f"{place}/data/")
        channels["inputs"].append({"name": "data_url", "remote": {"obs": {"obs_url": f"{place}/data/"}}})
    if given["out"] is not None:
        channels["outputs"].append({"name": "train_url", "remote": {"obs": {"obs_url": f"{place}/out/"}}})
    name = re.sub(r"[^A-Za-z0-9]", "-", script.stem)[:NAME_LENGTH]
    return {
        "kind": "job",
        "metadata": {"name": name},
        "algorithm": {
            "code_dir": code_url,
            "boot_file": f"{code_url}{boot.relative_to(code).as_posix()}",
            **channels,
        },
    }


def _resources(ma: "ModelArts", nodes: int) -> tuple[str, str]:
    """An engine, and the first flavor without accelerators that has this number of nodes."""
    engines = ma.v2.engines.show_training_job_engines().items
    flavors = ma.v2.flavors.show_training_job_flavors(flavor_type="CPU").flavors
    engine = next((each for each in engines if each.engine_name == "PyTorch"), engines[0])
    flavor = next((each for each in flavors if (each.flavor_info.max_num or 1) >= nodes), flavors[0])
    return engine.engine_id, flavor.flavor_id


def _follow(ma: "ModelArts", job: "Job", given: Mapping[str, Any], python: Path | None) -> int:
    """Print the log as it comes, and return the exit status of the script."""
    from modelarts_toolkit import JobFailed
    from modelarts_toolkit.flows import BLOCKING, batches
    from modelarts_toolkit.logs import following

    from .job_logs import show_lines

    def remember(progress: "Progress") -> None:
        job.details = progress.job or job.details

    status, all_tasks = 0, given["nodes"] > 1
    flow = following(
        lambda: ma.v2,
        ma.network.fetch,
        job,
        BLOCKING,
        all_tasks=all_tasks,
        poll=POLL,
        on_progress=remember,
        late_lines=False,
    )
    for emitted in batches(flow):
        lines = list(emitted)
        if python is None and (starting := next(filter(None, map(STARTING.search, lines)), None)):
            python = Path(starting["python"])
        show_lines((line for line in lines if given["verbose"] or not PLATFORM_LINE.match(line)), to_stderr=False)
    try:
        if job.phase != "Completed":
            job.wait(poll=POLL)
    except JobFailed as error:
        status = next((code for code in error.exit_codes.values() if code), 1)
        _explain(error, python)
    return status


def _fetch(terminal: Terminal, ma: "ModelArts", url: str, out: Path, *, is_kept: bool) -> None:
    """Fetch the outputs into the folder; if that fails, say where they are, unless the emulator ends."""
    if not ma.obs.list(url):
        terminal.note("The script wrote no outputs: it gets the folder as --train_url.")
        return
    try:
        done = ma.obs.download(url, out)
    except BaseException:
        if is_kept:
            _report(f"the outputs could not be fetched, and are kept at {url}: modelarts obs cp {url} FOLDER")
        raise
    terminal.note(f"{done.files} output files in {out}")


def _explain(error: Any, python: Path | None) -> None:
    verdict = error.verdict
    if verdict is not None and verdict.cause == "missing-module":
        interpreter = "the emulator's engine" if python is None else python
        text = f"{verdict.text.rstrip('.')}: it was {interpreter}."
        remedy = "Install the module there, choose another Python with --engine, or name a file with --requirements."
        _report(f"{text} {remedy}")
    elif verdict is not None and verdict.cause not in ("exit-code", "exception"):
        _report(str(verdict))
    else:
        _report(str(error).splitlines()[0])


def _report(message: str) -> None:
    click.echo(f"Error: {escaped(message, kept=LINES)}", err=True)


def _draw(terminal: Terminal, job: "Job") -> None:
    """How the job used the node, if it ran for long enough."""
    if (job.details.status.duration or 0) < CHART_AFTER_S * 1000:
        return
    from .job_metrics import chart, series_of

    for (task, metric), values in series_of(job.metrics()).items():
        terminal.note(f"{task} {metric:12} {chart(values)} {max(v for v in values if v is not None):.2g} % at most")
