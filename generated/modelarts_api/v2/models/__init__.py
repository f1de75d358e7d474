# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""The models; each is loaded when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .advanced_config import AdvancedConfig as AdvancedConfig
    from .advanced_config_request import AdvancedConfigRequest as AdvancedConfigRequest
    from .advanced_config_request import AdvancedConfigRequestDict as AdvancedConfigRequestDict
    from .algo_config import AlgoConfig as AlgoConfig
    from .algo_config_param import AlgoConfigParam as AlgoConfigParam
    from .algo_config_param_request import AlgoConfigParamRequest as AlgoConfigParamRequest
    from .algo_config_param_request import AlgoConfigParamRequestDict as AlgoConfigParamRequestDict
    from .algo_config_request import AlgoConfigRequest as AlgoConfigRequest
    from .algo_config_request import AlgoConfigRequestDict as AlgoConfigRequestDict
    from .algorithm import Algorithm as Algorithm
    from .algorithm_engine import AlgorithmEngine as AlgorithmEngine
    from .algorithm_engine_request import AlgorithmEngineRequest as AlgorithmEngineRequest
    from .algorithm_engine_request import AlgorithmEngineRequestDict as AlgorithmEngineRequestDict
    from .algorithm_input import AlgorithmInput as AlgorithmInput
    from .algorithm_input_request import AlgorithmInputRequest as AlgorithmInputRequest
    from .algorithm_input_request import AlgorithmInputRequestDict as AlgorithmInputRequestDict
    from .algorithm_job_config import AlgorithmJobConfig as AlgorithmJobConfig
    from .algorithm_job_config_request import AlgorithmJobConfigRequest as AlgorithmJobConfigRequest
    from .algorithm_job_config_request import AlgorithmJobConfigRequestDict as AlgorithmJobConfigRequestDict
    from .algorithm_job_config_request import AlgorithmJobConfigRequestInput as AlgorithmJobConfigRequestInput
    from .algorithm_list import AlgorithmList as AlgorithmList
    from .algorithm_metadata import AlgorithmMetadata as AlgorithmMetadata
    from .algorithm_metadata_request import AlgorithmMetadataRequest as AlgorithmMetadataRequest
    from .algorithm_metadata_request import AlgorithmMetadataRequestDict as AlgorithmMetadataRequestDict
    from .algorithm_output import AlgorithmOutput as AlgorithmOutput
    from .algorithm_output_request import AlgorithmOutputRequest as AlgorithmOutputRequest
    from .algorithm_output_request import AlgorithmOutputRequestDict as AlgorithmOutputRequestDict
    from .algorithm_remote_constraint import AlgorithmRemoteConstraint as AlgorithmRemoteConstraint
    from .algorithm_remote_constraint_request import (
        AlgorithmRemoteConstraintRequest as AlgorithmRemoteConstraintRequest,
    )
    from .algorithm_remote_constraint_request import (
        AlgorithmRemoteConstraintRequestDict as AlgorithmRemoteConstraintRequestDict,
    )
    from .algorithm_tag import AlgorithmTag as AlgorithmTag
    from .allocated_resources import AllocatedResources as AllocatedResources
    from .artifact_to_publish_request import ArtifactToPublishRequest as ArtifactToPublishRequest
    from .artifact_to_publish_request import ArtifactToPublishRequestDict as ArtifactToPublishRequestDict
    from .artifact_to_publish_request_visibility import (
        ArtifactToPublishRequestVisibility as ArtifactToPublishRequestVisibility,
    )
    from .asset_model import AssetModel as AssetModel
    from .asset_model_request import AssetModelRequest as AssetModelRequest
    from .asset_model_request import AssetModelRequestDict as AssetModelRequestDict
    from .auto_search import AutoSearch as AutoSearch
    from .auto_search_request import AutoSearchRequest as AutoSearchRequest
    from .auto_search_request import AutoSearchRequestDict as AutoSearchRequestDict
    from .auto_stop import AutoStop as AutoStop
    from .auto_stop_request import AutoStopRequest as AutoStopRequest
    from .auto_stop_request import AutoStopRequestDict as AutoStopRequestDict
    from .auto_stop_request_time_unit import AutoStopRequestTimeUnit as AutoStopRequestTimeUnit
    from .available_resource import AvailableResource as AvailableResource
    from .billing import Billing as Billing
    from .change_algorithm_request import ChangeAlgorithmRequest as ChangeAlgorithmRequest
    from .change_algorithm_request import ChangeAlgorithmRequestDict as ChangeAlgorithmRequestDict
    from .change_algorithm_request import ChangeAlgorithmRequestInput as ChangeAlgorithmRequestInput
    from .change_experiment_request import ChangeExperimentRequest as ChangeExperimentRequest
    from .change_experiment_request import ChangeExperimentRequestDict as ChangeExperimentRequestDict
    from .change_quotas_request import ChangeQuotasRequest as ChangeQuotasRequest
    from .change_quotas_request import ChangeQuotasRequestDict as ChangeQuotasRequestDict
    from .change_training_job_description_request import (
        ChangeTrainingJobDescriptionRequest as ChangeTrainingJobDescriptionRequest,
    )
    from .change_training_job_description_request import (
        ChangeTrainingJobDescriptionRequestDict as ChangeTrainingJobDescriptionRequestDict,
    )
    from .changed_experiment import ChangedExperiment as ChangedExperiment
    from .changed_quotas import ChangedQuotas as ChangedQuotas
    from .checkpoint_config import CheckpointConfig as CheckpointConfig
    from .checkpoint_config_request import CheckpointConfigRequest as CheckpointConfigRequest
    from .checkpoint_config_request import CheckpointConfigRequestDict as CheckpointConfigRequestDict
    from .code_tree import CodeTree as CodeTree
    from .continued_from import ContinuedFrom as ContinuedFrom
    from .continued_job import ContinuedJob as ContinuedJob
    from .count_jobs_by_tags_request import CountJobsByTagsRequest as CountJobsByTagsRequest
    from .count_jobs_by_tags_request import CountJobsByTagsRequestDict as CountJobsByTagsRequestDict
    from .count_name_condition_request import CountNameConditionRequest as CountNameConditionRequest
    from .count_name_condition_request import CountNameConditionRequestDict as CountNameConditionRequestDict
    from .count_tag_condition_request import CountTagConditionRequest as CountTagConditionRequest
    from .count_tag_condition_request import CountTagConditionRequestDict as CountTagConditionRequestDict
    from .cpu import Cpu as Cpu
    from .create_algorithm_request import CreateAlgorithmRequest as CreateAlgorithmRequest
    from .create_algorithm_request import CreateAlgorithmRequestDict as CreateAlgorithmRequestDict
    from .create_algorithm_request import CreateAlgorithmRequestInput as CreateAlgorithmRequestInput
    from .create_experiment_request import CreateExperimentRequest as CreateExperimentRequest
    from .create_experiment_request import CreateExperimentRequestDict as CreateExperimentRequestDict
    from .create_training_job_request import CreateTrainingJobRequest as CreateTrainingJobRequest
    from .create_training_job_request import CreateTrainingJobRequestDict as CreateTrainingJobRequestDict
    from .create_training_job_request import CreateTrainingJobRequestInput as CreateTrainingJobRequestInput
    from .create_training_job_request_kind import CreateTrainingJobRequestKind as CreateTrainingJobRequestKind
    from .create_training_job_request_train_type import (
        CreateTrainingJobRequestTrainType as CreateTrainingJobRequestTrainType,
    )
    from .custom_metric import CustomMetric as CustomMetric
    from .custom_metric_request import CustomMetricRequest as CustomMetricRequest
    from .custom_metric_request import CustomMetricRequestDict as CustomMetricRequestDict
    from .customized_flavor import CustomizedFlavor as CustomizedFlavor
    from .customized_flavor_request import CustomizedFlavorRequest as CustomizedFlavorRequest
    from .customized_flavor_request import CustomizedFlavorRequestDict as CustomizedFlavorRequestDict
    from .dataset import Dataset as Dataset
    from .dataset_attribute import DatasetAttribute as DatasetAttribute
    from .dataset_attribute_request import DatasetAttributeRequest as DatasetAttributeRequest
    from .dataset_request import DatasetRequest as DatasetRequest
    from .dataset_request import DatasetRequestDict as DatasetRequestDict
    from .delete_jobs_request import DeleteJobsRequest as DeleteJobsRequest
    from .delete_jobs_request import DeleteJobsRequestDict as DeleteJobsRequestDict
    from .disk import Disk as Disk
    from .early_stopped_trial import EarlyStoppedTrial as EarlyStoppedTrial
    from .engine import Engine as Engine
    from .engine_image import EngineImage as EngineImage
    from .engine_list import EngineList as EngineList
    from .environments import Environments as Environments
    from .environments_request import EnvironmentsRequest as EnvironmentsRequest
    from .error import Error as Error
    from .event import Event as Event
    from .event_category import EventCategory as EventCategory
    from .event_category_list import EventCategoryList as EventCategoryList
    from .event_list import EventList as EventList
    from .experiment import Experiment as Experiment
    from .experiment_list import ExperimentList as ExperimentList
    from .experiment_metadata import ExperimentMetadata as ExperimentMetadata
    from .experiment_metadata_request import ExperimentMetadataRequest as ExperimentMetadataRequest
    from .experiment_metadata_request import ExperimentMetadataRequestDict as ExperimentMetadataRequestDict
    from .experiment_reference import ExperimentReference as ExperimentReference
    from .experiment_reference_request import ExperimentReferenceRequest as ExperimentReferenceRequest
    from .experiment_reference_request import ExperimentReferenceRequestDict as ExperimentReferenceRequestDict
    from .experiment_statistic import ExperimentStatistic as ExperimentStatistic
    from .failure_analysis import FailureAnalysis as FailureAnalysis
    from .failure_analysis_result import FailureAnalysisResult as FailureAnalysisResult
    from .filter_request import FilterRequest as FilterRequest
    from .filter_request import FilterRequestDict as FilterRequestDict
    from .filter_request_operator import FilterRequestOperator as FilterRequestOperator
    from .find_jobs_by_tags_request import FindJobsByTagsRequest as FindJobsByTagsRequest
    from .find_jobs_by_tags_request import FindJobsByTagsRequestDict as FindJobsByTagsRequestDict
    from .fine_tuning_artifact import FineTuningArtifact as FineTuningArtifact
    from .fine_tuning_artifact_list import FineTuningArtifactList as FineTuningArtifactList
    from .fine_tuning_chart import FineTuningChart as FineTuningChart
    from .fine_tuning_config import FineTuningConfig as FineTuningConfig
    from .fine_tuning_config_request import FineTuningConfigRequest as FineTuningConfigRequest
    from .fine_tuning_config_request import FineTuningConfigRequestDict as FineTuningConfigRequestDict
    from .fine_tuning_data import FineTuningData as FineTuningData
    from .fine_tuning_dataset import FineTuningDataset as FineTuningDataset
    from .fine_tuning_detail import FineTuningDetail as FineTuningDetail
    from .fine_tuning_metrics import FineTuningMetrics as FineTuningMetrics
    from .flavor import Flavor as Flavor
    from .flavor_attributes import FlavorAttributes as FlavorAttributes
    from .flavor_detail import FlavorDetail as FlavorDetail
    from .flavor_info import FlavorInfo as FlavorInfo
    from .flavor_list import FlavorList as FlavorList
    from .free_object import FreeObject as FreeObject
    from .gallery_algorithm_request import GalleryAlgorithmRequest as GalleryAlgorithmRequest
    from .gallery_algorithm_request import GalleryAlgorithmRequestDict as GalleryAlgorithmRequestDict
    from .gallery_version import GalleryVersion as GalleryVersion
    from .gallery_version_request import GalleryVersionRequest as GalleryVersionRequest
    from .gallery_version_request import GalleryVersionRequestDict as GalleryVersionRequestDict
    from .gpu import Gpu as Gpu
    from .i18n_description import I18NDescription as I18NDescription
    from .i18n_description_request import I18NDescriptionRequest as I18NDescriptionRequest
    from .i18n_description_request import I18NDescriptionRequestDict as I18NDescriptionRequestDict
    from .input_ import Input as Input
    from .input_remote import InputRemote as InputRemote
    from .input_remote_request import InputRemoteRequest as InputRemoteRequest
    from .input_remote_request import InputRemoteRequestDict as InputRemoteRequestDict
    from .input_request import InputRequest as InputRequest
    from .input_request import InputRequestDict as InputRequestDict
    from .job_algorithm import JobAlgorithm as JobAlgorithm
    from .job_algorithm_request import JobAlgorithmRequest as JobAlgorithmRequest
    from .job_algorithm_request import JobAlgorithmRequestDict as JobAlgorithmRequestDict
    from .job_algorithm_request import JobAlgorithmRequestInput as JobAlgorithmRequestInput
    from .job_annotation_change_request import JobAnnotationChangeRequest as JobAnnotationChangeRequest
    from .job_annotations import JobAnnotations as JobAnnotations
    from .job_annotations_request import JobAnnotationsRequest as JobAnnotationsRequest
    from .job_count import JobCount as JobCount
    from .job_endpoints import JobEndpoints as JobEndpoints
    from .job_endpoints_request import JobEndpointsRequest as JobEndpointsRequest
    from .job_endpoints_request import JobEndpointsRequestDict as JobEndpointsRequestDict
    from .job_engine import JobEngine as JobEngine
    from .job_engine_request import JobEngineRequest as JobEngineRequest
    from .job_engine_request import JobEngineRequestDict as JobEngineRequestDict
    from .job_id_request import JobIdRequest as JobIdRequest
    from .job_id_request import JobIdRequestDict as JobIdRequestDict
    from .job_metadata import JobMetadata as JobMetadata
    from .job_metadata_change_request import JobMetadataChangeRequest as JobMetadataChangeRequest
    from .job_metadata_change_request import JobMetadataChangeRequestDict as JobMetadataChangeRequestDict
    from .job_metadata_request import JobMetadataRequest as JobMetadataRequest
    from .job_metadata_request import JobMetadataRequestDict as JobMetadataRequestDict
    from .job_policies import JobPolicies as JobPolicies
    from .job_policies_request import JobPoliciesRequest as JobPoliciesRequest
    from .job_policies_request import JobPoliciesRequestDict as JobPoliciesRequestDict
    from .job_resource import JobResource as JobResource
    from .job_resource_request import JobResourceRequest as JobResourceRequest
    from .job_resource_request import JobResourceRequestDict as JobResourceRequestDict
    from .job_spec import JobSpec as JobSpec
    from .job_spec_change_request import JobSpecChangeRequest as JobSpecChangeRequest
    from .job_spec_change_request import JobSpecChangeRequestDict as JobSpecChangeRequestDict
    from .job_spec_request import JobSpecRequest as JobSpecRequest
    from .job_spec_request import JobSpecRequestDict as JobSpecRequestDict
    from .job_status import JobStatus as JobStatus
    from .job_tag import JobTag as JobTag
    from .job_tag_list import JobTagList as JobTagList
    from .job_tag_request import JobTagRequest as JobTagRequest
    from .job_tag_request import JobTagRequestDict as JobTagRequestDict
    from .job_tags_request import JobTagsRequest as JobTagsRequest
    from .job_tags_request import JobTagsRequestDict as JobTagsRequestDict
    from .job_to_delete_request import JobToDeleteRequest as JobToDeleteRequest
    from .job_to_delete_request import JobToDeleteRequestDict as JobToDeleteRequestDict
    from .job_to_delete_request_kind import JobToDeleteRequestKind as JobToDeleteRequestKind
    from .list_algorithms_order import ListAlgorithmsOrder as ListAlgorithmsOrder
    from .list_event_categories_flavor_type import ListEventCategoriesFlavorType as ListEventCategoriesFlavorType
    from .list_training_experiments_order import ListTrainingExperimentsOrder as ListTrainingExperimentsOrder
    from .list_training_experiments_sort_by import ListTrainingExperimentsSortBy as ListTrainingExperimentsSortBy
    from .list_training_job_events_level import ListTrainingJobEventsLevel as ListTrainingJobEventsLevel
    from .list_training_jobs_request import ListTrainingJobsRequest as ListTrainingJobsRequest
    from .list_training_jobs_request import ListTrainingJobsRequestDict as ListTrainingJobsRequestDict
    from .list_training_jobs_request_order import ListTrainingJobsRequestOrder as ListTrainingJobsRequestOrder
    from .list_training_jobs_request_train_type import (
        ListTrainingJobsRequestTrainType as ListTrainingJobsRequestTrainType,
    )
    from .log_export_config_request import LogExportConfigRequest as LogExportConfigRequest
    from .log_export_config_request import LogExportConfigRequestDict as LogExportConfigRequestDict
    from .log_export_config_request_version import LogExportConfigRequestVersion as LogExportConfigRequestVersion
    from .log_export_path import LogExportPath as LogExportPath
    from .log_export_path_request import LogExportPathRequest as LogExportPathRequest
    from .log_export_path_request import LogExportPathRequestDict as LogExportPathRequestDict
    from .log_lines import LogLines as LogLines
    from .log_preview import LogPreview as LogPreview
    from .log_url import LogUrl as LogUrl
    from .memory import Memory as Memory
    from .metric import Metric as Metric
    from .metric_command import MetricCommand as MetricCommand
    from .metric_command_request import MetricCommandRequest as MetricCommandRequest
    from .metric_command_request import MetricCommandRequestDict as MetricCommandRequestDict
    from .metric_endpoint import MetricEndpoint as MetricEndpoint
    from .metric_endpoint_request import MetricEndpointRequest as MetricEndpointRequest
    from .metric_endpoint_request import MetricEndpointRequestDict as MetricEndpointRequestDict
    from .metric_list import MetricList as MetricList
    from .name_check import NameCheck as NameCheck
    from .name_condition_request import NameConditionRequest as NameConditionRequest
    from .name_condition_request import NameConditionRequestDict as NameConditionRequestDict
    from .name_condition_request_key import NameConditionRequestKey as NameConditionRequestKey
    from .nfs_volume import NfsVolume as NfsVolume
    from .nfs_volume_request import NfsVolumeRequest as NfsVolumeRequest
    from .nfs_volume_request import NfsVolumeRequestDict as NfsVolumeRequestDict
    from .node_affinity_request import NodeAffinityRequest as NodeAffinityRequest
    from .node_affinity_request import NodeAffinityRequestDict as NodeAffinityRequestDict
    from .node_requirement_request import NodeRequirementRequest as NodeRequirementRequest
    from .node_requirement_request import NodeRequirementRequestDict as NodeRequirementRequestDict
    from .node_requirement_request_operator import NodeRequirementRequestOperator as NodeRequirementRequestOperator
    from .node_term_request import NodeTermRequest as NodeTermRequest
    from .node_term_request import NodeTermRequestDict as NodeTermRequestDict
    from .notification import Notification as Notification
    from .notification_request import NotificationRequest as NotificationRequest
    from .notification_request import NotificationRequestDict as NotificationRequestDict
    from .notification_request_events_item import NotificationRequestEventsItem as NotificationRequestEventsItem
    from .npu import Npu as Npu
    from .obs_location import ObsLocation as ObsLocation
    from .obs_location_request import ObsLocationRequest as ObsLocationRequest
    from .obs_location_request import ObsLocationRequestDict as ObsLocationRequestDict
    from .obs_model import ObsModel as ObsModel
    from .obs_model_request import ObsModelRequest as ObsModelRequest
    from .obs_model_request import ObsModelRequestDict as ObsModelRequestDict
    from .obs_volume import ObsVolume as ObsVolume
    from .obs_volume_request import ObsVolumeRequest as ObsVolumeRequest
    from .obs_volume_request import ObsVolumeRequestDict as ObsVolumeRequestDict
    from .output import Output as Output
    from .output_model import OutputModel as OutputModel
    from .output_model_request import OutputModelRequest as OutputModelRequest
    from .output_model_request import OutputModelRequestDict as OutputModelRequestDict
    from .output_remote import OutputRemote as OutputRemote
    from .output_remote_request import OutputRemoteRequest as OutputRemoteRequest
    from .output_remote_request import OutputRemoteRequestDict as OutputRemoteRequestDict
    from .output_request import OutputRequest as OutputRequest
    from .output_request import OutputRequestDict as OutputRequestDict
    from .parameter import Parameter as Parameter
    from .parameter_analysis import ParameterAnalysis as ParameterAnalysis
    from .parameter_analysis_image import ParameterAnalysisImage as ParameterAnalysisImage
    from .parameter_constraint import ParameterConstraint as ParameterConstraint
    from .parameter_constraint_request import ParameterConstraintRequest as ParameterConstraintRequest
    from .parameter_constraint_request import ParameterConstraintRequestDict as ParameterConstraintRequestDict
    from .parameter_request import ParameterRequest as ParameterRequest
    from .parameter_request import ParameterRequestDict as ParameterRequestDict
    from .parameter_request import ParameterRequestInput as ParameterRequestInput
    from .pfs_volume import PfsVolume as PfsVolume
    from .pfs_volume_request import PfsVolumeRequest as PfsVolumeRequest
    from .pfs_volume_request import PfsVolumeRequestDict as PfsVolumeRequestDict
    from .preferred_affinity_request import PreferredAffinityRequest as PreferredAffinityRequest
    from .preferred_affinity_request import PreferredAffinityRequestDict as PreferredAffinityRequestDict
    from .preferred_nodes_request import PreferredNodesRequest as PreferredNodesRequest
    from .preferred_nodes_request import PreferredNodesRequestDict as PreferredNodesRequestDict
    from .publish_algorithm_request import PublishAlgorithmRequest as PublishAlgorithmRequest
    from .publish_algorithm_request import PublishAlgorithmRequestDict as PublishAlgorithmRequestDict
    from .publish_artifacts_request import PublishArtifactsRequest as PublishArtifactsRequest
    from .publish_artifacts_request import PublishArtifactsRequestDict as PublishArtifactsRequestDict
    from .published_model import PublishedModel as PublishedModel
    from .quota import Quota as Quota
    from .quota_list import QuotaList as QuotaList
    from .quota_request import QuotaRequest as QuotaRequest
    from .quota_request import QuotaRequestDict as QuotaRequestDict
    from .quota_request_resource import QuotaRequestResource as QuotaRequestResource
    from .recover_record import RecoverRecord as RecoverRecord
    from .remote_constraint import RemoteConstraint as RemoteConstraint
    from .remote_constraint_request import RemoteConstraintRequest as RemoteConstraintRequest
    from .remote_constraint_request import RemoteConstraintRequestDict as RemoteConstraintRequestDict
    from .remote_constraint_request_attributes import (
        RemoteConstraintRequestAttributes as RemoteConstraintRequestAttributes,
    )
    from .required_affinity import RequiredAffinity as RequiredAffinity
    from .required_affinity_request import RequiredAffinityRequest as RequiredAffinityRequest
    from .required_affinity_request import RequiredAffinityRequestDict as RequiredAffinityRequestDict
    from .required_affinity_request_affinity_group_level import (
        RequiredAffinityRequestAffinityGroupLevel as RequiredAffinityRequestAffinityGroupLevel,
    )
    from .required_affinity_request_affinity_type import (
        RequiredAffinityRequestAffinityType as RequiredAffinityRequestAffinityType,
    )
    from .required_affinity_request_job_level import RequiredAffinityRequestJobLevel as RequiredAffinityRequestJobLevel
    from .reserved_time_request import ReservedTimeRequest as ReservedTimeRequest
    from .reserved_time_request import ReservedTimeRequestDict as ReservedTimeRequestDict
    from .reserved_time_request_time_unit import ReservedTimeRequestTimeUnit as ReservedTimeRequestTimeUnit
    from .resource_requirement import ResourceRequirement as ResourceRequirement
    from .resource_requirement_request import ResourceRequirementRequest as ResourceRequirementRequest
    from .resource_requirement_request import ResourceRequirementRequestDict as ResourceRequirementRequestDict
    from .resource_requirement_request_key import ResourceRequirementRequestKey as ResourceRequirementRequestKey
    from .retention_request import RetentionRequest as RetentionRequest
    from .retention_request import RetentionRequestDict as RetentionRequestDict
    from .retention_request_policy import RetentionRequestPolicy as RetentionRequestPolicy
    from .reward_attr import RewardAttr as RewardAttr
    from .reward_attr_request import RewardAttrRequest as RewardAttrRequest
    from .reward_attr_request import RewardAttrRequestDict as RewardAttrRequestDict
    from .reward_attr_request_mode import RewardAttrRequestMode as RewardAttrRequestMode
    from .route_plan import RoutePlan as RoutePlan
    from .running_record import RunningRecord as RunningRecord
    from .save_image_request import SaveImageRequest as SaveImageRequest
    from .save_image_request import SaveImageRequestDict as SaveImageRequestDict
    from .saved_image import SavedImage as SavedImage
    from .schedule_change_request import ScheduleChangeRequest as ScheduleChangeRequest
    from .schedule_change_request import ScheduleChangeRequestDict as ScheduleChangeRequestDict
    from .schedule_policy import SchedulePolicy as SchedulePolicy
    from .schedule_policy_request import SchedulePolicyRequest as SchedulePolicyRequest
    from .schedule_policy_request import SchedulePolicyRequestDict as SchedulePolicyRequestDict
    from .search_algorithm import SearchAlgorithm as SearchAlgorithm
    from .search_algorithm_list import SearchAlgorithmList as SearchAlgorithmList
    from .search_param import SearchParam as SearchParam
    from .search_param_request import SearchParamRequest as SearchParamRequest
    from .search_param_request import SearchParamRequestDict as SearchParamRequestDict
    from .search_param_request_param_type import SearchParamRequestParamType as SearchParamRequestParamType
    from .share_info import ShareInfo as ShareInfo
    from .show_obs_url_of_training_job_logs_content_type import (
        ShowObsUrlOfTrainingJobLogsContentType as ShowObsUrlOfTrainingJobLogsContentType,
    )
    from .show_training_job_flavors_flavor_type import (
        ShowTrainingJobFlavorsFlavorType as ShowTrainingJobFlavorsFlavorType,
    )
    from .show_training_job_logs_from_aom_order import (
        ShowTrainingJobLogsFromAomOrder as ShowTrainingJobLogsFromAomOrder,
    )
    from .ssh import Ssh as Ssh
    from .ssh_request import SshRequest as SshRequest
    from .ssh_request import SshRequestDict as SshRequestDict
    from .ssh_task_url import SshTaskUrl as SshTaskUrl
    from .stage import Stage as Stage
    from .stage_list import StageList as StageList
    from .stages_of_run import StagesOfRun as StagesOfRun
    from .stop_training_job_request import StopTrainingJobRequest as StopTrainingJobRequest
    from .stop_training_job_request import StopTrainingJobRequestDict as StopTrainingJobRequestDict
    from .stop_training_job_request_action_type import (
        StopTrainingJobRequestActionType as StopTrainingJobRequestActionType,
    )
    from .sub_stage import SubStage as SubStage
    from .summary import Summary as Summary
    from .summary_data_source import SummaryDataSource as SummaryDataSource
    from .summary_data_source_request import SummaryDataSourceRequest as SummaryDataSourceRequest
    from .summary_data_source_request import SummaryDataSourceRequestDict as SummaryDataSourceRequestDict
    from .summary_job import SummaryJob as SummaryJob
    from .summary_job_request import SummaryJobRequest as SummaryJobRequest
    from .summary_job_request import SummaryJobRequestDict as SummaryJobRequestDict
    from .summary_log_dir import SummaryLogDir as SummaryLogDir
    from .summary_log_dir_request import SummaryLogDirRequest as SummaryLogDirRequest
    from .summary_log_dir_request import SummaryLogDirRequestDict as SummaryLogDirRequestDict
    from .summary_nfs import SummaryNfs as SummaryNfs
    from .summary_nfs_request import SummaryNfsRequest as SummaryNfsRequest
    from .summary_nfs_request import SummaryNfsRequestDict as SummaryNfsRequestDict
    from .summary_pfs import SummaryPfs as SummaryPfs
    from .summary_pfs_request import SummaryPfsRequest as SummaryPfsRequest
    from .summary_pfs_request import SummaryPfsRequestDict as SummaryPfsRequestDict
    from .summary_request import SummaryRequest as SummaryRequest
    from .summary_request import SummaryRequestDict as SummaryRequestDict
    from .summary_request_log_type import SummaryRequestLogType as SummaryRequestLogType
    from .tag import Tag as Tag
    from .tag_condition_request import TagConditionRequest as TagConditionRequest
    from .tag_condition_request import TagConditionRequestDict as TagConditionRequestDict
    from .tag_filter_request import TagFilterRequest as TagFilterRequest
    from .tag_filter_request import TagFilterRequestDict as TagFilterRequestDict
    from .tag_values import TagValues as TagValues
    from .tag_values_list import TagValuesList as TagValuesList
    from .tagged_job import TaggedJob as TaggedJob
    from .tagged_job_list import TaggedJobList as TaggedJobList
    from .task import Task as Task
    from .task_address import TaskAddress as TaskAddress
    from .task_algorithm import TaskAlgorithm as TaskAlgorithm
    from .task_algorithm_request import TaskAlgorithmRequest as TaskAlgorithmRequest
    from .task_algorithm_request import TaskAlgorithmRequestDict as TaskAlgorithmRequestDict
    from .task_algorithm_request import TaskAlgorithmRequestInput as TaskAlgorithmRequestInput
    from .task_engine import TaskEngine as TaskEngine
    from .task_environment import TaskEnvironment as TaskEnvironment
    from .task_environment_request import TaskEnvironmentRequest as TaskEnvironmentRequest
    from .task_environment_request import TaskEnvironmentRequestDict as TaskEnvironmentRequestDict
    from .task_input import TaskInput as TaskInput
    from .task_input_remote import TaskInputRemote as TaskInputRemote
    from .task_input_remote_request import TaskInputRemoteRequest as TaskInputRemoteRequest
    from .task_input_remote_request import TaskInputRemoteRequestDict as TaskInputRemoteRequestDict
    from .task_input_request import TaskInputRequest as TaskInputRequest
    from .task_input_request import TaskInputRequestDict as TaskInputRequestDict
    from .task_job_config_request import TaskJobConfigRequest as TaskJobConfigRequest
    from .task_job_config_request import TaskJobConfigRequestDict as TaskJobConfigRequestDict
    from .task_job_config_request import TaskJobConfigRequestInput as TaskJobConfigRequestInput
    from .task_output import TaskOutput as TaskOutput
    from .task_report_request import TaskReportRequest as TaskReportRequest
    from .task_report_request import TaskReportRequestDict as TaskReportRequestDict
    from .task_request import TaskRequest as TaskRequest
    from .task_request import TaskRequestDict as TaskRequestDict
    from .task_request import TaskRequestInput as TaskRequestInput
    from .task_resource_request import TaskResourceRequest as TaskResourceRequest
    from .task_resource_request import TaskResourceRequestDict as TaskResourceRequestDict
    from .task_status import TaskStatus as TaskStatus
    from .task_variable import TaskVariable as TaskVariable
    from .task_variable_request import TaskVariableRequest as TaskVariableRequest
    from .task_variable_request import TaskVariableRequestDict as TaskVariableRequestDict
    from .training_job import TrainingJob as TrainingJob
    from .training_job_list import TrainingJobList as TrainingJobList
    from .trial_list import TrialList as TrialList
    from .trial_table import TrialTable as TrialTable
    from .volume import Volume as Volume
    from .volume_request import VolumeRequest as VolumeRequest
    from .volume_request import VolumeRequestDict as VolumeRequestDict
    from .web_endpoint import WebEndpoint as WebEndpoint
    from .yaml_template import YamlTemplate as YamlTemplate
    from .yaml_template_content import YamlTemplateContent as YamlTemplateContent
    from .yaml_template_list import YamlTemplateList as YamlTemplateList
