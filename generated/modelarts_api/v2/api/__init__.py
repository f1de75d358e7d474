# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""Every operation of the document, by tag."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from modelarts_runtime.client import Client

if TYPE_CHECKING:
    from .algorithms import Algorithms, AsyncAlgorithms
    from .engines import AsyncEngines, Engines
    from .events import AsyncEvents, Events
    from .experiments import AsyncExperiments, Experiments
    from .fine_tuning import AsyncFineTuning, FineTuning
    from .flavors import AsyncFlavors, Flavors
    from .hyperparameter_searches import AsyncHyperparameterSearches, HyperparameterSearches
    from .images import AsyncImages, Images
    from .logs import AsyncLogs, Logs
    from .metrics import AsyncMetrics, Metrics
    from .quotas import AsyncQuotas, Quotas
    from .tags import AsyncTags, Tags
    from .training_jobs import AsyncTrainingJobs, TrainingJobs


class Api:
    """The operations, bound to a client and a project; one attribute per tag, made on first use."""

    def __init__(self, client: Client, project_id: str) -> None:
        self.client = client
        self.project_id = project_id

    @cached_property
    def flavors(self) -> Flavors:
        from .flavors import Flavors

        return Flavors(self.client, self.project_id)

    @cached_property
    def engines(self) -> Engines:
        from .engines import Engines

        return Engines(self.client, self.project_id)

    @cached_property
    def algorithms(self) -> Algorithms:
        from .algorithms import Algorithms

        return Algorithms(self.client, self.project_id)

    @cached_property
    def training_jobs(self) -> TrainingJobs:
        from .training_jobs import TrainingJobs

        return TrainingJobs(self.client, self.project_id)

    @cached_property
    def logs(self) -> Logs:
        from .logs import Logs

        return Logs(self.client, self.project_id)

    @cached_property
    def metrics(self) -> Metrics:
        from .metrics import Metrics

        return Metrics(self.client, self.project_id)

    @cached_property
    def events(self) -> Events:
        from .events import Events

        return Events(self.client, self.project_id)

    @cached_property
    def hyperparameter_searches(self) -> HyperparameterSearches:
        from .hyperparameter_searches import HyperparameterSearches

        return HyperparameterSearches(self.client, self.project_id)

    @cached_property
    def tags(self) -> Tags:
        from .tags import Tags

        return Tags(self.client, self.project_id)

    @cached_property
    def experiments(self) -> Experiments:
        from .experiments import Experiments

        return Experiments(self.client, self.project_id)

    @cached_property
    def quotas(self) -> Quotas:
        from .quotas import Quotas

        return Quotas(self.client, self.project_id)

    @cached_property
    def images(self) -> Images:
        from .images import Images

        return Images(self.client, self.project_id)

    @cached_property
    def fine_tuning(self) -> FineTuning:
        from .fine_tuning import FineTuning

        return FineTuning(self.client, self.project_id)


class AsyncApi:
    """The operations as coroutines, bound to a client and a project; one attribute per tag, made on first use."""

    def __init__(self, client: Client, project_id: str) -> None:
        self.client = client
        self.project_id = project_id

    @cached_property
    def flavors(self) -> AsyncFlavors:
        from .flavors import AsyncFlavors

        return AsyncFlavors(self.client, self.project_id)

    @cached_property
    def engines(self) -> AsyncEngines:
        from .engines import AsyncEngines

        return AsyncEngines(self.client, self.project_id)

    @cached_property
    def algorithms(self) -> AsyncAlgorithms:
        from .algorithms import AsyncAlgorithms

        return AsyncAlgorithms(self.client, self.project_id)

    @cached_property
    def training_jobs(self) -> AsyncTrainingJobs:
        from .training_jobs import AsyncTrainingJobs

        return AsyncTrainingJobs(self.client, self.project_id)

    @cached_property
    def logs(self) -> AsyncLogs:
        from .logs import AsyncLogs

        return AsyncLogs(self.client, self.project_id)

    @cached_property
    def metrics(self) -> AsyncMetrics:
        from .metrics import AsyncMetrics

        return AsyncMetrics(self.client, self.project_id)

    @cached_property
    def events(self) -> AsyncEvents:
        from .events import AsyncEvents

        return AsyncEvents(self.client, self.project_id)

    @cached_property
    def hyperparameter_searches(self) -> AsyncHyperparameterSearches:
        from .hyperparameter_searches import AsyncHyperparameterSearches

        return AsyncHyperparameterSearches(self.client, self.project_id)

    @cached_property
    def tags(self) -> AsyncTags:
        from .tags import AsyncTags

        return AsyncTags(self.client, self.project_id)

    @cached_property
    def experiments(self) -> AsyncExperiments:
        from .experiments import AsyncExperiments

        return AsyncExperiments(self.client, self.project_id)

    @cached_property
    def quotas(self) -> AsyncQuotas:
        from .quotas import AsyncQuotas

        return AsyncQuotas(self.client, self.project_id)

    @cached_property
    def images(self) -> AsyncImages:
        from .images import AsyncImages

        return AsyncImages(self.client, self.project_id)

    @cached_property
    def fine_tuning(self) -> AsyncFineTuning:
        from .fine_tuning import AsyncFineTuning

        return AsyncFineTuning(self.client, self.project_id)
