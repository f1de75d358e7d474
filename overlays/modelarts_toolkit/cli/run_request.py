"""The arguments of `modelarts run`, and the job request made from them."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from modelarts_toolkit.cli.files import Input
from modelarts_toolkit.cli.terminal import Terminal, upload_bar
from modelarts_toolkit.texts import size_text

if TYPE_CHECKING:
    from modelarts_api.v2.models import JobAlgorithmRequestInput, ParameterRequestInput
    from modelarts_toolkit import ModelArts
    from modelarts_toolkit.job_requests.job_request import JobRequest
    from modelarts_toolkit.storage.uploads import UploadProgress

BUCKET = "modelarts-run-"  # and a random suffix: each run has a bucket of its own
CHANNEL = re.compile(r"(?P<name>[A-Za-z_][\w-]*)=(?P<path>.+)", re.DOTALL)
NAME_LENGTH = 40  # characters of the script's name in the job's
LARGE = 100_000_000  # bytes; a larger copy is announced
REQUIREMENTS = "pip-requirements.txt"
FILE = Input(exists=True, dir_okay=False)
MODULE_FILE, MODULE_BOOT = Path(__file__).with_name("run_module.py"), ".modelarts_run_module.py"


def request_of(
    words: Sequence[str], given: Mapping[str, Any], out: Mapping[str, Path | None], name: str | None = None
) -> "RunRequest":
    """Return the request that the words of a command line and its options describe; raises UsageError."""
    arguments, script = script_of(words, given["module"])
    return RunRequest(
        script=script,
        data=channels_of(given["data"], "data_url"),
        out=out,
        name=name,
        parameters=parameters_of(arguments),
        environments=environment_of(given["variables"]),
        **{each: given[each] for each in ("module", "code", "requirements")},
    )


def script_of(words: Sequence[str], module: str | None) -> tuple[Sequence[str], Path | None]:
    """Split the words into arguments and the script, if no module runs; raises UsageError for other files."""
    if module is not None:
        return words, None
    if not words:
        raise click.UsageError("name a script: modelarts run train.py, or a module: modelarts run -m MODULE")
    script = FILE.convert(words[0], None, None)
    if script.suffix == ".ipynb":
        raise click.UsageError(f"{script} is a notebook: convert it first (jupyter nbconvert --to script {script})")
    if script.suffix != ".py":
        raise click.UsageError(f"{script} is not a Python file: a job runs train.py, which may start other programs")
    return words[1:], script


def parameters_of(arguments: Sequence[str]) -> "list[ParameterRequestInput]":
    """Parse `--name value` and `--name=value`; raises UsageError for arguments that a job cannot pass."""
    parameters: list[ParameterRequestInput] = []
    rest = list(arguments)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if not name.startswith("--") or name == "--":
            raise click.UsageError(f"{name!r}: a job passes arguments as --name=value, so write --name {name}")
        if not equals:
            if not rest or rest[0].startswith("--"):
                hint = f"write {name}=true, and let the script read the text"
                raise click.UsageError(f"{name} has no value: a job passes arguments as --name=value, so {hint}")
            value = rest.pop(0)
        parameters.append({"name": name[2:], "value": value})
    return parameters


def environment_of(given: Sequence[str]) -> dict[str, str]:
    """Parse `NAME=VALUE`, and `NAME` for a variable of the shell; raises UsageError."""
    variables = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name or (not equals and name not in os.environ):
            raise click.UsageError(f"--env {text}: write NAME=VALUE, or NAME of a variable that is set in this shell")
        variables[name] = value if equals else os.environ[name]
    return variables


class Channel(click.ParamType):  # type: ignore[type-arg]
    """A path, or NAME=PATH for a channel of that name; the value is the name (None if not given) and the path."""

    name = "path"

    def __init__(self, kind: click.Path) -> None:
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str | None, Path]:
        named = CHANNEL.fullmatch(value)
        path = self._kind.convert(named["path"] if named else value, param, ctx)
        return named["name"] if named else None, Path(os.fsdecode(path))

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return self._kind.shell_complete(ctx, param, incomplete)


def channels_of(given: Sequence[tuple[str | None, Path]], default: str) -> dict[str, Path]:
    """Return paths by the names of their channels; raises UsageError if two have the same name."""
    channels: dict[str, Path] = {}
    for name, path in given:
        if (name or default) in channels:
            raise click.UsageError(f"two paths are named {name or default}: give each a name, NAME={path}")
        channels[name or default] = path
    return channels


class RunRequest:
    """The request of one run; its files are below `place`, and the job's name begins with `name`.

    `environments` are variables of the script, `requirements` the packages to install first.
    `data` and `out` have paths by the names of their channels; None for outputs that are not fetched.

    Raises UsageError for a script or module that is not in the code.
    """

    def __init__(
        self,
        *,
        script: Path | None,
        module: str | None,
        code: Path | None,
        data: Mapping[str, Path],
        out: Mapping[str, Path | None],
        requirements: Path | None,
        name: str | None,
        parameters: "Sequence[ParameterRequestInput]",
        environments: Mapping[str, str],
    ) -> None:
        if both := sorted(set(data) & set(out)):
            raise click.UsageError(f"--data and --out both have the name {both[0]}: write NAME=PATH with another name")
        self.place = f"obs://{BUCKET}{os.urandom(4).hex()}"
        self._starters: dict[str, Path] = {}  # files that are uploaded beside the code
        self.code = (code or (Path() if script is None else script.parent)).resolve()
        self._data = data
        self._out = out
        self.requirements = requirements
        self._parameters = parameters
        self.environments = dict(environments)
        if script is not None:
            boot = script.resolve()
            if not boot.is_relative_to(self.code):
                raise click.UsageError(f"{script} is not in the folder {code}")
            self._boot = boot.relative_to(self.code).as_posix()
        else:
            self._boot = MODULE_BOOT
            self._starters[MODULE_BOOT] = MODULE_FILE
            self.environments["MODELARTS_RUN_MODULE"] = str(module)
            path = self.code.joinpath(*str(module).split("."))
            if not path.with_suffix(".py").is_file() and not (path / "__main__.py").is_file():
                raise click.UsageError(f"the folder {code or '.'} has no module {module}: name its parent with --code")
        stem = str(module) if script is None else script.stem
        self.name = name or re.sub(r"[^A-Za-z0-9]", "-", stem)[:NAME_LENGTH]

    def start_by(self, name: str, file: Path, variable: str, **environments: str) -> None:
        """Run this file under this name instead of the boot file, whose name the variable has."""
        self.environments |= {variable: self._boot, **environments}
        self._starters[name] = file
        self._boot = name

    def upload(self, ma: "ModelArts", terminal: Terminal, check: Callable[[], None]) -> None:
        """Upload code and data, and show the progress; `check` is called meanwhile, and its error ends the upload."""
        url = f"{self.place}/code/"
        apart = [path.resolve() for path in (*self._data.values(), *filter(None, self._out.values()))]
        ignored = [
            f"/{path.relative_to(self.code).as_posix()}"
            for path in apart
            if path != self.code and path.is_relative_to(self.code)
        ]
        self._send(ma, terminal, check, self.code, url, is_code=True, ignored=ignored)
        for name, file in self._starters.items():
            ma.obs.upload(file, f"{url}{name}")
        if self.requirements is not None:
            ma.obs.upload(self.requirements, f"{url}{REQUIREMENTS}")
        for name, path in self._data.items():
            self._send(ma, terminal, check, path, f"{self.place}/data/{name}/", is_code=False)

    def _send(
        self,
        ma: "ModelArts",
        terminal: Terminal,
        check: Callable[[], None],
        source: Path,
        url: str,
        *,
        is_code: bool,
        ignored: Sequence[str] = (),
    ) -> None:
        from modelarts_toolkit.storage.local_files import left_out_text

        what = "code" if is_code else "data"
        remedy = "; name what the script does not need in .modelartsignore" if is_code else ""
        is_announced = False
        with upload_bar(terminal, what) as show:

            def report(progress: "UploadProgress") -> None:
                nonlocal is_announced
                check()
                is_counted = not progress.url.endswith("/")
                if progress.total_bytes > LARGE and is_counted and not is_announced:
                    is_announced = True
                    terminal.note(f"Copying {size_text(progress.total_bytes)} of {what}{remedy}.")
                show(progress)

            done = ma.obs.upload(source, url, code=is_code, ignore=ignored, on_progress=report)
        if done.left_out:
            terminal.note(f"Left out of the {what}: {left_out_text(done.left_out)}")
        if not is_code and not done.files + done.unchanged:
            raise click.UsageError(f"{source} has no files that can be data: put some there, or leave --data out")

    def body(self, engine: str, flavor: str, nodes: int) -> "JobRequest":
        """Return the body of the request, after the upload of code and data."""
        from modelarts_toolkit.job_requests.channels import channel_at, made_folder, new_run_id

        run_id = new_run_id()
        algorithm: JobAlgorithmRequestInput = {
            "code_dir": f"{self.place}/code/",
            "boot_file": f"{self.place}/code/{self._boot}",
            "engine": {"engine_id": engine},
            "inputs": [channel_at(name, f"{self.place}/data/{name}/") for name in self._data],
            "outputs": [
                channel_at(name, made_folder(f"{self.place}/out", self.name, run_id, name)) for name in self._out
            ],
            "parameters": self._parameters,
            "environments": self.environments,
        }
        return {
            "kind": "job",
            "metadata": {"name": self.name},
            "algorithm": algorithm,
            "spec": {"resource": {"flavor_id": flavor, "node_count": nodes}},
        }
