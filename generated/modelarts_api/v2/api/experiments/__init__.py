# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""The operations tagged `experiments`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial

from modelarts_runtime.client import Client
from modelarts_runtime.pages import Cursor, walk, walk_async
from modelarts_runtime.types import UNSET, Unset

from ... import models


class Experiments:
    """The operations tagged `experiments`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def change_training_experiment(
        self,
        experiment_id: str,
        body: models.ChangeExperimentRequestDict,
    ) -> models.ChangedExperiment:
        """Change an experiment.

        Gives an experiment another name or description. The body has the members themselves, without `metadata`
        around them.

        Args:
            experiment_id: Id of an experiment, from `metadata.id`.
            body: What changes.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such experiment (2842), or a parameter or the body is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainExperiment:update`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/ChangeTrainingExperiment.html
        """
        from . import change_training_experiment

        return change_training_experiment.sync(
            project_id=self._project_id,
            experiment_id=experiment_id,
            body=body,
            client=self._client,
        )

    def check_training_experiment(
        self,
        *,
        experiment_name: str,
        workspace_id: str | Unset = UNSET,
    ) -> models.NameCheck:
        """Check the name of an experiment.

        Whether an experiment of this name exists in the workspace.

        Args:
            experiment_name: Name to look for, up to 64 characters.
            workspace_id: Workspace to look in; `0` is the default workspace. The service's default: '0'.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such workspace (0102), or a parameter or the body is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainExperiment:create`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/CheckTrainingExperiment.html
        """
        from . import check_training_experiment

        return check_training_experiment.sync(
            project_id=self._project_id,
            experiment_name=experiment_name,
            workspace_id=workspace_id,
            client=self._client,
        )

    def create_training_experiment(
        self,
        body: models.CreateExperimentRequestDict,
    ) -> models.Experiment:
        """Create an experiment.

        Makes an empty experiment, which jobs can join when they are created.

        Args:
            body: The experiment.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such workspace (0102), the name is in use (2841), or the body is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainExperiment:create`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/intl/en-us/api-modelarts/CreateTrainingExperiment.html
        """
        from . import create_training_experiment

        return create_training_experiment.sync(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    def delete_training_experiment(
        self,
        experiment_id: str,
    ) -> None:
        """Delete an experiment.

        Removes an experiment.

        Args:
            experiment_id: Id of an experiment, from `metadata.id`.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such experiment (2842), or a parameter or the body is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainExperiment:delete`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/DeleteTrainingExperiment.html
        """
        from . import delete_training_experiment

        return delete_training_experiment.sync(
            project_id=self._project_id,
            experiment_id=experiment_id,
            client=self._client,
        )

    def list_training_experiments(
        self,
        *,
        workspace_id: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        offset: int | Unset = UNSET,
        sort_by: models.ListTrainingExperimentsSortBy | Unset = UNSET,
        order: models.ListTrainingExperimentsOrder | Unset = UNSET,
    ) -> models.ExperimentList:
        """List experiments.

        The experiments of a workspace, sorted and in pages.

        Args:
            workspace_id: Workspace to look in; `0` is the default workspace. The service's default: '0'.
            limit: Experiments per page.
            offset: Page to return, or how many experiments to skip, from 0.
            sort_by: Member that orders the experiments.
            order: Smallest value first (`asc`) or largest first (`desc`); only together with `sort_by`. The
                service's default: 'desc'.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such workspace (0102), or a parameter or the body is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/ListTrainingExperiments.html
        """
        from . import list_training_experiments

        return list_training_experiments.sync(
            project_id=self._project_id,
            workspace_id=workspace_id,
            limit=limit,
            offset=offset,
            sort_by=sort_by,
            order=order,
            client=self._client,
        )

    def iter_training_experiments(
        self,
        *,
        workspace_id: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        offset: int | Unset = UNSET,
        sort_by: models.ListTrainingExperimentsSortBy | Unset = UNSET,
        order: models.ListTrainingExperimentsOrder | Unset = UNSET,
    ) -> Iterator[models.Experiment]:
        """List experiments, one by one from page to page.

        Asks for a page when its first record is wanted. Starts at `offset`, or at the first page. No record
        comes twice: `metadata.id` identifies it. Records that come or go meanwhile move the others: some can be
        missed. What `offset` counts is the client's `offset_unit`, by default pages.

        Args:
            workspace_id: Workspace to look in; `0` is the default workspace. The service's default: '0'.
            limit: Records per page.
            offset: Where to start, counted in pages from 0.
            sort_by: Member that orders the experiments.
            order: Smallest value first (`asc`) or largest first (`desc`); only together with `sort_by`. The
                service's default: 'desc'.

        Raises:
            ApiError: the service rejects a page, as for `list_training_experiments`.
            ValueError: at once, if `offset` is not a position in the list.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/ListTrainingExperiments.html
        """
        from . import list_training_experiments

        return walk(
            Cursor(
                list_training_experiments.PAGES,
                {"limit": limit, "offset": offset},
                self._client.offset_unit,
                self._client.learn_offset_unit,
            ),
            partial(
                list_training_experiments.sync,
                project_id=self._project_id,
                workspace_id=workspace_id,
                sort_by=sort_by,
                order=order,
                client=self._client,
            ),
        )

    def show_training_experiment_details(
        self,
        experiment_id: str,
    ) -> models.Experiment:
        """Show an experiment.

        An experiment with the number of its jobs.

        Args:
            experiment_id: Id of an experiment, from `metadata.id`.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such experiment (2842), or a parameter or the body is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainExperiment:get`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/ShowTrainingExperimentDetails.html
        """
        from . import show_training_experiment_details

        return show_training_experiment_details.sync(
            project_id=self._project_id,
            experiment_id=experiment_id,
            client=self._client,
        )


class AsyncExperiments:
    """The operations tagged `experiments`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def change_training_experiment(
        self,
        experiment_id: str,
        body: models.ChangeExperimentRequestDict,
    ) -> models.ChangedExperiment:
        """Change an experiment; see `Experiments.change_training_experiment`."""
        from . import change_training_experiment

        return await change_training_experiment.asyncio(
            project_id=self._project_id,
            experiment_id=experiment_id,
            body=body,
            client=self._client,
        )

    async def check_training_experiment(
        self,
        *,
        experiment_name: str,
        workspace_id: str | Unset = UNSET,
    ) -> models.NameCheck:
        """Check the name of an experiment; see `Experiments.check_training_experiment`."""
        from . import check_training_experiment

        return await check_training_experiment.asyncio(
            project_id=self._project_id,
            experiment_name=experiment_name,
            workspace_id=workspace_id,
            client=self._client,
        )

    async def create_training_experiment(
        self,
        body: models.CreateExperimentRequestDict,
    ) -> models.Experiment:
        """Create an experiment; see `Experiments.create_training_experiment`."""
        from . import create_training_experiment

        return await create_training_experiment.asyncio(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    async def delete_training_experiment(
        self,
        experiment_id: str,
    ) -> None:
        """Delete an experiment; see `Experiments.delete_training_experiment`."""
        from . import delete_training_experiment

        return await delete_training_experiment.asyncio(
            project_id=self._project_id,
            experiment_id=experiment_id,
            client=self._client,
        )

    async def list_training_experiments(
        self,
        *,
        workspace_id: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        offset: int | Unset = UNSET,
        sort_by: models.ListTrainingExperimentsSortBy | Unset = UNSET,
        order: models.ListTrainingExperimentsOrder | Unset = UNSET,
    ) -> models.ExperimentList:
        """List experiments; see `Experiments.list_training_experiments`."""
        from . import list_training_experiments

        return await list_training_experiments.asyncio(
            project_id=self._project_id,
            workspace_id=workspace_id,
            limit=limit,
            offset=offset,
            sort_by=sort_by,
            order=order,
            client=self._client,
        )

    def iter_training_experiments(
        self,
        *,
        workspace_id: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        offset: int | Unset = UNSET,
        sort_by: models.ListTrainingExperimentsSortBy | Unset = UNSET,
        order: models.ListTrainingExperimentsOrder | Unset = UNSET,
    ) -> AsyncIterator[models.Experiment]:
        """List experiments, one by one; see `Experiments.iter_training_experiments`."""
        from . import list_training_experiments

        return walk_async(
            Cursor(
                list_training_experiments.PAGES,
                {"limit": limit, "offset": offset},
                self._client.offset_unit,
                self._client.learn_offset_unit,
            ),
            partial(
                list_training_experiments.asyncio,
                project_id=self._project_id,
                workspace_id=workspace_id,
                sort_by=sort_by,
                order=order,
                client=self._client,
            ),
        )

    async def show_training_experiment_details(
        self,
        experiment_id: str,
    ) -> models.Experiment:
        """Show an experiment; see `Experiments.show_training_experiment_details`."""
        from . import show_training_experiment_details

        return await show_training_experiment_details.asyncio(
            project_id=self._project_id,
            experiment_id=experiment_id,
            client=self._client,
        )
