"""The request of a job that runs a script of this machine, and the upload of its files."""

import os
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from modelarts_toolkit.local.caller import Caller, reject
from modelarts_toolkit.local.resources import Asked, Resources, resources_of
from modelarts_toolkit.local.script_python import with_python
from modelarts_toolkit.local_emulator import LocalEmulator
from modelarts_toolkit.texts import size_text

if TYPE_CHECKING:
    from modelarts_api.v2.models import JobAlgorithmRequestInput, ParameterRequestInput
    from modelarts_toolkit import ModelArts
    from modelarts_toolkit.job_requests.job_request import JobRequest
    from modelarts_toolkit.storage.uploads import UploadProgress

BUCKET = "modelarts-run-"  # and a random suffix: each run has a bucket of its own
NAME_LENGTH = 40  # characters of the script's name in the job's
LARGE = 100_000_000  # bytes; a larger copy is announced
REQUIREMENTS = "pip-requirements.txt"
MODULE_FILE, MODULE_BOOT = Path(__file__).with_name("run_module.py"), ".modelarts_run_module.py"


class RunRequest:
    """The request of one run; its files are below `place`, and the job's name begins with `name`.

    `environments` are variables of the script, `requirements` the packages to install first.
    `data` and `out` have paths by the names of their channels; None for outputs that are not fetched.

    Raises ArgumentError for a script or module that is not in the code.
    """

    def __init__(
        self,
        *,
        script: Path | None,
        module: str | None = None,
        code: Path | None = None,
        data: Mapping[str, Path],
        out: Mapping[str, Path | None],
        requirements: Path | None = None,
        name: str | None = None,
        parameters: "Sequence[ParameterRequestInput]" = (),
        environments: Mapping[str, str] | None = None,
    ) -> None:
        if both := sorted(set(data) & set(out)):
            reject(f"--data and --out both have the name {both[0]}: write NAME=PATH with another name")
        self.place = f"obs://{BUCKET}{os.urandom(4).hex()}"
        self._starters: dict[str, Path] = {}  # files that are uploaded beside the code
        # As for python, the modules are where a link leads, unless --code says otherwise.
        boot = None if script is None else script.resolve()
        self.code = (code or (Path() if boot is None else boot.parent)).resolve()
        self._is_elsewhere = code is None and script is not None and self.code != script.parent.resolve()
        self._data = data
        self.out = out
        self.requirements = requirements
        self._parameters = parameters
        self.environments = dict(environments or {})
        if script is not None and boot is not None:
            if not boot.is_relative_to(self.code):  # a link in the code is uploaded as the file
                boot = script.parent.resolve() / script.name
            if not boot.is_relative_to(self.code):
                reject(f"{script} is not in the folder {code}")
            self._boot = boot.relative_to(self.code).as_posix()
            parts = Path(self._boot).with_suffix("").parts
            self._module = ".".join(parts if len(parts) > 1 else (self.code.name, *parts))
        else:
            self._boot = self._module = str(module)
            self.start_by(MODULE_BOOT, MODULE_FILE, "MODELARTS_RUN_MODULE")
            path = self.code.joinpath(*str(module).split("."))
            if not path.with_suffix(".py").is_file() and not (path / "__main__.py").is_file():
                reject(f"the folder {code or '.'} has no module {module}: name its parent with --code")
        stem = str(module) if script is None else script.stem
        self.name = name or re.sub(r"[^A-Za-z0-9]", "-", stem)[:NAME_LENGTH]

    def with_names(self, text: str) -> str:
        """Return a remedy with what it names in general: the module, as `python -m` runs it, and the requirements."""
        text = text.replace("PACKAGE.MODULE", self._module)
        return text if self.requirements is None else text.replace(REQUIREMENTS, str(self.requirements))

    def start_by(self, name: str, file: Path, variable: str, **environments: str) -> None:
        """Run this file under this name instead of the boot file, whose name the variable has."""
        self.environments |= {variable: self._boot, **environments}
        self._starters[name] = file
        self._boot = name

    def upload(self, ma: "ModelArts", caller: Caller) -> None:
        """Make the bucket of the run, and upload code and data."""
        if self._is_elsewhere:
            caller.note(f"The code is {self.code}, where the link of the script leads.")
        ma.obs.create_bucket(self.place)
        url = f"{self.place}/code/"
        apart = [path.resolve() for path in (*self._data.values(), *filter(None, self.out.values()))]
        ignored = [
            f"/{path.relative_to(self.code).as_posix()}"
            for path in apart
            if path != self.code and path.is_relative_to(self.code)
        ]
        self._send(ma, caller, self.code, url, is_code=True, ignored=ignored)
        for name, file in self._starters.items():
            ma.obs.upload(file, f"{url}{name}")
        if self.requirements is not None:
            ma.obs.upload(self.requirements, f"{url}{REQUIREMENTS}")
        for name, path in self._data.items():
            self._send(ma, caller, path, f"{self.place}/data/{name}/", is_code=False)

    def _send(
        self, ma: "ModelArts", caller: Caller, source: Path, url: str, *, is_code: bool, ignored: Sequence[str] = ()
    ) -> None:
        from modelarts_toolkit.storage.local_files import left_out_text

        what = "code" if is_code else "data"
        remedy = "; name what the script does not need in .modelartsignore" if is_code else ""
        is_announced = False
        with caller.uploading(what) as show:

            def report(progress: "UploadProgress") -> None:
                nonlocal is_announced
                caller.check()
                is_counted = not progress.url.endswith("/")
                if progress.total_bytes > LARGE and is_counted and not is_announced:
                    is_announced = True
                    caller.note(f"Copying {size_text(progress.total_bytes)} of {what}{remedy}.")
                show(progress)

            done = ma.obs.upload(source, url, code=is_code, ignore=ignored, on_progress=report)
        if done.left_out:
            caller.note(f"Left out of the {what}: {left_out_text(done.left_out)}")
        if not is_code and not done.files + done.unchanged:
            reject(f"{source} has no files that can be data: put some there, or leave --data out")

    def prepare(
        self, ma: "ModelArts", emulator: LocalEmulator, environment: Mapping[str, str], asked: Asked, caller: Caller
    ) -> "JobRequest":
        """Upload code and data, and meanwhile choose the resources; returns the body of the request."""
        with ThreadPoolExecutor(1) as thread:
            found = thread.submit(resources_of, ma, emulator, environment, asked)
            self.upload(ma, caller)
            resources = found.result()
        for sentence in resources.notes:
            caller.note(sentence)
        return self.body(resources, asked.nodes)

    def body(self, resources: Resources, nodes: int = 1) -> "JobRequest":
        """Return the body of the request, after the upload of code and data."""
        from modelarts_toolkit.job_requests.channels import channel_at, made_folder, new_run_id

        run_id = new_run_id()
        algorithm: JobAlgorithmRequestInput = {
            "code_dir": f"{self.place}/code/",
            "boot_file": f"{self.place}/code/{self._boot}",
            "engine": {"engine_id": resources.engine},
            "inputs": [channel_at(name, f"{self.place}/data/{name}/") for name in self._data],
            "outputs": [
                channel_at(name, made_folder(f"{self.place}/out", self.name, run_id, name)) for name in self.out
            ],
            "parameters": self._parameters,
            "environments": self.environments,
        }
        request: JobRequest = {
            "kind": "job",
            "metadata": {"name": self.name},
            "algorithm": algorithm,
            "spec": {"resource": {"flavor_id": resources.flavor, "node_count": nodes}},
        }
        return with_python(request, resources.python)
