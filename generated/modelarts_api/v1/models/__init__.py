# Generated from openapi/v1 by scripts/generate.py; do not edit.
"""The models; each is loaded when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .acknowledgement import Acknowledgement as Acknowledgement
    from .built_in_algorithm import BuiltInAlgorithm as BuiltInAlgorithm
    from .built_in_algorithm_list import BuiltInAlgorithmList as BuiltInAlgorithmList
    from .built_in_algorithm_parameter import BuiltInAlgorithmParameter as BuiltInAlgorithmParameter
    from .class_metric import ClassMetric as ClassMetric
    from .create_training_job_config_request import CreateTrainingJobConfigRequest as CreateTrainingJobConfigRequest
    from .create_training_job_config_request import (
        CreateTrainingJobConfigRequestDict as CreateTrainingJobConfigRequestDict,
    )
    from .create_training_job_request import CreateTrainingJobRequest as CreateTrainingJobRequest
    from .create_training_job_request import CreateTrainingJobRequestDict as CreateTrainingJobRequestDict
    from .create_training_job_version_request import CreateTrainingJobVersionRequest as CreateTrainingJobVersionRequest
    from .create_training_job_version_request import (
        CreateTrainingJobVersionRequestDict as CreateTrainingJobVersionRequestDict,
    )
    from .create_visualization_job_request import CreateVisualizationJobRequest as CreateVisualizationJobRequest
    from .create_visualization_job_request import CreateVisualizationJobRequestDict as CreateVisualizationJobRequestDict
    from .created_training_job import CreatedTrainingJob as CreatedTrainingJob
    from .created_training_job_version import CreatedTrainingJobVersion as CreatedTrainingJobVersion
    from .created_visualization_job import CreatedVisualizationJob as CreatedVisualizationJob
    from .data_source import DataSource as DataSource
    from .data_source_request import DataSourceRequest as DataSourceRequest
    from .data_source_request import DataSourceRequestDict as DataSourceRequestDict
    from .data_source_request_type import DataSourceRequestType as DataSourceRequestType
    from .engine import Engine as Engine
    from .engine_list import EngineList as EngineList
    from .error import Error as Error
    from .flavor_request import FlavorRequest as FlavorRequest
    from .flavor_request import FlavorRequestDict as FlavorRequestDict
    from .host_path_volume import HostPathVolume as HostPathVolume
    from .host_path_volume_request import HostPathVolumeRequest as HostPathVolumeRequest
    from .host_path_volume_request import HostPathVolumeRequestDict as HostPathVolumeRequestDict
    from .list_built_in_algorithms_order import ListBuiltInAlgorithmsOrder as ListBuiltInAlgorithmsOrder
    from .list_built_in_algorithms_sort_by import ListBuiltInAlgorithmsSortBy as ListBuiltInAlgorithmsSortBy
    from .list_job_engines_job_type import ListJobEnginesJobType as ListJobEnginesJobType
    from .list_job_resource_specs_job_type import ListJobResourceSpecsJobType as ListJobResourceSpecsJobType
    from .list_training_job_configs_config_type import (
        ListTrainingJobConfigsConfigType as ListTrainingJobConfigsConfigType,
    )
    from .list_training_job_configs_order import ListTrainingJobConfigsOrder as ListTrainingJobConfigsOrder
    from .list_training_job_configs_sort_by import ListTrainingJobConfigsSortBy as ListTrainingJobConfigsSortBy
    from .list_training_jobs_order import ListTrainingJobsOrder as ListTrainingJobsOrder
    from .list_training_jobs_sort_by import ListTrainingJobsSortBy as ListTrainingJobsSortBy
    from .list_visualization_jobs_order import ListVisualizationJobsOrder as ListVisualizationJobsOrder
    from .list_visualization_jobs_sort_by import ListVisualizationJobsSortBy as ListVisualizationJobsSortBy
    from .log_file_list import LogFileList as LogFileList
    from .log_lines import LogLines as LogLines
    from .metric_attributes import MetricAttributes as MetricAttributes
    from .metric_values import MetricValues as MetricValues
    from .model_metrics import ModelMetrics as ModelMetrics
    from .nfs_volume import NfsVolume as NfsVolume
    from .nfs_volume_request import NfsVolumeRequest as NfsVolumeRequest
    from .nfs_volume_request import NfsVolumeRequestDict as NfsVolumeRequestDict
    from .notification_request import NotificationRequest as NotificationRequest
    from .notification_request import NotificationRequestDict as NotificationRequestDict
    from .parameter import Parameter as Parameter
    from .parameter_request import ParameterRequest as ParameterRequest
    from .parameter_request import ParameterRequestDict as ParameterRequestDict
    from .resource_spec import ResourceSpec as ResourceSpec
    from .resource_spec_list import ResourceSpecList as ResourceSpecList
    from .schedule_request import ScheduleRequest as ScheduleRequest
    from .schedule_request import ScheduleRequestDict as ScheduleRequestDict
    from .schedule_request_time_unit import ScheduleRequestTimeUnit as ScheduleRequestTimeUnit
    from .schedule_request_type import ScheduleRequestType as ScheduleRequestType
    from .show_training_job_config_config_type import ShowTrainingJobConfigConfigType as ShowTrainingJobConfigConfigType
    from .show_training_job_log_order import ShowTrainingJobLogOrder as ShowTrainingJobLogOrder
    from .system_metrics import SystemMetrics as SystemMetrics
    from .total_metric import TotalMetric as TotalMetric
    from .training_config_request import TrainingConfigRequest as TrainingConfigRequest
    from .training_config_request import TrainingConfigRequestDict as TrainingConfigRequestDict
    from .training_job import TrainingJob as TrainingJob
    from .training_job_config import TrainingJobConfig as TrainingJobConfig
    from .training_job_config_list import TrainingJobConfigList as TrainingJobConfigList
    from .training_job_config_summary import TrainingJobConfigSummary as TrainingJobConfigSummary
    from .training_job_list import TrainingJobList as TrainingJobList
    from .training_job_version import TrainingJobVersion as TrainingJobVersion
    from .training_job_version_list import TrainingJobVersionList as TrainingJobVersionList
    from .training_version_config_request import TrainingVersionConfigRequest as TrainingVersionConfigRequest
    from .training_version_config_request import TrainingVersionConfigRequestDict as TrainingVersionConfigRequestDict
    from .update_training_job_config_request import UpdateTrainingJobConfigRequest as UpdateTrainingJobConfigRequest
    from .update_training_job_config_request import (
        UpdateTrainingJobConfigRequestDict as UpdateTrainingJobConfigRequestDict,
    )
    from .update_training_job_request import UpdateTrainingJobRequest as UpdateTrainingJobRequest
    from .update_training_job_request import UpdateTrainingJobRequestDict as UpdateTrainingJobRequestDict
    from .update_visualization_job_request import UpdateVisualizationJobRequest as UpdateVisualizationJobRequest
    from .update_visualization_job_request import UpdateVisualizationJobRequestDict as UpdateVisualizationJobRequestDict
    from .visualization_job import VisualizationJob as VisualizationJob
    from .visualization_job_list import VisualizationJobList as VisualizationJobList
    from .visualization_job_summary import VisualizationJobSummary as VisualizationJobSummary
    from .volume import Volume as Volume
    from .volume_request import VolumeRequest as VolumeRequest
    from .volume_request import VolumeRequestDict as VolumeRequestDict
else:
    _MODULES = {
        "Acknowledgement": "acknowledgement",
        "BuiltInAlgorithm": "built_in_algorithm",
        "BuiltInAlgorithmList": "built_in_algorithm_list",
        "BuiltInAlgorithmParameter": "built_in_algorithm_parameter",
        "ClassMetric": "class_metric",
        "CreateTrainingJobConfigRequest": "create_training_job_config_request",
        "CreateTrainingJobConfigRequestDict": "create_training_job_config_request",
        "CreateTrainingJobRequest": "create_training_job_request",
        "CreateTrainingJobRequestDict": "create_training_job_request",
        "CreateTrainingJobVersionRequest": "create_training_job_version_request",
        "CreateTrainingJobVersionRequestDict": "create_training_job_version_request",
        "CreateVisualizationJobRequest": "create_visualization_job_request",
        "CreateVisualizationJobRequestDict": "create_visualization_job_request",
        "CreatedTrainingJob": "created_training_job",
        "CreatedTrainingJobVersion": "created_training_job_version",
        "CreatedVisualizationJob": "created_visualization_job",
        "DataSource": "data_source",
        "DataSourceRequest": "data_source_request",
        "DataSourceRequestDict": "data_source_request",
        "DataSourceRequestType": "data_source_request_type",
        "Engine": "engine",
        "EngineList": "engine_list",
        "Error": "error",
        "FlavorRequest": "flavor_request",
        "FlavorRequestDict": "flavor_request",
        "HostPathVolume": "host_path_volume",
        "HostPathVolumeRequest": "host_path_volume_request",
        "HostPathVolumeRequestDict": "host_path_volume_request",
        "ListBuiltInAlgorithmsOrder": "list_built_in_algorithms_order",
        "ListBuiltInAlgorithmsSortBy": "list_built_in_algorithms_sort_by",
        "ListJobEnginesJobType": "list_job_engines_job_type",
        "ListJobResourceSpecsJobType": "list_job_resource_specs_job_type",
        "ListTrainingJobConfigsConfigType": "list_training_job_configs_config_type",
        "ListTrainingJobConfigsOrder": "list_training_job_configs_order",
        "ListTrainingJobConfigsSortBy": "list_training_job_configs_sort_by",
        "ListTrainingJobsOrder": "list_training_jobs_order",
        "ListTrainingJobsSortBy": "list_training_jobs_sort_by",
        "ListVisualizationJobsOrder": "list_visualization_jobs_order",
        "ListVisualizationJobsSortBy": "list_visualization_jobs_sort_by",
        "LogFileList": "log_file_list",
        "LogLines": "log_lines",
        "MetricAttributes": "metric_attributes",
        "MetricValues": "metric_values",
        "ModelMetrics": "model_metrics",
        "NfsVolume": "nfs_volume",
        "NfsVolumeRequest": "nfs_volume_request",
        "NfsVolumeRequestDict": "nfs_volume_request",
        "NotificationRequest": "notification_request",
        "NotificationRequestDict": "notification_request",
        "Parameter": "parameter",
        "ParameterRequest": "parameter_request",
        "ParameterRequestDict": "parameter_request",
        "ResourceSpec": "resource_spec",
        "ResourceSpecList": "resource_spec_list",
        "ScheduleRequest": "schedule_request",
        "ScheduleRequestDict": "schedule_request",
        "ScheduleRequestTimeUnit": "schedule_request_time_unit",
        "ScheduleRequestType": "schedule_request_type",
        "ShowTrainingJobConfigConfigType": "show_training_job_config_config_type",
        "ShowTrainingJobLogOrder": "show_training_job_log_order",
        "SystemMetrics": "system_metrics",
        "TotalMetric": "total_metric",
        "TrainingConfigRequest": "training_config_request",
        "TrainingConfigRequestDict": "training_config_request",
        "TrainingJob": "training_job",
        "TrainingJobConfig": "training_job_config",
        "TrainingJobConfigList": "training_job_config_list",
        "TrainingJobConfigSummary": "training_job_config_summary",
        "TrainingJobList": "training_job_list",
        "TrainingJobVersion": "training_job_version",
        "TrainingJobVersionList": "training_job_version_list",
        "TrainingVersionConfigRequest": "training_version_config_request",
        "TrainingVersionConfigRequestDict": "training_version_config_request",
        "UpdateTrainingJobConfigRequest": "update_training_job_config_request",
        "UpdateTrainingJobConfigRequestDict": "update_training_job_config_request",
        "UpdateTrainingJobRequest": "update_training_job_request",
        "UpdateTrainingJobRequestDict": "update_training_job_request",
        "UpdateVisualizationJobRequest": "update_visualization_job_request",
        "UpdateVisualizationJobRequestDict": "update_visualization_job_request",
        "VisualizationJob": "visualization_job",
        "VisualizationJobList": "visualization_job_list",
        "VisualizationJobSummary": "visualization_job_summary",
        "Volume": "volume",
        "VolumeRequest": "volume_request",
        "VolumeRequestDict": "volume_request",
    }

    def __getattr__(name):
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f".{_MODULES[name]}", __name__), name)
        return value


__all__ = [
    "Acknowledgement",
    "BuiltInAlgorithm",
    "BuiltInAlgorithmList",
    "BuiltInAlgorithmParameter",
    "ClassMetric",
    "CreateTrainingJobConfigRequest",
    "CreateTrainingJobConfigRequestDict",
    "CreateTrainingJobRequest",
    "CreateTrainingJobRequestDict",
    "CreateTrainingJobVersionRequest",
    "CreateTrainingJobVersionRequestDict",
    "CreateVisualizationJobRequest",
    "CreateVisualizationJobRequestDict",
    "CreatedTrainingJob",
    "CreatedTrainingJobVersion",
    "CreatedVisualizationJob",
    "DataSource",
    "DataSourceRequest",
    "DataSourceRequestDict",
    "DataSourceRequestType",
    "Engine",
    "EngineList",
    "Error",
    "FlavorRequest",
    "FlavorRequestDict",
    "HostPathVolume",
    "HostPathVolumeRequest",
    "HostPathVolumeRequestDict",
    "ListBuiltInAlgorithmsOrder",
    "ListBuiltInAlgorithmsSortBy",
    "ListJobEnginesJobType",
    "ListJobResourceSpecsJobType",
    "ListTrainingJobConfigsConfigType",
    "ListTrainingJobConfigsOrder",
    "ListTrainingJobConfigsSortBy",
    "ListTrainingJobsOrder",
    "ListTrainingJobsSortBy",
    "ListVisualizationJobsOrder",
    "ListVisualizationJobsSortBy",
    "LogFileList",
    "LogLines",
    "MetricAttributes",
    "MetricValues",
    "ModelMetrics",
    "NfsVolume",
    "NfsVolumeRequest",
    "NfsVolumeRequestDict",
    "NotificationRequest",
    "NotificationRequestDict",
    "Parameter",
    "ParameterRequest",
    "ParameterRequestDict",
    "ResourceSpec",
    "ResourceSpecList",
    "ScheduleRequest",
    "ScheduleRequestDict",
    "ScheduleRequestTimeUnit",
    "ScheduleRequestType",
    "ShowTrainingJobConfigConfigType",
    "ShowTrainingJobLogOrder",
    "SystemMetrics",
    "TotalMetric",
    "TrainingConfigRequest",
    "TrainingConfigRequestDict",
    "TrainingJob",
    "TrainingJobConfig",
    "TrainingJobConfigList",
    "TrainingJobConfigSummary",
    "TrainingJobList",
    "TrainingJobVersion",
    "TrainingJobVersionList",
    "TrainingVersionConfigRequest",
    "TrainingVersionConfigRequestDict",
    "UpdateTrainingJobConfigRequest",
    "UpdateTrainingJobConfigRequestDict",
    "UpdateTrainingJobRequest",
    "UpdateTrainingJobRequestDict",
    "UpdateVisualizationJobRequest",
    "UpdateVisualizationJobRequestDict",
    "VisualizationJob",
    "VisualizationJobList",
    "VisualizationJobSummary",
    "Volume",
    "VolumeRequest",
    "VolumeRequestDict",
]


def __dir__() -> list[str]:
    return __all__
