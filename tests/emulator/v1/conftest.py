"""Simulated jobs on a clock that stands still, and version 1 of the API through the generated client."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from tests.databases import NewDatabase
from tests.emulator.conftest import example, unique

from modelarts_api.v1 import models
from modelarts_emulator.server import Emulator
from modelarts_emulator.storage.folder import FolderStore
from modelarts_toolkit import ModelArts

BUCKET = "test-modelarts"  # of the TensorFlow use case
CODE = f"/{BUCKET}/mnist-tensorflow-code/"


class V1Service:
    """The emulator, the generated client of a user, and the bodies of the TensorFlow use case."""

    bucket = BUCKET
    example = staticmethod(partial(example, version="v1"))
    unique = staticmethod(unique)

    def __init__(self, emulator: Emulator, user: Any = None) -> None:
        self.emulator = emulator
        self.identity = user or emulator.identity
        with pytest.MonkeyPatch.context() as patch:
            for name, value in emulator.environment(user).items():
                patch.setenv(name, value)
            self.ma = ModelArts()
        self.api = self.ma.v1
        self.jobs = self.api.training_jobs
        self.versions = self.api.training_job_versions
        self.configs = self.api.training_job_configs
        self.logs = self.api.logs
        self.store = FolderStore(emulator.data_dir / "objects")
        if not self.store.has_bucket(BUCKET):
            self.store.create_bucket(BUCKET)
            self.store.put(BUCKET, "mnist-tensorflow-code/train_mnist_tf.py", b"print('Done exporting!')\n")
            self.store.put(BUCKET, "dataset-mnist/data", b"1")

    def config(self, **changes: Any) -> Any:
        """The use case's settings with results of their own; None takes a member away."""
        own = self.example("createTrainingJob.tensorflow-use-case")["config"]
        members = own | {"train_url": f"/{BUCKET}/{unique('output')}/"} | changes
        return {name: value for name, value in members.items() if value is not None}

    def body(self, name: str | None = None, **config: Any) -> Any:
        """The use case's job under a new name; keyword arguments as of `config`."""
        body = self.example("createTrainingJob.tensorflow-use-case")
        return body | {"job_name": name or unique("job"), "config": self.config(**config)}

    def create(self, name: str | None = None, **config: Any) -> models.CreatedTrainingJob:
        return self.jobs.create_training_job(self.body(name, **config))

    def create_version(self, job: Any, **config: Any) -> models.CreatedTrainingJobVersion:
        """A further version of the job, after the one that `job` names."""
        members = self.config(pre_version_id=int(job.version_id), **config)
        return self.versions.create_training_job_version(int(job.job_id), {"config": members})

    def show(self, created: Any) -> models.TrainingJobVersion:
        """The version that a creation made."""
        return self.versions.show_training_job_version(int(created.job_id), int(created.version_id))

    def advance(self, seconds: float) -> None:
        self.emulator.clock.advance(seconds)

    def plan(self, name: str, **members: Any) -> None:
        """Say what jobs of this name do."""
        self.emulator.plans.add(job=name, **members)


class VisualizationJobs:
    """The visualization jobs of a project, by their ids."""

    def __init__(self, api: Any) -> None:
        self.api = api
        self.url = f"/v1/{api.identity.project_id}/visualization-jobs"

    def call(self, method: str, path: str = "", **given: Any) -> Any:
        return self.api.http.request(method, self.url + path, **given)

    def create(self, **members: Any) -> int:
        response = self.call("POST", json=self.body(**members))
        assert response.status_code == 200, response.text
        return int(response.json()["job_id"])

    def body(self, **members: Any) -> dict[str, Any]:
        return {"job_name": self.api.unique("v")[:20], "train_url": f"/{self.api.bucket}/logs/", **members}

    def show(self, job_id: int) -> Any:
        return self.call("GET", f"/{job_id}").json()

    def act(self, job_id: int, action: str) -> Any:
        return self.call("POST", f"/{job_id}/{action}").json()


@pytest.fixture(scope="session")
def simulating_emulator(tmp_path_factory: pytest.TempPathFactory, new_database: NewDatabase) -> Iterator[Emulator]:
    folder = tmp_path_factory.mktemp("v1")
    with Emulator(folder, database_url=new_database(), executor="simulated", check_responses=True) as emulator:
        emulator.clock.freeze()
        yield emulator


@pytest.fixture(scope="session")
def v1(simulating_emulator: Emulator) -> Iterator[V1Service]:
    """Version 1 of an emulator that all tests share: each finds its own jobs by name."""
    service = V1Service(simulating_emulator)
    yield service
    service.ma.close()
