"""A job's data from its newest response, for handles of both versions, errors and progress reports."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import datetime, timedelta
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from modelarts_runtime.model import Model
from modelarts_runtime.views import job_table
from modelarts_toolkit.job_requests.channels import plain_folder
from modelarts_toolkit.jobs.state import TERMINAL_PHASES, JobState, Phase
from modelarts_toolkit.reading import entries, present, read

if TYPE_CHECKING:
    from modelarts_api.v1.models import TrainingJobVersion
    from modelarts_api.v2.models import Output, TrainingJob

T = TypeVar("T")
InfoT = TypeVar("InfoT", bound="JobInfo")

OfJob: TypeAlias = "Callable[[TrainingJob], T | None]"
OfVersion: TypeAlias = "Callable[[TrainingJobVersion], T | None]"

AnyJob: TypeAlias = "TrainingJobInfo | TrainingJob | str"
"""A job as a handle, as a model, by its id, or by its name; looking up a name takes one extra request."""


class JobInfo(ABC):
    """A job of either version of the API as in its newest response, `details`.

    Fields that the service left out are None or empty.
    """

    _details: Model | None

    @property
    @abstractmethod
    def details(self) -> Model:
        """The newest response about the job."""

    @property
    @abstractmethod
    def state(self) -> JobState:
        """The state in the newest response."""

    @abstractmethod
    def _read(self, of_job: "OfJob[T]", of_version: "OfVersion[T]", kind: type[T]) -> T | None:
        """Return what the path of its version of the API leads to."""

    @property
    def id(self) -> str:
        """The job's id; in version 1 the ids of job and version, such as `12/34`."""
        return self._read(lambda job: job.metadata.id, lambda version: JobState.of_version(version).id, str) or ""

    @property
    def name(self) -> str:
        """The job's name; in version 1 the names of job and version, such as `digits/V0001`."""
        return self._read(lambda job: job.metadata.name, lambda version: JobState.of_version(version).name, str) or ""

    @property
    def phase(self) -> Phase | None:
        """The phase, such as "Running"."""
        found = self._read(lambda job: job.status.phase, lambda version: JobState.of_version(version).phase, str)
        return cast("Phase | None", found)

    @property
    def is_terminal(self) -> bool:
        """Whether the job has ended in any way."""
        return self.phase in TERMINAL_PHASES

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
        return self._read(lambda job: job.metadata.created_at, lambda version: version.created_at, datetime)

    @property
    def started_at(self) -> datetime | None:
        """When it started to run; None before."""
        return self._read(lambda job: job.status.started_at, lambda version: version.started_at, datetime)

    @property
    def running_time(self) -> timedelta | None:
        """How long it has run."""
        return self._read(lambda job: job.status.running_time, lambda version: version.running_time, timedelta)

    @property
    def description(self) -> str:
        """Its description."""
        return self._read(lambda job: job.metadata.description, lambda version: version.job_desc, str) or ""

    @property
    def flavor(self) -> str:
        """The kind of its nodes, such as `modelarts.vm.cpu.8u`."""
        return self._setting(lambda job: job.spec.resource.flavor_id, lambda version: version.spec_code, str) or ""

    @property
    def nodes(self) -> int | None:
        """The number of its nodes."""
        return self._setting(lambda job: job.spec.resource.node_count, lambda version: version.worker_server_num, int)

    @property
    def engine(self) -> str:
        """The version of its engine, or else the engine's id; empty for an image or an algorithm."""

        def of_job(job: "TrainingJob") -> str | None:
            engine = present(job.algorithm.engine)
            return engine.engine_version or engine.engine_id

        return self._setting(of_job, lambda version: version.engine_version, str) or ""

    @property
    def code(self) -> str:
        """The folder with its code."""
        return self._setting(lambda job: job.algorithm.code_dir, lambda version: version.app_url, str) or ""

    @property
    def boot_file(self) -> str:
        """The script that it runs."""
        return self._setting(lambda job: job.algorithm.boot_file, lambda version: version.boot_file_url, str) or ""

    @property
    def experiment(self) -> str:
        """The name of its experiment; empty if it has none, as in version 1."""
        name = self._read(lambda job: present(job.metadata.training_experiment_reference).name, lambda _: None, str)
        return name or ""

    @property
    def parameters(self) -> dict[str, Any]:
        """The hyperparameters by their names."""
        found = self._setting(
            lambda job: {str(each.name): each.value for each in entries(lambda: job.algorithm.parameters)},
            lambda version: {str(each.label): each.value for each in entries(lambda: version.parameter)},
            dict,
        )
        return {} if found is None else found

    def outputs(self) -> dict[str, str]:
        """Return the obs:// URL of each output channel by its name; in version 1 only `train_url`."""

        def of_job(job: "TrainingJob") -> dict[str, str | None]:
            return {str(each.name): _url_of(each) for each in entries(lambda: job.algorithm.outputs)}

        urls = self._setting(of_job, lambda version: {"train_url": version.train_url}, dict) or {}
        known = {name: url for name, url in urls.items() if isinstance(url, str) and url}
        return {name: plain_folder(url) for name, url in known.items()}

    @property
    def has_settings(self) -> bool:
        """Whether the newest response has the job's settings; one of a list of version 1 has not."""
        return self._details is not None

    def _setting(self, of_job: "OfJob[T]", of_version: "OfVersion[T]", kind: type[T]) -> T | None:
        """As `_read`, for what a list of version 1 lacks; raises ValueError if only such a list is known."""
        if self._details is not None and not self.has_settings:
            raise ValueError(f"{self} is from a list, which has no settings of jobs: use refresh()")
        return self._read(of_job, of_version, kind)

    def __str__(self) -> str:
        return str(self._details or "a job")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def _repr_html_(self) -> str:
        show = getattr(self.details, "_repr_html_", None)
        return show() if show is not None else f"<pre>{escape(str(self))}</pre>"