else:
    _MODULES = {
        "AdvancedConfig": "advanced_config",
        "AdvancedConfigRequest": "advanced_config_request",
        "AdvancedConfigRequestDict": "advanced_config_request",
        "AlgoConfig": "algo_config",
        "AlgoConfigParam": "algo_config_param",
        "AlgoConfigParamRequest": "algo_config_param_request",
        "AlgoConfigParamRequestDict": "algo_config_param_request",
        "AlgoConfigRequest": "algo_config_request",
        "AlgoConfigRequestDict": "algo_config_request",
        "Algorithm": "algorithm",
        "AlgorithmEngine": "algorithm_engine",
        "AlgorithmEngineRequest": "algorithm_engine_request",
        "AlgorithmEngineRequestDict": "algorithm_engine_request",
        "AlgorithmInput": "algorithm_input",
        "AlgorithmInputRequest": "algorithm_input_request",
        "AlgorithmInputRequestDict": "algorithm_input_request",
        "AlgorithmJobConfig": "algorithm_job_config",
        "AlgorithmJobConfigRequest": "algorithm_job_config_request",
        "AlgorithmJobConfigRequestDict": "algorithm_job_config_request",
        "AlgorithmJobConfigRequestInput": "algorithm_job_config_request",
        "AlgorithmList": "algorithm_list",
        "AlgorithmMetadata": "algorithm_metadata",
        "AlgorithmMetadataRequest": "algorithm_metadata_request",
        "AlgorithmMetadataRequestDict": "algorithm_metadata_request",
        "AlgorithmOutput": "algorithm_output",
        "AlgorithmOutputRequest": "algorithm_output_request",
        "AlgorithmOutputRequestDict": "algorithm_output_request",
        "AlgorithmRemoteConstraint": "algorithm_remote_constraint",
        "AlgorithmRemoteConstraintRequest": "algorithm_remote_constraint_request",
        "AlgorithmRemoteConstraintRequestDict": "algorithm_remote_constraint_request",
        "AlgorithmTag": "algorithm_tag",
        "AllocatedResources": "allocated_resources",
        "ArtifactToPublishRequest": "artifact_to_publish_request",
        "ArtifactToPublishRequestDict": "artifact_to_publish_request",
        "ArtifactToPublishRequestVisibility": "artifact_to_publish_request_visibility",
        "AssetModel": "asset_model",
        "AssetModelRequest": "asset_model_request",
        "AssetModelRequestDict": "asset_model_request",
        "AutoSearch": "auto_search",
        "AutoSearchRequest": "auto_search_request",
        "AutoSearchRequestDict": "auto_search_request",
        "AutoStop": "auto_stop",
        "AutoStopRequest": "auto_stop_request",
        "AutoStopRequestDict": "auto_stop_request",
        "AutoStopRequestTimeUnit": "auto_stop_request_time_unit",
        "AvailableResource": "available_resource",
        "Billing": "billing",
        "ChangeAlgorithmRequest": "change_algorithm_request",
        "ChangeAlgorithmRequestDict": "change_algorithm_request",
        "ChangeAlgorithmRequestInput": "change_algorithm_request",
        "ChangeExperimentRequest": "change_experiment_request",
        "ChangeExperimentRequestDict": "change_experiment_request",
        "ChangeQuotasRequest": "change_quotas_request",
        "ChangeQuotasRequestDict": "change_quotas_request",
        "ChangeTrainingJobDescriptionRequest": "change_training_job_description_request",
        "ChangeTrainingJobDescriptionRequestDict": "change_training_job_description_request",
        "ChangedExperiment": "changed_experiment",
        "ChangedQuotas": "changed_quotas",
        "CheckpointConfig": "checkpoint_config",
        "CheckpointConfigRequest": "checkpoint_config_request",
        "CheckpointConfigRequestDict": "checkpoint_config_request",
        "CodeTree": "code_tree",
        "ContinuedFrom": "continued_from",
        "ContinuedJob": "continued_job",
        "CountJobsByTagsRequest": "count_jobs_by_tags_request",
        "CountJobsByTagsRequestDict": "count_jobs_by_tags_request",
        "CountNameConditionRequest": "count_name_condition_request",
        "CountNameConditionRequestDict": "count_name_condition_request",
        "CountTagConditionRequest": "count_tag_condition_request",
        "CountTagConditionRequestDict": "count_tag_condition_request",
        "Cpu": "cpu",
        "CreateAlgorithmRequest": "create_algorithm_request",
        "CreateAlgorithmRequestDict": "create_algorithm_request",
        "CreateAlgorithmRequestInput": "create_algorithm_request",
        "CreateExperimentRequest": "create_experiment_request",
        "CreateExperimentRequestDict": "create_experiment_request",
        "CreateTrainingJobRequest": "create_training_job_request",
        "CreateTrainingJobRequestDict": "create_training_job_request",
        "CreateTrainingJobRequestInput": "create_training_job_request",
        "CreateTrainingJobRequestKind": "create_training_job_request_kind",
        "CreateTrainingJobRequestTrainType": "create_training_job_request_train_type",
        "CustomMetric": "custom_metric",
        "CustomMetricRequest": "custom_metric_request",
        "CustomMetricRequestDict": "custom_metric_request",
        "CustomizedFlavor": "customized_flavor",
        "CustomizedFlavorRequest": "customized_flavor_request",
        "CustomizedFlavorRequestDict": "customized_flavor_request",
        "Dataset": "dataset",
        "DatasetAttribute": "dataset_attribute",
        "DatasetAttributeRequest": "dataset_attribute_request",
        "DatasetRequest": "dataset_request",
        "DatasetRequestDict": "dataset_request",
        "DeleteJobsRequest": "delete_jobs_request",
        "DeleteJobsRequestDict": "delete_jobs_request",
        "Disk": "disk",
        "EarlyStoppedTrial": "early_stopped_trial",
        "Engine": "engine",
        "EngineImage": "engine_image",
        "EngineList": "engine_list",
        "Environments": "environments",
        "EnvironmentsRequest": "environments_request",
        "Error": "error",
        "Event": "event",
        "EventCategory": "event_category",
        "EventCategoryList": "event_category_list",
        "EventList": "event_list",
        "Experiment": "experiment",
        "ExperimentList": "experiment_list",
        "ExperimentMetadata": "experiment_metadata",
        "ExperimentMetadataRequest": "experiment_metadata_request",
        "ExperimentMetadataRequestDict": "experiment_metadata_request",
        "ExperimentReference": "experiment_reference",
        "ExperimentReferenceRequest": "experiment_reference_request",
        "ExperimentReferenceRequestDict": "experiment_reference_request",
        "ExperimentStatistic": "experiment_statistic",
        "FailureAnalysis": "failure_analysis",
        "FailureAnalysisResult": "failure_analysis_result",
        "FilterRequest": "filter_request",
        "FilterRequestDict": "filter_request",
        "FilterRequestOperator": "filter_request_operator",
        "FindJobsByTagsRequest": "find_jobs_by_tags_request",
        "FindJobsByTagsRequestDict": "find_jobs_by_tags_request",
        "FineTuningArtifact": "fine_tuning_artifact",
        "FineTuningArtifactList": "fine_tuning_artifact_list",
        "FineTuningChart": "fine_tuning_chart",
        "FineTuningConfig": "fine_tuning_config",
        "FineTuningConfigRequest": "fine_tuning_config_request",
        "FineTuningConfigRequestDict": "fine_tuning_config_request",
        "FineTuningData": "fine_tuning_data",
        "FineTuningDataset": "fine_tuning_dataset",
        "FineTuningDetail": "fine_tuning_detail",
        "FineTuningMetrics": "fine_tuning_metrics",
        "Flavor": "flavor",
        "FlavorAttributes": "flavor_attributes",
        "FlavorDetail": "flavor_detail",
        "FlavorInfo": "flavor_info",
        "FlavorList": "flavor_list",
        "FreeObject": "free_object",
        "GalleryAlgorithmRequest": "gallery_algorithm_request",
        "GalleryAlgorithmRequestDict": "gallery_algorithm_request",
        "GalleryVersion": "gallery_version",
        "GalleryVersionRequest": "gallery_version_request",
        "GalleryVersionRequestDict": "gallery_version_request",
        "Gpu": "gpu",
        "I18NDescription": "i18n_description",
        "I18NDescriptionRequest": "i18n_description_request",
        "I18NDescriptionRequestDict": "i18n_description_request",
        "Input": "input_",
        "InputRemote": "input_remote",
        "InputRemoteRequest": "input_remote_request",
        "InputRemoteRequestDict": "input_remote_request",
        "InputRequest": "input_request",
        "InputRequestDict": "input_request",
        "JobAlgorithm": "job_algorithm",
        "JobAlgorithmRequest": "job_algorithm_request",
        "JobAlgorithmRequestDict": "job_algorithm_request",
        "JobAlgorithmRequestInput": "job_algorithm_request",
        "JobAnnotationChangeRequest": "job_annotation_change_request",
        "JobAnnotations": "job_annotations",
        "JobAnnotationsRequest": "job_annotations_request",
        "JobCount": "job_count",
        "JobEndpoints": "job_endpoints",
        "JobEndpointsRequest": "job_endpoints_request",
        "JobEndpointsRequestDict": "job_endpoints_request",
        "JobEngine": "job_engine",
        "JobEngineRequest": "job_engine_request",
        "JobEngineRequestDict": "job_engine_request",
        "JobIdRequest": "job_id_request",
        "JobIdRequestDict": "job_id_request",
        "JobMetadata": "job_metadata",
        "JobMetadataChangeRequest": "job_metadata_change_request",
        "JobMetadataChangeRequestDict": "job_metadata_change_request",
        "JobMetadataRequest": "job_metadata_request",
        "JobMetadataRequestDict": "job_metadata_request",
        "JobPolicies": "job_policies",
        "JobPoliciesRequest": "job_policies_request",
        "JobPoliciesRequestDict": "job_policies_request",
        "JobResource": "job_resource",
        "JobResourceRequest": "job_resource_request",
        "JobResourceRequestDict": "job_resource_request",
        "JobSpec": "job_spec",
        "JobSpecChangeRequest": "job_spec_change_request",
        "JobSpecChangeRequestDict": "job_spec_change_request",
        "JobSpecRequest": "job_spec_request",
        "JobSpecRequestDict": "job_spec_request",
        "JobStatus": "job_status",
        "JobTag": "job_tag",
        "JobTagList": "job_tag_list",
        "JobTagRequest": "job_tag_request",
        "JobTagRequestDict": "job_tag_request",
        "JobTagsRequest": "job_tags_request",
        "JobTagsRequestDict": "job_tags_request",
        "JobToDeleteRequest": "job_to_delete_request",
        "JobToDeleteRequestDict": "job_to_delete_request",
        "JobToDeleteRequestKind": "job_to_delete_request_kind",
        "ListAlgorithmsOrder": "list_algorithms_order",
        "ListEventCategoriesFlavorType": "list_event_categories_flavor_type",
        "ListTrainingExperimentsOrder": "list_training_experiments_order",
        "ListTrainingExperimentsSortBy": "list_training_experiments_sort_by",
        "ListTrainingJobEventsLevel": "list_training_job_events_level",
        "ListTrainingJobsRequest": "list_training_jobs_request",
        "ListTrainingJobsRequestDict": "list_training_jobs_request",
        "ListTrainingJobsRequestOrder": "list_training_jobs_request_order",
        "ListTrainingJobsRequestTrainType": "list_training_jobs_request_train_type",
        "LogExportConfigRequest": "log_export_config_request",
        "LogExportConfigRequestDict": "log_export_config_request",
        "LogExportConfigRequestVersion": "log_export_config_request_version",
        "LogExportPath": "log_export_path",
        "LogExportPathRequest": "log_export_path_request",
        "LogExportPathRequestDict": "log_export_path_request",
        "LogLines": "log_lines",
        "LogPreview": "log_preview",
        "LogUrl": "log_url",
        "Memory": "memory",
        "Metric": "metric",
        "MetricCommand": "metric_command",
        "MetricCommandRequest": "metric_command_request",
        "MetricCommandRequestDict": "metric_command_request",
        "MetricEndpoint": "metric_endpoint",
        "MetricEndpointRequest": "metric_endpoint_request",
        "MetricEndpointRequestDict": "metric_endpoint_request",
        "MetricList": "metric_list",
        "NameCheck": "name_check",
        "NameConditionRequest": "name_condition_request",
        "NameConditionRequestDict": "name_condition_request",
        "NameConditionRequestKey": "name_condition_request_key",
        "NfsVolume": "nfs_volume",
        "NfsVolumeRequest": "nfs_volume_request",
        "NfsVolumeRequestDict": "nfs_volume_request",
        "NodeAffinityRequest": "node_affinity_request",
        "NodeAffinityRequestDict": "node_affinity_request",
        "NodeRequirementRequest": "node_requirement_request",
        "NodeRequirementRequestDict": "node_requirement_request",
        "NodeRequirementRequestOperator": "node_requirement_request_operator",
        "NodeTermRequest": "node_term_request",
        "NodeTermRequestDict": "node_term_request",
        "Notification": "notification",
        "NotificationRequest": "notification_request",
        "NotificationRequestDict": "notification_request",
        "NotificationRequestEventsItem": "notification_request_events_item",
        "Npu": "npu",
        "ObsLocation": "obs_location",
        "ObsLocationRequest": "obs_location_request",
        "ObsLocationRequestDict": "obs_location_request",
        "ObsModel": "obs_model",
        "ObsModelRequest": "obs_model_request",
        "ObsModelRequestDict": "obs_model_request",
        "ObsVolume": "obs_volume",
        "ObsVolumeRequest": "obs_volume_request",
        "ObsVolumeRequestDict": "obs_volume_request",
        "Output": "output",
        "OutputModel": "output_model",
        "OutputModelRequest": "output_model_request",
        "OutputModelRequestDict": "output_model_request",
        "OutputRemote": "output_remote",
        "OutputRemoteRequest": "output_remote_request",
        "OutputRemoteRequestDict": "output_remote_request",
        "OutputRequest": "output_request",
        "OutputRequestDict": "output_request",
        "Parameter": "parameter",
        "ParameterAnalysis": "parameter_analysis",
        "ParameterAnalysisImage": "parameter_analysis_image",
        "ParameterConstraint": "parameter_constraint",
        "ParameterConstraintRequest": "parameter_constraint_request",
        "ParameterConstraintRequestDict": "parameter_constraint_request",
        "ParameterRequest": "parameter_request",
        "ParameterRequestDict": "parameter_request",
        "ParameterRequestInput": "parameter_request",
        "PfsVolume": "pfs_volume",
        "PfsVolumeRequest": "pfs_volume_request",
        "PfsVolumeRequestDict": "pfs_volume_request",
        "PreferredAffinityRequest": "preferred_affinity_request",
        "PreferredAffinityRequestDict": "preferred_affinity_request",
        "PreferredNodesRequest": "preferred_nodes_request",
        "PreferredNodesRequestDict": "preferred_nodes_request",
        "PublishAlgorithmRequest": "publish_algorithm_request",
        "PublishAlgorithmRequestDict": "publish_algorithm_request",
        "PublishArtifactsRequest": "publish_artifacts_request",
        "PublishArtifactsRequestDict": "publish_artifacts_request",
        "PublishedModel": "published_model",
        "Quota": "quota",
        "QuotaList": "quota_list",
        "QuotaRequest": "quota_request",
        "QuotaRequestDict": "quota_request",
        "QuotaRequestResource": "quota_request_resource",
        "RecoverRecord": "recover_record",
        "RemoteConstraint": "remote_constraint",
        "RemoteConstraintRequest": "remote_constraint_request",
        "RemoteConstraintRequestAttributes": "remote_constraint_request_attributes",
        "RemoteConstraintRequestDict": "remote_constraint_request",
        "RequiredAffinity": "required_affinity",
        "RequiredAffinityRequest": "required_affinity_request",
        "RequiredAffinityRequestAffinityGroupLevel": "required_affinity_request_affinity_group_level",
        "RequiredAffinityRequestAffinityType": "required_affinity_request_affinity_type",
        "RequiredAffinityRequestDict": "required_affinity_request",
        "RequiredAffinityRequestJobLevel": "required_affinity_request_job_level",
        "ReservedTimeRequest": "reserved_time_request",
        "ReservedTimeRequestDict": "reserved_time_request",
        "ReservedTimeRequestTimeUnit": "reserved_time_request_time_unit",
        "ResourceRequirement": "resource_requirement",
        "ResourceRequirementRequest": "resource_requirement_request",
        "ResourceRequirementRequestDict": "resource_requirement_request",
        "ResourceRequirementRequestKey": "resource_requirement_request_key",
        "RetentionRequest": "retention_request",
        "RetentionRequestDict": "retention_request",
        "RetentionRequestPolicy": "retention_request_policy",
        "RewardAttr": "reward_attr",
        "RewardAttrRequest": "reward_attr_request",
        "RewardAttrRequestDict": "reward_attr_request",
        "RewardAttrRequestMode": "reward_attr_request_mode",
        "RoutePlan": "route_plan",
        "RunningRecord": "running_record",
        "SaveImageRequest": "save_image_request",
        "SaveImageRequestDict": "save_image_request",
        "SavedImage": "saved_image",
        "ScheduleChangeRequest": "schedule_change_request",
        "ScheduleChangeRequestDict": "schedule_change_request",
        "SchedulePolicy": "schedule_policy",
        "SchedulePolicyRequest": "schedule_policy_request",
        "SchedulePolicyRequestDict": "schedule_policy_request",
        "SearchAlgorithm": "search_algorithm",
        "SearchAlgorithmList": "search_algorithm_list",
        "SearchParam": "search_param",
        "SearchParamRequest": "search_param_request",
        "SearchParamRequestDict": "search_param_request",
        "SearchParamRequestParamType": "search_param_request_param_type",
        "ShareInfo": "share_info",
        "ShowObsUrlOfTrainingJobLogsContentType": "show_obs_url_of_training_job_logs_content_type",
        "ShowTrainingJobFlavorsFlavorType": "show_training_job_flavors_flavor_type",
        "ShowTrainingJobLogsFromAomOrder": "show_training_job_logs_from_aom_order",
        "Ssh": "ssh",
        "SshRequest": "ssh_request",
        "SshRequestDict": "ssh_request",
        "SshTaskUrl": "ssh_task_url",
        "Stage": "stage",
        "StageList": "stage_list",
        "StagesOfRun": "stages_of_run",
        "StopTrainingJobRequest": "stop_training_job_request",
        "StopTrainingJobRequestActionType": "stop_training_job_request_action_type",
        "StopTrainingJobRequestDict": "stop_training_job_request",
        "SubStage": "sub_stage",
        "Summary": "summary",
        "SummaryDataSource": "summary_data_source",
        "SummaryDataSourceRequest": "summary_data_source_request",
        "SummaryDataSourceRequestDict": "summary_data_source_request",
        "SummaryJob": "summary_job",
        "SummaryJobRequest": "summary_job_request",
        "SummaryJobRequestDict": "summary_job_request",
        "SummaryLogDir": "summary_log_dir",
        "SummaryLogDirRequest": "summary_log_dir_request",
        "SummaryLogDirRequestDict": "summary_log_dir_request",
        "SummaryNfs": "summary_nfs",
        "SummaryNfsRequest": "summary_nfs_request",
        "SummaryNfsRequestDict": "summary_nfs_request",
        "SummaryPfs": "summary_pfs",
        "SummaryPfsRequest": "summary_pfs_request",
        "SummaryPfsRequestDict": "summary_pfs_request",
        "SummaryRequest": "summary_request",
        "SummaryRequestDict": "summary_request",
        "SummaryRequestLogType": "summary_request_log_type",
        "Tag": "tag",
        "TagConditionRequest": "tag_condition_request",
        "TagConditionRequestDict": "tag_condition_request",
        "TagFilterRequest": "tag_filter_request",
        "TagFilterRequestDict": "tag_filter_request",
        "TagValues": "tag_values",
        "TagValuesList": "tag_values_list",
        "TaggedJob": "tagged_job",
        "TaggedJobList": "tagged_job_list",
        "Task": "task",
        "TaskAddress": "task_address",
        "TaskAlgorithm": "task_algorithm",
        "TaskAlgorithmRequest": "task_algorithm_request",
        "TaskAlgorithmRequestDict": "task_algorithm_request",
        "TaskAlgorithmRequestInput": "task_algorithm_request",
        "TaskEngine": "task_engine",
        "TaskEnvironment": "task_environment",
        "TaskEnvironmentRequest": "task_environment_request",
        "TaskEnvironmentRequestDict": "task_environment_request",
        "TaskInput": "task_input",
        "TaskInputRemote": "task_input_remote",
        "TaskInputRemoteRequest": "task_input_remote_request",
        "TaskInputRemoteRequestDict": "task_input_remote_request",
        "TaskInputRequest": "task_input_request",
        "TaskInputRequestDict": "task_input_request",
        "TaskJobConfigRequest": "task_job_config_request",
        "TaskJobConfigRequestDict": "task_job_config_request",
        "TaskJobConfigRequestInput": "task_job_config_request",
        "TaskOutput": "task_output",
        "TaskReportRequest": "task_report_request",
        "TaskReportRequestDict": "task_report_request",
        "TaskRequest": "task_request",
        "TaskRequestDict": "task_request",
        "TaskRequestInput": "task_request",
        "TaskResourceRequest": "task_resource_request",
        "TaskResourceRequestDict": "task_resource_request",
        "TaskStatus": "task_status",
        "TaskVariable": "task_variable",
        "TaskVariableRequest": "task_variable_request",
        "TaskVariableRequestDict": "task_variable_request",
        "TrainingJob": "training_job",
        "TrainingJobList": "training_job_list",
        "TrialList": "trial_list",
        "TrialTable": "trial_table",
        "Volume": "volume",
        "VolumeRequest": "volume_request",
        "VolumeRequestDict": "volume_request",
        "WebEndpoint": "web_endpoint",
        "YamlTemplate": "yaml_template",
        "YamlTemplateContent": "yaml_template_content",
        "YamlTemplateList": "yaml_template_list",
    }

    def __getattr__(name):
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f".{_MODULES[name]}", __name__), name)
        return value


