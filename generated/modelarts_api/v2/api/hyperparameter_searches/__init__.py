# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""The operations tagged `hyperparameter_searches`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any

from modelarts_runtime.client import Client
from modelarts_runtime.pages import Cursor, walk, walk_async
from modelarts_runtime.types import UNSET, Unset

from ... import models


class HyperparameterSearches:
    """The operations tagged `hyperparameter_searches`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def show_auto_search_param_analysis_result_path(
        self,
        training_job_id: str,
        parameter_name: str,
    ) -> models.ParameterAnalysisImage:
        """Find image of an analysis.

        Where in object storage the picture of one hyperparameter's influence is. The picture itself has to be
        read from there.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            parameter_name: Name of a hyperparameter that the search varies.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2775, 2788): There is no such job (2775) or hyperparameter.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/obtaining_the_path_for_storing_a_hyperparameter_sensitivity_analysis_image.rst
        """
        from . import show_auto_search_param_analysis_result_path

        return show_auto_search_param_analysis_result_path.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            parameter_name=parameter_name,
            client=self._client,
        )

    def show_auto_search_params_analysis(
        self,
        training_job_id: str,
    ) -> models.ParameterAnalysis:
        """Show importance of hyperparameters.

        How much each hyperparameter mattered for the result of a search, as found by analysis of variance.

        Args:
            training_job_id: Id of a job, from `metadata.id`.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2775, 2788): There is no such job (2775).
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/obtaining_the_hyperparameter_sensitivity_analysis_result.rst
        """
        from . import show_auto_search_params_analysis

        return show_auto_search_params_analysis.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            client=self._client,
        )

    def show_auto_search_per_trial(
        self,
        training_job_id: str,
        trial_id: str,
    ) -> models.TrialTable:
        """Show a trial.

        What a trial has reported, one row per report, the last one with `done` set to `True`.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            trial_id: Id of a trial, from the column `trial_id` of the table of trials; eight hexadecimal
                digits.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2775, 2788): There is no such job (2775) or trial.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/querying_information_about_a_trial_using_hyperparameter_search.rst
        """
        from . import show_auto_search_per_trial

        return show_auto_search_per_trial.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            trial_id=trial_id,
            client=self._client,
        )

    def show_auto_search_trials(
        self,
        training_job_id: str,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> models.TrialList:
        """List trials of a search.

        The trials that a search has made so far, with the hyperparameters and the result of each.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            offset: Where the page begins, counted from 0.
            limit: Trials per page; neither bounds nor a default are documented, and the example gets 50.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2775, 2788): There is no such job (2775), or a parameter is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/querying_all_trials_using_hyperparameter_search.rst
        """
        from . import show_auto_search_trials

        return show_auto_search_trials.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            offset=offset,
            limit=limit,
            client=self._client,
        )

    def iter_auto_search_trials(
        self,
        training_job_id: str,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> Iterator[list[Any]]:
        """List trials of a search, one by one from page to page.

        Asks for a page when its first record is wanted. Starts at `offset`, or at the first record. Records
        that come or go meanwhile move the others: some can be missed or come twice.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            offset: Where to start, counted in records from 0.
            limit: Records per page.

        Raises:
            ApiError: the service rejects a page, as for `show_auto_search_trials`.
            ValueError: at once, if `offset` is not a position in the list.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/querying_all_trials_using_hyperparameter_search.rst
        """
        from . import show_auto_search_trials

        return walk(
            Cursor(show_auto_search_trials.PAGES, {"limit": limit, "offset": offset}, self._client.offset_unit),
            partial(
                show_auto_search_trials.sync,
                project_id=self._project_id,
                training_job_id=training_job_id,
                client=self._client,
            ),
        )

    def show_auto_search_yaml_template_content(
        self,
        algorithm_type: str,
        algorithm_name: str,
    ) -> models.YamlTemplateContent:
        """Show a template for searches.

        The YAML text of a template, to be adapted and stored with the code. A job names the file in
        `algorithm.autosearch_config_path`.

        Args:
            algorithm_type: Purpose of the template, from `algorithm_type_en`: hyperparameters (`hpo`),
                architecture (`nas`), augmentation of data (`augment`) or compression (`compression`).
            algorithm_name: Algorithm that the template is for, from `algorithm_names`.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2788): There is no such template.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/obtaining_the_content_of_the_yaml_template_of_an_auto_search_job.rst
        """
        from . import show_auto_search_yaml_template_content

        return show_auto_search_yaml_template_content.sync(
            project_id=self._project_id,
            algorithm_type=algorithm_type,
            algorithm_name=algorithm_name,
            client=self._client,
        )

    def show_auto_search_yaml_templates_info(
        self,
    ) -> models.YamlTemplateList:
        """List templates for searches.

        For which purposes and algorithms there is a template of a search that a YAML file describes. The path
        looks like that of a job with the id `autosearch`, but is not.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2788): The request is malformed.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/obtaining_information_about_the_yaml_template_of_an_auto_search_job.rst
        """
        from . import show_auto_search_yaml_templates_info

        return show_auto_search_yaml_templates_info.sync(
            project_id=self._project_id,
            client=self._client,
        )

    def show_search_algorithms(
        self,
    ) -> models.SearchAlgorithmList:
        """List search algorithms.

        The algorithms that can search for hyperparameters, with their settings and default values. A job names
        one of them in `algorithm.policies.auto_search.algo_configs`.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2788): The request is malformed.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/obtaining_supported_hyperparameter_search_algorithms.rst
        """
        from . import show_search_algorithms

        return show_search_algorithms.sync(
            project_id=self._project_id,
            client=self._client,
        )

    def stop_auto_search_trial(
        self,
        training_job_id: str,
        trial_id: str,
    ) -> models.EarlyStoppedTrial:
        """Stop a trial early.

        Ends one trial of a hyperparameter search before its time; the search continues with other trials. The
        page calls the operation `ShowAutoSearchTrialEarlyStop`, although it changes the trial. The request has
        no body.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            trial_id: Id of a trial, from the column `trial_id` of the table of trials; eight hexadecimal
                digits.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2775, 2788): There is no such job (2775) or trial.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/early_stopping_a_trial_of_an_auto_search_job.rst
        """
        from . import stop_auto_search_trial

        return stop_auto_search_trial.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            trial_id=trial_id,
            client=self._client,
        )


class AsyncHyperparameterSearches:
    """The operations tagged `hyperparameter_searches`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def show_auto_search_param_analysis_result_path(
        self,
        training_job_id: str,
        parameter_name: str,
    ) -> models.ParameterAnalysisImage:
        """Find image of an analysis; see `HyperparameterSearches.show_auto_search_param_analysis_result_path`."""
        from . import show_auto_search_param_analysis_result_path

        return await show_auto_search_param_analysis_result_path.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            parameter_name=parameter_name,
            client=self._client,
        )

    async def show_auto_search_params_analysis(
        self,
        training_job_id: str,
    ) -> models.ParameterAnalysis:
        """Show importance of hyperparameters; see `HyperparameterSearches.show_auto_search_params_analysis`."""
        from . import show_auto_search_params_analysis

        return await show_auto_search_params_analysis.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            client=self._client,
        )

    async def show_auto_search_per_trial(
        self,
        training_job_id: str,
        trial_id: str,
    ) -> models.TrialTable:
        """Show a trial; see `HyperparameterSearches.show_auto_search_per_trial`."""
        from . import show_auto_search_per_trial

        return await show_auto_search_per_trial.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            trial_id=trial_id,
            client=self._client,
        )

    async def show_auto_search_trials(
        self,
        training_job_id: str,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> models.TrialList:
        """List trials of a search; see `HyperparameterSearches.show_auto_search_trials`."""
        from . import show_auto_search_trials

        return await show_auto_search_trials.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            offset=offset,
            limit=limit,
            client=self._client,
        )

    def iter_auto_search_trials(
        self,
        training_job_id: str,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> AsyncIterator[list[Any]]:
        """List trials of a search, one by one; see `HyperparameterSearches.iter_auto_search_trials`."""
        from . import show_auto_search_trials

        return walk_async(
            Cursor(show_auto_search_trials.PAGES, {"limit": limit, "offset": offset}, self._client.offset_unit),
            partial(
                show_auto_search_trials.asyncio,
                project_id=self._project_id,
                training_job_id=training_job_id,
                client=self._client,
            ),
        )

    async def show_auto_search_yaml_template_content(
        self,
        algorithm_type: str,
        algorithm_name: str,
    ) -> models.YamlTemplateContent:
        """Show a template for searches; see `HyperparameterSearches.show_auto_search_yaml_template_content`."""
        from . import show_auto_search_yaml_template_content

        return await show_auto_search_yaml_template_content.asyncio(
            project_id=self._project_id,
            algorithm_type=algorithm_type,
            algorithm_name=algorithm_name,
            client=self._client,
        )

    async def show_auto_search_yaml_templates_info(
        self,
    ) -> models.YamlTemplateList:
        """List templates for searches; see `HyperparameterSearches.show_auto_search_yaml_templates_info`."""
        from . import show_auto_search_yaml_templates_info

        return await show_auto_search_yaml_templates_info.asyncio(
            project_id=self._project_id,
            client=self._client,
        )

    async def show_search_algorithms(
        self,
    ) -> models.SearchAlgorithmList:
        """List search algorithms; see `HyperparameterSearches.show_search_algorithms`."""
        from . import show_search_algorithms

        return await show_search_algorithms.asyncio(
            project_id=self._project_id,
            client=self._client,
        )

    async def stop_auto_search_trial(
        self,
        training_job_id: str,
        trial_id: str,
    ) -> models.EarlyStoppedTrial:
        """Stop a trial early; see `HyperparameterSearches.stop_auto_search_trial`."""
        from . import stop_auto_search_trial

        return await stop_auto_search_trial.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            trial_id=trial_id,
            client=self._client,
        )
