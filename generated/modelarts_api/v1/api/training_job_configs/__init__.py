# Generated from openapi/v1 by scripts/generate.py; do not edit.
"""The operations tagged `training_job_configs`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial

from modelarts_runtime.client import Client
from modelarts_runtime.pages import Cursor, walk, walk_async
from modelarts_runtime.types import UNSET, Unset

from ... import models


class TrainingJobConfigs:
    """The operations tagged `training_job_configs`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def create_training_job_config(
        self,
        body: models.CreateTrainingJobConfigRequestDict,
    ) -> models.Acknowledgement:
        """Create a configuration.

        Stores settings of a training job under a name. Nothing is run.

        Args:
            body: The settings and their name.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: The request is rejected: a parameter is wrong (0101, 0104, 0107), or the operation
                    failed (0105). The same body may come with status 200.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_job_parameter_configuration/creating_a_training_job_configuration.rst
        """
        from . import create_training_job_config

        return create_training_job_config.sync(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    def delete_training_job_config(
        self,
        config_name: str,
    ) -> models.Acknowledgement:
        """Delete a configuration.

        Removes stored settings. Jobs that were made from them stay as they are.

        Args:
            config_name: Name of a configuration.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: The request is rejected: a parameter is wrong (0101, 0104, 0107), or the operation
                    failed (0105). The same body may come with status 200.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_job_parameter_configuration/deleting_a_training_job_configuration.rst
        """
        from . import delete_training_job_config

        return delete_training_job_config.sync(
            project_id=self._project_id,
            config_name=config_name,
            client=self._client,
        )

    def list_training_job_configs(
        self,
        *,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
        sort_by: models.ListTrainingJobConfigsSortBy | Unset = UNSET,
        order: models.ListTrainingJobConfigsOrder | Unset = UNSET,
        search_content: str | Unset = UNSET,
        config_type: models.ListTrainingJobConfigsConfigType | Unset = UNSET,
    ) -> models.TrainingJobConfigList:
        """List configurations.

        Stored settings that meet conditions, sorted and in pages.

        Args:
            per_page: Entries per page. The service's default: 10.
            page: Number of the page, counted from 1. The service's default: 1.
            sort_by: Member that the entries are sorted by. `create_time` is not possible for samples. The
                service's default: 'config_name'.
            order: Ascending or descending; descending unless said otherwise, unlike in lists of jobs. The
                service's default: 'desc'.
            search_content: Text to look for, in names for instance. The service's default: ''.
            config_type: Whether own configurations (custom) or ready-made ones (sample) are meant. The
                service's default: 'custom'.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: The request is rejected: a parameter is wrong (0101, 0104, 0107), or the operation
                    failed (0105). The same body may come with status 200.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_job_parameter_configuration/querying_a_list_of_training_job_configurations.rst
        """
        from . import list_training_job_configs

        return list_training_job_configs.sync(
            project_id=self._project_id,
            per_page=per_page,
            page=page,
            sort_by=sort_by,
            order=order,
            search_content=search_content,
            config_type=config_type,
            client=self._client,
        )

    def iter_training_job_configs(
        self,
        *,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
        sort_by: models.ListTrainingJobConfigsSortBy | Unset = UNSET,
        order: models.ListTrainingJobConfigsOrder | Unset = UNSET,
        search_content: str | Unset = UNSET,
        config_type: models.ListTrainingJobConfigsConfigType | Unset = UNSET,
    ) -> Iterator[models.TrainingJobConfigSummary]:
        """List configurations, one by one from page to page.

        Asks for a page when its first record is wanted. A page has 1000 records, the most that is allowed,
        unless `per_page` says otherwise. Starts at `page`, or at the first page. No record comes twice:
        `config_name` identifies it. Records that come or go meanwhile move the others: some can be missed.

        Args:
            per_page: Records per page; 1000 if left out.
            page: Where to start, counted in pages from 1.
            sort_by: Member that the entries are sorted by. `create_time` is not possible for samples. The
                service's default: 'config_name'.
            order: Ascending or descending; descending unless said otherwise, unlike in lists of jobs. The
                service's default: 'desc'.
            search_content: Text to look for, in names for instance. The service's default: ''.
            config_type: Whether own configurations (custom) or ready-made ones (sample) are meant. The
                service's default: 'custom'.

        Raises:
            ApiError: the service rejects a page, as for `list_training_job_configs`.
            ValueError: at once, if `page` is not a position in the list.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_job_parameter_configuration/querying_a_list_of_training_job_configurations.rst
        """
        from . import list_training_job_configs

        return walk(
            Cursor(list_training_job_configs.PAGES, {"per_page": per_page, "page": page}, self._client.offset_unit),
            partial(
                list_training_job_configs.sync,
                project_id=self._project_id,
                sort_by=sort_by,
                order=order,
                search_content=search_content,
                config_type=config_type,
                client=self._client,
            ),
        )

    def show_training_job_config(
        self,
        config_name: str,
        *,
        config_type: models.ShowTrainingJobConfigConfigType | Unset = UNSET,
    ) -> models.TrainingJobConfig:
        """Show a configuration.

        The settings that are stored under a name.

        Args:
            config_name: Name of a configuration.
            config_type: Whether own configurations (custom) or ready-made ones (sample) are meant. The
                service's default: 'custom'.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: The request is rejected: a parameter is wrong (0101, 0104, 0107), or the operation
                    failed (0105). The same body may come with status 200.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_job_parameter_configuration/querying_the_details_about_a_training_job_configuration.rst
        """
        from . import show_training_job_config

        return show_training_job_config.sync(
            project_id=self._project_id,
            config_name=config_name,
            config_type=config_type,
            client=self._client,
        )

    def update_training_job_config(
        self,
        config_name: str,
        body: models.UpdateTrainingJobConfigRequestDict,
    ) -> models.Acknowledgement:
        """Change a configuration.

        Replaces the settings that are stored under a name by a complete new set.

        Args:
            config_name: Name of a configuration.
            body: The new settings.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: The request is rejected: a parameter is wrong (0101, 0104, 0107), or the operation
                    failed (0105). The same body may come with status 200.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_job_parameter_configuration/modifying_a_training_job_configuration.rst
        """
        from . import update_training_job_config

        return update_training_job_config.sync(
            project_id=self._project_id,
            config_name=config_name,
            body=body,
            client=self._client,
        )


class AsyncTrainingJobConfigs:
    """The operations tagged `training_job_configs`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def create_training_job_config(
        self,
        body: models.CreateTrainingJobConfigRequestDict,
    ) -> models.Acknowledgement:
        """Create a configuration; see `TrainingJobConfigs.create_training_job_config`."""
        from . import create_training_job_config

        return await create_training_job_config.asyncio(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    async def delete_training_job_config(
        self,
        config_name: str,
    ) -> models.Acknowledgement:
        """Delete a configuration; see `TrainingJobConfigs.delete_training_job_config`."""
        from . import delete_training_job_config

        return await delete_training_job_config.asyncio(
            project_id=self._project_id,
            config_name=config_name,
            client=self._client,
        )

    async def list_training_job_configs(
        self,
        *,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
        sort_by: models.ListTrainingJobConfigsSortBy | Unset = UNSET,
        order: models.ListTrainingJobConfigsOrder | Unset = UNSET,
        search_content: str | Unset = UNSET,
        config_type: models.ListTrainingJobConfigsConfigType | Unset = UNSET,
    ) -> models.TrainingJobConfigList:
        """List configurations; see `TrainingJobConfigs.list_training_job_configs`."""
        from . import list_training_job_configs

        return await list_training_job_configs.asyncio(
            project_id=self._project_id,
            per_page=per_page,
            page=page,
            sort_by=sort_by,
            order=order,
            search_content=search_content,
            config_type=config_type,
            client=self._client,
        )

    def iter_training_job_configs(
        self,
        *,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
        sort_by: models.ListTrainingJobConfigsSortBy | Unset = UNSET,
        order: models.ListTrainingJobConfigsOrder | Unset = UNSET,
        search_content: str | Unset = UNSET,
        config_type: models.ListTrainingJobConfigsConfigType | Unset = UNSET,
    ) -> AsyncIterator[models.TrainingJobConfigSummary]:
        """List configurations, one by one; see `TrainingJobConfigs.iter_training_job_configs`."""
        from . import list_training_job_configs

        return walk_async(
            Cursor(list_training_job_configs.PAGES, {"per_page": per_page, "page": page}, self._client.offset_unit),
            partial(
                list_training_job_configs.asyncio,
                project_id=self._project_id,
                sort_by=sort_by,
                order=order,
                search_content=search_content,
                config_type=config_type,
                client=self._client,
            ),
        )

    async def show_training_job_config(
        self,
        config_name: str,
        *,
        config_type: models.ShowTrainingJobConfigConfigType | Unset = UNSET,
    ) -> models.TrainingJobConfig:
        """Show a configuration; see `TrainingJobConfigs.show_training_job_config`."""
        from . import show_training_job_config

        return await show_training_job_config.asyncio(
            project_id=self._project_id,
            config_name=config_name,
            config_type=config_type,
            client=self._client,
        )

    async def update_training_job_config(
        self,
        config_name: str,
        body: models.UpdateTrainingJobConfigRequestDict,
    ) -> models.Acknowledgement:
        """Change a configuration; see `TrainingJobConfigs.update_training_job_config`."""
        from . import update_training_job_config

        return await update_training_job_config.asyncio(
            project_id=self._project_id,
            config_name=config_name,
            body=body,
            client=self._client,
        )