class JobList(list[InfoT]):
    """Jobs, which a notebook shows as a table."""

    def _repr_html_(self) -> str:
        return job_table(job.details for job in self)


class TrainingJobInfo(JobInfo):
    """The data of a training job of version 2."""

    _details: "TrainingJob | None"

    def __init__(self, details: "TrainingJob") -> None:
        self._details = details

    @property
    def details(self) -> "TrainingJob":
        """The newest response about the job."""
        return _received(self._details)

    @property
    def state(self) -> JobState:
        """The state in the newest response."""
        return JobState.of_job(self.details)

    def _read(self, of_job: "OfJob[T]", _: "OfVersion[T]", kind: type[T]) -> T | None:
        return read(lambda: of_job(self.details), kind)


class TrainingJobVersionInfo(JobInfo):
    """The data of a version of a training job of version 1."""

    _details: "TrainingJobVersion | None"

    @property
    def details(self) -> "TrainingJobVersion":
        """The newest response about the version, which after `list` and `submit` has only some fields."""
        return _received(self._details)

    @property
    def state(self) -> JobState:
        """The state in the newest response."""
        return JobState.of_version(self.details)

    def _read(self, _: "OfJob[T]", of_version: "OfVersion[T]", kind: type[T]) -> T | None:
        return read(lambda: of_version(self.details), kind)

    def __str__(self) -> str:
        return " ".join(filter(None, (self.name, f"({self.id})", self.phase)))


def job_id(job: AnyJob) -> str:
    """Return the id of a job, given as a handle, a model or the id itself.

    Raises ValueError if the model has none, TypeError for anything else.
    """
    if not isinstance(job, str | Model | JobInfo):
        raise TypeError(f"a job is given as a TrainingJob or as its id, not as {type(job).__name__}")
    found = job if isinstance(job, str) else job.id if isinstance(job, JobInfo) else JobState.of_job(job).id
    if not found:
        raise ValueError("this job has no id: use a job that the service returned, or its id")
    return found


def _received(details: T | None) -> T:
    """Return the response; raises ValueError before the first one."""
    if details is None:
        raise ValueError("this job has no response from the service yet: use refresh()")
    return details


def _url_of(output: "Output") -> str | None:
    return read(lambda: output.remote.obs.obs_url, str)
