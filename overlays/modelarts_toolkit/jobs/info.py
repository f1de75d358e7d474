"""A job's data from its newest response, for handles of both versions, errors and progress reports."""

from datetime import datetime, timedelta
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from modelarts_runtime.model import Model

from .state import JobState, Phase, models_at, value_at

if TYPE_CHECKING:
    from modelarts_api.v1.models import TrainingJobVersion
    from modelarts_api.v2.models import TrainingJob

AnyJob: TypeAlias = "TrainingJobInfo | TrainingJob | str"
"""A job as a handle, as a model, by its id, or by its name; looking up a name takes one extra request."""


class JobInfo:
    """A job of either version of the API as in its newest response, `details`.

    Fields that the service left out are None or empty.
    """

    def __init__(self, details: Model) -> None:
        self._details: Model | None = details

    @property
    def details(self) -> Model:
        """The newest response about the job."""
        if self._details is None:
            raise ValueError("this job has no response from the service yet: use refresh()")
        return self._details

    @property
    def state(self) -> JobState:
        """The state in the newest response."""
        return JobState.of(cast("TrainingJob", self.details))

    @property
    def id(self) -> str:
        """The job's id; in version 1 the ids of job and version, such as `12/34`."""
        return self.state.id or ""

    @property
    def name(self) -> str:
        """The job's name; in version 1 the names of job and version, such as `digits/V0001`."""
        return self.state.name or ""

    @property
    def phase(self) -> Phase:
        """The phase, such as "Running"."""
        return cast("Phase", self.state.phase or "")

    @property
    def is_terminal(self) -> bool:
        """Whether the job has ended in any way."""
        return self.state.is_ended

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of its tasks, such as `worker-0`."""
        return self.state.tasks

    @property
    def exit_codes(self) -> dict[str, int]:
        """The exit code of each task that reported one."""
        return self.state.exit_codes

    @property
    def explanation(self) -> str:
        """The exit codes and messages of the tasks, in one line."""
        return self.state.explanation

    @property
    def created_at(self) -> datetime | None:
        """When it was created."""
        return cast("datetime | None", self._value(("metadata", "created_at"), ("created_at",)))

    @property
    def started_at(self) -> datetime | None:
        """When it started to run; None before."""
        return cast("datetime | None", self._value(("status", "started_at"), ("started_at",)))

    @property
    def running_time(self) -> timedelta | None:
        """How long it has run."""
        return cast("timedelta | None", self._value(("status", "running_time"), ("running_time",)))

    @property
    def description(self) -> str:
        """Its description."""
        return str(self._value(("metadata", "description"), ("job_desc",)) or "")

    @property
    def flavor(self) -> str:
        """The kind of its nodes, such as `modelarts.vm.cpu.8u`."""
        return str(self._value(("spec", "resource", "flavor_id"), ("spec_code",)) or "")

    @property
    def nodes(self) -> int | None:
        """The number of its nodes."""
        return cast("int | None", self._value(("spec", "resource", "node_count"), ("worker_server_num",)))

    @property
    def engine(self) -> str:
        """The version of its engine, or else the engine's id; empty for an image or an algorithm."""
        paths = (("algorithm", "engine", "engine_version"), ("algorithm", "engine", "engine_id"), ("engine_version",))
        return str(self._value(*paths) or "")

    @property
    def code(self) -> str:
        """The folder with its code."""
        return str(self._value(("algorithm", "code_dir"), ("app_url",)) or "")

    @property
    def boot_file(self) -> str:
        """The script that it runs."""
        return str(self._value(("algorithm", "boot_file"), ("boot_file_url",)) or "")

    @property
    def parameters(self) -> dict[str, Any]:
        """The hyperparameters by their names."""
        pairs = [("name", each) for each in models_at(self.details, "algorithm", "parameters")]
        pairs += [("label", each) for each in models_at(self.details, "parameter")]
        return {str(value_at(each, name)): value_at(each, "value") for name, each in pairs}

    def outputs(self) -> dict[str, str]:
        """Return the obs:// URL of each output channel by its name; in version 1 only `train_url`."""
        found = [
            (value_at(output, "name"), value_at(output, "remote", "obs", "obs_url"))
            for output in models_at(self.details, "algorithm", "outputs")
        ]
        found.append(("train_url", value_at(self.details, "train_url")))
        return {name: folder_url(url) for name, url in found if isinstance(name, str) and isinstance(url, str) and url}

    def _value(self, *paths: tuple[str, ...]) -> Any:
        """Return the value at the first of these paths that the response has."""
        return next((found for path in paths if (found := value_at(self.details, *path)) is not None), None)

    def __str__(self) -> str:
        return str(self._details or "a job")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def _repr_html_(self) -> str:
        show = getattr(self.details, "_repr_html_", None)
        return show() if show is not None else f"<pre>{escape(str(self))}</pre>"

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the newest response only, without the connection."""
        return {"_details": self._details}


class TrainingJobInfo(JobInfo):
    """The data of a training job of version 2."""

    @property
    def details(self) -> "TrainingJob":
        """The newest response about the job."""
        return cast("TrainingJob", super().details)


class TrainingJobVersionInfo(JobInfo):
    """The data of a version of a training job of version 1."""

    @property
    def details(self) -> "TrainingJobVersion":
        """The newest response about the version, which after `list` and `submit` has only some fields."""
        return cast("TrainingJobVersion", super().details)

    def __str__(self) -> str:
        return " ".join(filter(None, (self.name, f"({self.id})", self.phase)))


def job_id(job: AnyJob) -> str:
    """Return the id of a job, given as a handle, a model or the id itself.

    Raises ValueError if the model has none, TypeError for anything else.
    """
    if not isinstance(job, str | Model | JobInfo):
        raise TypeError(f"a job is given as a TrainingJob or as its id, not as {type(job).__name__}")
    found = job if isinstance(job, str) else job.id if isinstance(job, JobInfo) else JobState.of(job).id
    if not found:
        raise ValueError("this job has no id: use a job that the service returned, or its id")
    return found


def folder_url(path: str) -> str:
    """Return the URL of a folder that a request gives as a path, such as /bucket/results."""
    return f"obs://{path.removeprefix('obs://').strip('/')}/"
