# Generated from openapi/v1 by scripts/generate.py; do not edit.
"""Every operation of the document, by tag."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from modelarts_runtime.client import Client

if TYPE_CHECKING:
    from .built_in_algorithms import AsyncBuiltInAlgorithms, BuiltInAlgorithms
    from .engines import AsyncEngines, Engines
    from .logs import AsyncLogs, Logs
    from .resource_specs import AsyncResourceSpecs, ResourceSpecs
    from .training_job_configs import AsyncTrainingJobConfigs, TrainingJobConfigs
    from .training_job_versions import AsyncTrainingJobVersions, TrainingJobVersions
    from .training_jobs import AsyncTrainingJobs, TrainingJobs
    from .visualization_jobs import AsyncVisualizationJobs, VisualizationJobs


class Api:
    """The operations, bound to a client and a project; one attribute per tag, made on first use."""

    def __init__(self, client: Client, project_id: str) -> None:
        self.client = client
        self.project_id = project_id

    @cached_property
    def training_jobs(self) -> TrainingJobs:
        from .training_jobs import TrainingJobs

        return TrainingJobs(self.client, self.project_id)

    @cached_property
    def training_job_versions(self) -> TrainingJobVersions:
        from .training_job_versions import TrainingJobVersions

        return TrainingJobVersions(self.client, self.project_id)

    @cached_property
    def logs(self) -> Logs:
        from .logs import Logs

        return Logs(self.client, self.project_id)

    @cached_property
    def built_in_algorithms(self) -> BuiltInAlgorithms:
        from .built_in_algorithms import BuiltInAlgorithms

        return BuiltInAlgorithms(self.client, self.project_id)

    @cached_property
    def training_job_configs(self) -> TrainingJobConfigs:
        from .training_job_configs import TrainingJobConfigs

        return TrainingJobConfigs(self.client, self.project_id)

    @cached_property
    def resource_specs(self) -> ResourceSpecs:
        from .resource_specs import ResourceSpecs

        return ResourceSpecs(self.client, self.project_id)

    @cached_property
    def engines(self) -> Engines:
        from .engines import Engines

        return Engines(self.client, self.project_id)

    @cached_property
    def visualization_jobs(self) -> VisualizationJobs:
        from .visualization_jobs import VisualizationJobs

        return VisualizationJobs(self.client, self.project_id)


class AsyncApi:
    """The operations as coroutines, bound to a client and a project; one attribute per tag, made on first use."""

    def __init__(self, client: Client, project_id: str) -> None:
        self.client = client
        self.project_id = project_id

    @cached_property
    def training_jobs(self) -> AsyncTrainingJobs:
        from .training_jobs import AsyncTrainingJobs

        return AsyncTrainingJobs(self.client, self.project_id)

    @cached_property
    def training_job_versions(self) -> AsyncTrainingJobVersions:
        from .training_job_versions import AsyncTrainingJobVersions

        return AsyncTrainingJobVersions(self.client, self.project_id)

    @cached_property
    def logs(self) -> AsyncLogs:
        from .logs import AsyncLogs

        return AsyncLogs(self.client, self.project_id)

    @cached_property
    def built_in_algorithms(self) -> AsyncBuiltInAlgorithms:
        from .built_in_algorithms import AsyncBuiltInAlgorithms

        return AsyncBuiltInAlgorithms(self.client, self.project_id)

    @cached_property
    def training_job_configs(self) -> AsyncTrainingJobConfigs:
        from .training_job_configs import AsyncTrainingJobConfigs

        return AsyncTrainingJobConfigs(self.client, self.project_id)

    @cached_property
    def resource_specs(self) -> AsyncResourceSpecs:
        from .resource_specs import AsyncResourceSpecs

        return AsyncResourceSpecs(self.client, self.project_id)

    @cached_property
    def engines(self) -> AsyncEngines:
        from .engines import AsyncEngines

        return AsyncEngines(self.client, self.project_id)

    @cached_property
    def visualization_jobs(self) -> AsyncVisualizationJobs:
        from .visualization_jobs import AsyncVisualizationJobs

        return AsyncVisualizationJobs(self.client, self.project_id)