__all__ = [
    "AdvancedConfig",
    "AdvancedConfigRequest",
    "AdvancedConfigRequestDict",
    "AlgoConfig",
    "AlgoConfigParam",
    "AlgoConfigParamRequest",
    "AlgoConfigParamRequestDict",
    "AlgoConfigRequest",
    "AlgoConfigRequestDict",
    "Algorithm",
    "AlgorithmEngine",
    "AlgorithmEngineRequest",
    "AlgorithmEngineRequestDict",
    "AlgorithmInput",
    "AlgorithmInputRequest",
    "AlgorithmInputRequestDict",
    "AlgorithmJobConfig",
    "AlgorithmJobConfigRequest",
    "AlgorithmJobConfigRequestDict",
    "AlgorithmJobConfigRequestInput",
    "AlgorithmList",
    "AlgorithmMetadata",
    "AlgorithmMetadataRequest",
    "AlgorithmMetadataRequestDict",
    "AlgorithmOutput",
    "AlgorithmOutputRequest",
    "AlgorithmOutputRequestDict",
    "AlgorithmRemoteConstraint",
    "AlgorithmRemoteConstraintRequest",
    "AlgorithmRemoteConstraintRequestDict",
    "AlgorithmTag",
    "AllocatedResources",
    "ArtifactToPublishRequest",
    "ArtifactToPublishRequestDict",
    "ArtifactToPublishRequestVisibility",
    "AssetModel",
    "AssetModelRequest",
    "AssetModelRequestDict",
    "AutoSearch",
    "AutoSearchRequest",
    "AutoSearchRequestDict",
    "AutoStop",
    "AutoStopRequest",
    "AutoStopRequestDict",
    "AutoStopRequestTimeUnit",
    "AvailableResource",
    "Billing",
    "ChangeAlgorithmRequest",
    "ChangeAlgorithmRequestDict",
    "ChangeAlgorithmRequestInput",
    "ChangeExperimentRequest",
    "ChangeExperimentRequestDict",
    "ChangeQuotasRequest",
    "ChangeQuotasRequestDict",
    "ChangeTrainingJobDescriptionRequest",
    "ChangeTrainingJobDescriptionRequestDict",
    "ChangedExperiment",
    "ChangedQuotas",
    "CheckpointConfig",
    "CheckpointConfigRequest",
    "CheckpointConfigRequestDict",
    "CodeTree",
    "ContinuedFrom",
    "ContinuedJob",
    "CountJobsByTagsRequest",
    "CountJobsByTagsRequestDict",
    "CountNameConditionRequest",
    "CountNameConditionRequestDict",
    "CountTagConditionRequest",
    "CountTagConditionRequestDict",
    "Cpu",
    "CreateAlgorithmRequest",
    "CreateAlgorithmRequestDict",
    "CreateAlgorithmRequestInput",
    "CreateExperimentRequest",
    "CreateExperimentRequestDict",
    "CreateTrainingJobRequest",
    "CreateTrainingJobRequestDict",
    "CreateTrainingJobRequestInput",
    "CreateTrainingJobRequestKind",
    "CreateTrainingJobRequestTrainType",
    "CustomMetric",
    "CustomMetricRequest",
    "CustomMetricRequestDict",
    "CustomizedFlavor",
    "CustomizedFlavorRequest",
    "CustomizedFlavorRequestDict",
    "Dataset",
    "DatasetAttribute",
    "DatasetAttributeRequest",
    "DatasetRequest",
    "DatasetRequestDict",
    "DeleteJobsRequest",
    "DeleteJobsRequestDict",
    "Disk",
    "EarlyStoppedTrial",
    "Engine",
    "EngineImage",
    "EngineList",
    "Environments",
    "EnvironmentsRequest",
    "Error",
    "Event",
    "EventCategory",
    "EventCategoryList",
    "EventList",
    "Experiment",
    "ExperimentList",
    "ExperimentMetadata",
    "ExperimentMetadataRequest",
    "ExperimentMetadataRequestDict",
    "ExperimentReference",
    "ExperimentReferenceRequest",
    "ExperimentReferenceRequestDict",
    "ExperimentStatistic",
    "FailureAnalysis",
    "FailureAnalysisResult",
    "FilterRequest",
    "FilterRequestDict",
    "FilterRequestOperator",
    "FindJobsByTagsRequest",
    "FindJobsByTagsRequestDict",
    "FineTuningArtifact",
    "FineTuningArtifactList",
    "FineTuningChart",
    "FineTuningConfig",
    "FineTuningConfigRequest",
    "FineTuningConfigRequestDict",
    "FineTuningData",
    "FineTuningDataset",
    "FineTuningDetail",
    "FineTuningMetrics",
    "Flavor",
    "FlavorAttributes",
    "FlavorDetail",
    "FlavorInfo",
    "FlavorList",
    "FreeObject",
    "GalleryAlgorithmRequest",
    "GalleryAlgorithmRequestDict",
    "GalleryVersion",
    "GalleryVersionRequest",
    "GalleryVersionRequestDict",
    "Gpu",
    "I18NDescription",
    "I18NDescriptionRequest",
    "I18NDescriptionRequestDict",
    "Input",
    "InputRemote",
    "InputRemoteRequest",
    "InputRemoteRequestDict",
    "InputRequest",
    "InputRequestDict",
    "JobAlgorithm",
    "JobAlgorithmRequest",
    "JobAlgorithmRequestDict",
    "JobAlgorithmRequestInput",
    "JobAnnotationChangeRequest",
    "JobAnnotations",
    "JobAnnotationsRequest",
    "JobCount",
    "JobEndpoints",
    "JobEndpointsRequest",
    "JobEndpointsRequestDict",
    "JobEngine",
    "JobEngineRequest",
    "JobEngineRequestDict",
    "JobIdRequest",
    "JobIdRequestDict",
    "JobMetadata",
    "JobMetadataChangeRequest",
    "JobMetadataChangeRequestDict",
    "JobMetadataRequest",
    "JobMetadataRequestDict",
    "JobPolicies",
    "JobPoliciesRequest",
    "JobPoliciesRequestDict",
    "JobResource",
    "JobResourceRequest",
    "JobResourceRequestDict",
    "JobSpec",
    "JobSpecChangeRequest",
    "JobSpecChangeRequestDict",
    "JobSpecRequest",
    "JobSpecRequestDict",
    "JobStatus",
    "JobTag",
    "JobTagList",
    "JobTagRequest",
    "JobTagRequestDict",
    "JobTagsRequest",
    "JobTagsRequestDict",
    "JobToDeleteRequest",
    "JobToDeleteRequestDict",
    "JobToDeleteRequestKind",
    "ListAlgorithmsOrder",
    "ListEventCategoriesFlavorType",
    "ListTrainingExperimentsOrder",
    "ListTrainingExperimentsSortBy",
    "ListTrainingJobEventsLevel",
    "ListTrainingJobsRequest",
    "ListTrainingJobsRequestDict",
    "ListTrainingJobsRequestOrder",
    "ListTrainingJobsRequestTrainType",
    "LogExportConfigRequest",
    "LogExportConfigRequestDict",
    "LogExportConfigRequestVersion",
    "LogExportPath",
    "LogExportPathRequest",
    "LogExportPathRequestDict",
    "LogLines",
    "LogPreview",
    "LogUrl",
    "Memory",
    "Metric",
    "MetricCommand",
    "MetricCommandRequest",
    "MetricCommandRequestDict",
    "MetricEndpoint",
    "MetricEndpointRequest",
    "MetricEndpointRequestDict",
    "MetricList",
    "NameCheck",
    "NameConditionRequest",
    "NameConditionRequestDict",
    "NameConditionRequestKey",
    "NfsVolume",
    "NfsVolumeRequest",
    "NfsVolumeRequestDict",
    "NodeAffinityRequest",
    "NodeAffinityRequestDict",
    "NodeRequirementRequest",
    "NodeRequirementRequestDict",
    "NodeRequirementRequestOperator",
    "NodeTermRequest",
    "NodeTermRequestDict",
    "Notification",
    "NotificationRequest",
    "NotificationRequestDict",
    "NotificationRequestEventsItem",
    "Npu",
    "ObsLocation",
    "ObsLocationRequest",
    "ObsLocationRequestDict",
    "ObsModel",
    "ObsModelRequest",
    "ObsModelRequestDict",
    "ObsVolume",
    "ObsVolumeRequest",
    "ObsVolumeRequestDict",
    "Output",
    "OutputModel",
    "OutputModelRequest",
    "OutputModelRequestDict",
    "OutputRemote",
    "OutputRemoteRequest",
    "OutputRemoteRequestDict",
    "OutputRequest",
    "OutputRequestDict",
    "Parameter",
    "ParameterAnalysis",
    "ParameterAnalysisImage",
    "ParameterConstraint",
    "ParameterConstraintRequest",
    "ParameterConstraintRequestDict",
    "ParameterRequest",
    "ParameterRequestDict",
    "ParameterRequestInput",
    "PfsVolume",
    "PfsVolumeRequest",
    "PfsVolumeRequestDict",
    "PreferredAffinityRequest",
    "PreferredAffinityRequestDict",
    "PreferredNodesRequest",
    "PreferredNodesRequestDict",
    "PublishAlgorithmRequest",
    "PublishAlgorithmRequestDict",
    "PublishArtifactsRequest",
    "PublishArtifactsRequestDict",
    "PublishedModel",
    "Quota",
    "QuotaList",
    "QuotaRequest",
    "QuotaRequestDict",
    "QuotaRequestResource",
    "RecoverRecord",
    "RemoteConstraint",
    "RemoteConstraintRequest",
    "RemoteConstraintRequestAttributes",
    "RemoteConstraintRequestDict",
    "RequiredAffinity",
    "RequiredAffinityRequest",
    "RequiredAffinityRequestAffinityGroupLevel",
    "RequiredAffinityRequestAffinityType",
    "RequiredAffinityRequestDict",
    "RequiredAffinityRequestJobLevel",
    "ReservedTimeRequest",
    "ReservedTimeRequestDict",
    "ReservedTimeRequestTimeUnit",
    "ResourceRequirement",
    "ResourceRequirementRequest",
    "ResourceRequirementRequestDict",
    "ResourceRequirementRequestKey",
    "RetentionRequest",
    "RetentionRequestDict",
    "RetentionRequestPolicy",
    "RewardAttr",
    "RewardAttrRequest",
    "RewardAttrRequestDict",
    "RewardAttrRequestMode",
    "RoutePlan",
    "RunningRecord",
    "SaveImageRequest",
    "SaveImageRequestDict",
    "SavedImage",
    "ScheduleChangeRequest",
    "ScheduleChangeRequestDict",
    "SchedulePolicy",
    "SchedulePolicyRequest",
    "SchedulePolicyRequestDict",
    "SearchAlgorithm",
    "SearchAlgorithmList",
    "SearchParam",
    "SearchParamRequest",
    "SearchParamRequestDict",
    "SearchParamRequestParamType",
    "ShareInfo",
    "ShowObsUrlOfTrainingJobLogsContentType",
    "ShowTrainingJobFlavorsFlavorType",
    "ShowTrainingJobLogsFromAomOrder",
    "Ssh",
    "SshRequest",
    "SshRequestDict",
    "SshTaskUrl",
    "Stage",
    "StageList",
    "StagesOfRun",
    "StopTrainingJobRequest",
    "StopTrainingJobRequestActionType",
    "StopTrainingJobRequestDict",
    "SubStage",
    "Summary",
    "SummaryDataSource",
    "SummaryDataSourceRequest",
    "SummaryDataSourceRequestDict",
    "SummaryJob",
    "SummaryJobRequest",
    "SummaryJobRequestDict",
    "SummaryLogDir",
    "SummaryLogDirRequest",
    "SummaryLogDirRequestDict",
    "SummaryNfs",
    "SummaryNfsRequest",
    "SummaryNfsRequestDict",
    "SummaryPfs",
    "SummaryPfsRequest",
    "SummaryPfsRequestDict",
    "SummaryRequest",
    "SummaryRequestDict",
    "SummaryRequestLogType",
    "Tag",
    "TagConditionRequest",
    "TagConditionRequestDict",
    "TagFilterRequest",
    "TagFilterRequestDict",
    "TagValues",
    "TagValuesList",
    "TaggedJob",
    "TaggedJobList",
    "Task",
    "TaskAddress",
    "TaskAlgorithm",
    "TaskAlgorithmRequest",
    "TaskAlgorithmRequestDict",
    "TaskAlgorithmRequestInput",
    "TaskEngine",
    "TaskEnvironment",
    "TaskEnvironmentRequest",
    "TaskEnvironmentRequestDict",
    "TaskInput",
    "TaskInputRemote",
    "TaskInputRemoteRequest",
    "TaskInputRemoteRequestDict",
    "TaskInputRequest",
    "TaskInputRequestDict",
    "TaskJobConfigRequest",
    "TaskJobConfigRequestDict",
    "TaskJobConfigRequestInput",
    "TaskOutput",
    "TaskReportRequest",
    "TaskReportRequestDict",
    "TaskRequest",
    "TaskRequestDict",
    "TaskRequestInput",
    "TaskResourceRequest",
    "TaskResourceRequestDict",
    "TaskStatus",
    "TaskVariable",
    "TaskVariableRequest",
    "TaskVariableRequestDict",
    "TrainingJob",
    "TrainingJobList",
    "TrialList",
    "TrialTable",
    "Volume",
    "VolumeRequest",
    "VolumeRequestDict",
    "WebEndpoint",
    "YamlTemplate",
    "YamlTemplateContent",
    "YamlTemplateList",
]


def __dir__() -> list[str]:
    return __all__
