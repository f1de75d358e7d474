# Generated from openapi by scripts/generate.py; do not edit.
"""The codes of the service: statuses, texts, meanings, and what callers can do about them.

They are those that the documents name, and a few that programs meet beside them; the service has others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class ErrorCode(NamedTuple):
    """What is known of a code; empty where nothing is."""

    statuses: tuple[int, ...]
    meaning: str
    text: str = ""
    exception: str = ""
    remedy: str = ""

    @property
    def status(self) -> int:
        """The HTTP status that comes with the code; the first where the page has several."""
        return self.statuses[0]


ERROR_CODES: Final[Mapping[str, ErrorCode]] = {
    "APIG.0101": ErrorCode((404,), "The gateway knows no API with this method and path."),
    "APIG.0201": ErrorCode(
        (413,), "The request body is larger than the gateway accepts.", remedy="Send a smaller request body."
    ),
    "APIG.0301": ErrorCode(
        (401,),
        "The gateway could not authenticate the request.",
        remedy="Check the access key, the secret key and the clock, and how the request is signed.",
    ),
    "ModelArts.0101": ErrorCode((400,), "A parameter is not valid.", text="Invalid Argument."),
    "ModelArts.0102": ErrorCode(
        (400,),
        "The workspace does not exist.",
        text="The workspace does not exist.",
        remedy='Use workspace "0", or one that exists.',
    ),
    "ModelArts.0103": ErrorCode((400,), "The name is already in use.", exception="Conflict"),
    "ModelArts.0104": ErrorCode((400,), "A parameter is wrong.", text="Parameter error."),
    "ModelArts.0105": ErrorCode((400,), "The operation failed.", exception="Conflict"),
    "ModelArts.0107": ErrorCode(
        (400,),
        "The values of parameters are not valid.",
        text="The values of the request parameters ({0},{1}) are invalid.",
    ),
    "ModelArts.0108": ErrorCode(
        (403,),
        "The user has no permission for this operation.",
        text="You are not authorized to perform the ({0}) operation.",
        exception="Forbidden",
    ),
    "ModelArts.0109": ErrorCode((500,), "The account is not authorized.", text="Unauthorized account."),
    "ModelArts.0112": ErrorCode(
        (401, 403),
        "The role of the user does not permit the operation.",
        text="Failed to execute the policy.",
        exception="Forbidden",
    ),
    "ModelArts.0118": ErrorCode((400,), "The quota would be exceeded.", text="QuotaInsufficient"),
    "ModelArts.0201": ErrorCode(
        (401,),
        "The request has no token.",
        text="Token doesn't exist.",
        exception="Unauthorized",
        remedy="Send a token in the X-Auth-Token header: POST /v3/auth/tokens issues one.",
    ),
    "ModelArts.0202": ErrorCode(
        (401,),
        "The token has expired.",
        text="Invalid token header because the token has expired.",
        exception="Unauthorized",
        remedy="Get a new token with POST /v3/auth/tokens.",
    ),
    "ModelArts.0203": ErrorCode(
        (401, 403),
        "The token cannot be read.",
        text="Invalid token.",
        exception="Unauthorized",
        remedy="Get a token from this IAM endpoint with POST /v3/auth/tokens.",
    ),
    "ModelArts.0204": ErrorCode(
        (400, 401), "The token has no project id.", text="Token must contain projectId info.", exception="Unauthorized"
    ),
    "ModelArts.0205": ErrorCode(
        (401,),
        "The request has no Authorization header.",
        text="No authorization request header.",
        exception="Unauthorized",
    ),
    "ModelArts.0206": ErrorCode(
        (401, 403),
        "The Authorization header has the wrong form.",
        text="Incorrect authorization request header format.",
        exception="Unauthorized",
        remedy="Sign the request as the message says, or send a token in the X-Auth-Token header.",
    ),
    "ModelArts.0207": ErrorCode(
        (401,),
        "The token has no project of this region.",
        text="Token must contain project info of current region.",
        exception="Unauthorized",
    ),
    "ModelArts.0210": ErrorCode((400, 401, 403), "The project id is not valid.", text="Invalid project ID."),
    "ModelArts.0212": ErrorCode(
        (401,),
        "The token is not for a project.",
        text="Invalid token header because the token does not contain a project.",
        exception="Unauthorized",
        remedy="Log in with a project as the scope of the token.",
    ),
    "ModelArts.0428": ErrorCode((400, 401), "The agency could not be updated.", text="Failed to update agency."),
    "ModelArts.2750": ErrorCode(
        (400,), "An evaluation job of this name exists.", text="DuplicateEvalJobName", exception="Conflict"
    ),
    "ModelArts.2751": ErrorCode(
        (400,),
        "A training job of this name exists.",
        text="DuplicateTrainingJobName",
        exception="Conflict",
        remedy="Choose another job name.",
    ),
    "ModelArts.2752": ErrorCode(
        (400,),
        "An algorithm of this name and version exists.",
        text="DuplicateAiAlgorithmNameAndVersion",
        exception="Conflict",
    ),
    "ModelArts.2753": ErrorCode(
        (400,),
        "The input or output channels are not what the algorithm declares.",
        text="InputsOutputsMessageError",
        remedy="Correct the channel that the message names, or what the algorithm declares.",
    ),
    "ModelArts.2754": ErrorCode(
        (400,),
        "Only one output channel may be hosted by ModelArts.",
        text="ModelartsHostedNumError",
        remedy="Give every output an OBS path.",
    ),
    "ModelArts.2755": ErrorCode(
        (400,),
        "The algorithm does not exist.",
        text="AiAlgorithmNotFound",
        exception="NotFound",
        remedy="Check the algorithm id: POST /v2/{project_id}/algorithms returns it as metadata.id.",
    ),
    "ModelArts.2756": ErrorCode((400,), "A subscribed algorithm has this name.", text="HasSameNameWithMarketAlgorithm"),
    "ModelArts.2757": ErrorCode(
        (400,),
        "The path of the code directory is wrong.",
        text="CodeDirError",
        remedy="Upload the code first, or correct code_dir.",
    ),
    "ModelArts.2758": ErrorCode(
        (400,),
        "The path of the boot file is wrong.",
        text="BootFileDirError",
        remedy="Upload the boot file into the code directory, or correct boot_file.",
    ),
    "ModelArts.2759": ErrorCode(
        (400,),
        "The code directory has too many files.",
        text="TooManyCodeFiles",
        remedy="Move what the code does not need out of the code directory.",
    ),
    "ModelArts.2760": ErrorCode(
        (400,),
        "The code directory has too many levels.",
        text="CodeFolderTooDeep",
        remedy="Flatten the code directory.",
    ),
    "ModelArts.2761": ErrorCode(
        (400,),
        "The code directory is too large.",
        text="CodeFilesSizeToolarge",
        remedy="Move data out of the code directory and read it through an input channel.",
    ),
    "ModelArts.2763": ErrorCode(
        (400,),
        "The flavor is not valid for this job.",
        text="DoNotHaveFlavor",
        remedy="Choose a flavor that fits: GET /v2/{project_id}/training-job-flavors lists them.",
    ),
    "ModelArts.2764": ErrorCode(
        (400,), "A query parameter is not valid.", text="QueryParamsError", remedy="Check the query parameters."
    ),
    "ModelArts.2765": ErrorCode(
        (400,),
        "A hyperparameter is not one of its allowed values.",
        text="StringParameterError",
        remedy="Choose one of the values that the hyperparameter allows.",
    ),
    "ModelArts.2766": ErrorCode(
        (400,),
        "A hyperparameter has neither a value nor a default.",
        text="DoNotHaveDefaultValue",
        remedy="Give the hyperparameter a value.",
    ),
    "ModelArts.2767": ErrorCode(
        (400,), "A hyperparameter is given twice.", text="ParameterKeyRepeat", remedy="Give every hyperparameter once."
    ),
    "ModelArts.2768": ErrorCode(
        (400,),
        "The default of a hyperparameter has the wrong type.",
        text="DefaultValueTypeError",
        remedy="Make the default value fit the type in the constraint.",
    ),
    "ModelArts.2769": ErrorCode(
        (400,),
        "The default of a hyperparameter is out of its range.",
        text="DefaultValueIsNotInRange",
        remedy="Make the default value fit the range in the constraint.",
    ),
    "ModelArts.2770": ErrorCode(
        (400,),
        "The value of a hyperparameter is out of its range.",
        text="RangeError",
        remedy="Choose a value within the range of the hyperparameter.",
    ),
    "ModelArts.2771": ErrorCode((400,), "The user may not change this.", text="NotHavePermission"),
    "ModelArts.2772": ErrorCode(
        (400,),
        "The algorithm was not created; its code directory and boot file have to be chosen again.",
        text="OriginalAlgorithmCodeInfoError",
    ),
    "ModelArts.2773": ErrorCode(
        (400,),
        "An object in OBS could not be read, or the code directory of an algorithm is missing.",
        text="GetObsObjectContentError",
    ),
    "ModelArts.2774": ErrorCode((400,), "The parameters could not be parsed.", text="ParseParameterError"),
    "ModelArts.2775": ErrorCode(
        (400,),
        "The training job does not exist.",
        text="TrainingJobNotFound",
        exception="NotFound",
        remedy="Check the job id: POST /v2/{project_id}/training-jobs returns it as metadata.id.",
    ),
    "ModelArts.2776": ErrorCode((204,), "The log is not available yet.", text="NotReadyToFetchLog"),
    "ModelArts.2777": ErrorCode((204,), "The metrics are not available yet.", text="NotReadyToFetchMetric"),
    "ModelArts.2780": ErrorCode(
        (400,),
        "The engine does not exist.",
        text="EngineNotFound",
        exception="NotFound",
        remedy="Choose an engine that exists: GET /v2/{project_id}/training-job-engines lists them.",
    ),
    "ModelArts.2781": ErrorCode(
        (400,),
        "The flavor does not exist.",
        text="FlavorNotFound",
        exception="NotFound",
        remedy="Choose a flavor that exists: GET /v2/{project_id}/training-job-flavors lists them.",
    ),
    "ModelArts.2782": ErrorCode(
        (400,), "The version of the dataset does not exist.", text="DatasetVersionNotFound", exception="NotFound"
    ),
    "ModelArts.2783": ErrorCode(
        (400,),
        "The dataset does not exist.",
        text="DatasetNotFound",
        exception="NotFound",
        remedy="Read the data from OBS: give remote.obs.obs_url.",
    ),
    "ModelArts.2784": ErrorCode((403,), "The token is not valid.", text="InvalidToken", exception="Unauthorized"),
    "ModelArts.2785": ErrorCode(
        (403,),
        "ModelArts is not authorized for the account (no agency).",
        text="AuthorizationNotFound",
        exception="Forbidden",
    ),
    "ModelArts.2786": ErrorCode(
        (404,),
        "The project in the path is not that of the token.",
        text="TokenProjectIDNotMatch",
        remedy="Use the project id that the token was issued for.",
    ),
    "ModelArts.2787": ErrorCode(
        (400,), "The body is not valid JSON.", text="InvalidJsonBody", remedy="Send a JSON object in UTF-8."
    ),
    "ModelArts.2788": ErrorCode(
        (400,),
        "A parameter of the request is not valid.",
        text="InvalidParam",
        remedy="Correct the parameter that the message names.",
    ),
    "ModelArts.2789": ErrorCode((400,), "This field cannot be filtered by.", text="UnsupportedFilterBy"),
    "ModelArts.2790": ErrorCode(
        (400,),
        "This field cannot be sorted by.",
        text="UnsupportedSortBy",
        remedy="Sort by one of the members that the message names.",
    ),
    "ModelArts.2791": ErrorCode(
        (400,),
        "An OBS path is not valid.",
        text="InvalidObsPath",
        remedy="Create the bucket or upload the object first, or correct the path.",
    ),
    "ModelArts.2792": ErrorCode(
        (400,),
        "The boot file is not in the code directory.",
        text="BootFileNotBelongToPackage",
        remedy="Put the boot file below the code directory.",
    ),
    "ModelArts.2793": ErrorCode(
        (400,),
        "More nodes than the flavor allows.",
        text="FlavorOutOfRange",
        remedy="Ask for fewer nodes, or choose another flavor.",
    ),
    "ModelArts.2796": ErrorCode(
        (409,),
        "The job cannot be stopped in its phase.",
        text="NotAllowedToTerminate",
        exception="Conflict",
        remedy="Only a job that is creating, pending or running can be stopped.",
    ),
    "ModelArts.2799": ErrorCode(
        (429,), "Too many requests; try again later.", text="TooManyRequests", exception="TooManyRequests"
    ),
    "ModelArts.2802": ErrorCode(
        (400,),
        "The path of the code directory is not valid.",
        text="InvalidCodeDir",
        remedy="Name a directory: end code_dir with a slash.",
    ),
    "ModelArts.2803": ErrorCode(
        (405,),
        "The path does not support this method.",
        text="MethodNotAllowed",
        remedy="Use a method that the Allow header names.",
    ),
    "ModelArts.2806": ErrorCode(
        (400,),
        "A job with a custom image needs both its image and its command.",
        text="MustHaveCmdAndImage",
        remedy="Give both algorithm.engine.image_url and algorithm.command.",
    ),
    "ModelArts.2807": ErrorCode(
        (400,),
        "The key of a condition is not supported.",
        text="UnsupportedConditionKey",
        remedy="Filter by one of the keys that the message names.",
    ),
    "ModelArts.2808": ErrorCode(
        (400,),
        "The operator of a condition is not supported.",
        text="UnsupportedConditionOperator",
        remedy="Use an operator that the message names.",
    ),
    "ModelArts.2809": ErrorCode(
        (400,),
        "The value of a condition is not supported.",
        text="UnsupportedConditionValue",
        remedy="Correct the value of the filter.",
    ),
    "ModelArts.2810": ErrorCode((400,), "The custom image could not be queried.", text="SWRQueryImageInfoError"),
    "ModelArts.2811": ErrorCode((400,), "The custom image could not be shared.", text="SWRCreateShareError"),
    "ModelArts.2812": ErrorCode(
        (400,),
        "The type of the action is not supported.",
        text="UnsupportedActionType",
        remedy='Send {"action_type": "terminate"}, or "restart".',
    ),
    "ModelArts.2813": ErrorCode(
        (409,),
        "The job cannot be restarted in its phase.",
        text="NotAllowedToRestart",
        exception="Conflict",
        remedy="Restart the job when it has ended, or stop it first.",
    ),
    "ModelArts.2814": ErrorCode(
        (400,),
        "The settings of the job contradict those of its algorithm.",
        text="AlgorithmNotMatch",
        remedy="Give only what the algorithm leaves open, or change the algorithm.",
    ),
    "ModelArts.2815": ErrorCode(
        (400,),
        "The quota of a resource is used up.",
        text="ExceedQuotaLimit",
        remedy="Delete jobs that are not needed any more.",
    ),
    "ModelArts.2816": ErrorCode((400,), "A parameter is above its limit.", text="ParamRangeError"),
    "ModelArts.2818": ErrorCode(
        (400,), "The log file has not been written.", text="LogFileNotGenerated", remedy="Ask again once the job runs."
    ),
    "ModelArts.2819": ErrorCode(
        (400,),
        "The log file has been deleted.",
        text="LogFileHasCleared",
        remedy="Give spec.log_export_path when creating a job whose log is to stay.",
    ),
    "ModelArts.2820": ErrorCode((400,), "The path of the log does not exist.", text="LogPathNotFound"),
    "ModelArts.2821": ErrorCode(
        (400,),
        "An algorithm of this name exists.",
        text="DuplicateAlgorithmName",
        exception="Conflict",
        remedy="Choose another algorithm name.",
    ),
    "ModelArts.2822": ErrorCode((400,), "The job has no path to export its log to.", text="LogExportPathNotSet"),
    "ModelArts.2824": ErrorCode(
        (400,),
        "A metric of the search is given twice.",
        text="SearchIndicatorsError",
        remedy="Name every metric once in reward_attrs.",
    ),
    "ModelArts.2825": ErrorCode(
        (400,),
        "A parameter has the wrong type.",
        text="ParamTypeError",
        remedy="Make the value fit the type of the hyperparameter.",
    ),
    "ModelArts.2826": ErrorCode(
        (400,),
        "The parameters of the search are wrong.",
        text="SearchParamsError",
        remedy="Correct what the message names in auto_search.",
    ),
    "ModelArts.2830": ErrorCode((400,), "A job with a custom image needs an engine id.", text="MustHaveEngineId"),
    "ModelArts.2832": ErrorCode((400,), "The version of the engine is no longer offered.", text="EngineNeedUpgrade"),
    "ModelArts.2833": ErrorCode(
        (400,), "The user has as many jobs of the free flavor as allowed.", text="ExceedeFreeFlavorQuota"
    ),
    "ModelArts.2834": ErrorCode((400,), "The type of the data is not supported.", text="UnsupportedRemoteDataType"),
    "ModelArts.2836": ErrorCode((404,), "The path does not exist.", text="PathNotFound", exception="NotFound"),
    "ModelArts.2837": ErrorCode((400,), "The account is restricted or frozen.", text="FrozenAccount"),
    "ModelArts.2840": ErrorCode(
        (400,),
        "The flavor does not support the engine or the resource policy.",
        text="UnsupportedFlavor",
        remedy="Choose a flavor of the other type, or another engine.",
    ),
    "ModelArts.2841": ErrorCode(
        (400,),
        "An experiment of this name exists.",
        text="DuplicateTrainingExperimentName",
        exception="Conflict",
        remedy="Choose another experiment name.",
    ),
    "ModelArts.2842": ErrorCode(
        (400,),
        "The experiment does not exist.",
        text="TrainingExperimentNotFound",
        exception="NotFound",
        remedy="Check the experiment id: GET /v2/{project_id}/training-experiments returns it as metadata.id.",
    ),
    "ModelArts.2845": ErrorCode((400,), "The custom image is too large.", text="ImageSizeExceeded"),
    "ModelArts.2854": ErrorCode(
        (400,),
        "The remote type of a channel is not supported.",
        text="UnsupportedRemoteType",
        remedy="Read the data from OBS: give remote.obs.obs_url.",
    ),
    "ModelArts.2855": ErrorCode((400,), "The user id is too low for the public pool.", text="RunUserDeny"),
    "ModelArts.2857": ErrorCode(
        (400,),
        "The directory `local_code_dir` is not valid.",
        text="InvalidLocalCodeDir",
        remedy="Give a directory below /home.",
    ),
    "ModelArts.2858": ErrorCode(
        (400,), "The operation is not supported here.", text="UnsupportedOperation", remedy="Leave the parameter out."
    ),
    "ModelArts.2859": ErrorCode(
        (400,),
        "The directory `working_dir` is not valid.",
        text="InvalidWorkingDir",
        remedy="Give an absolute directory without '..'.",
    ),
    "ModelArts.2878": ErrorCode(
        (409,), "The status of the job changed meanwhile.", text="JobStatusChanged", exception="Conflict"
    ),
    "ModelArts.2883": ErrorCode(
        (400,),
        "The job is not running, so no image of its task can be saved.",
        text="training job secondary_phase is not running",
        exception="Conflict",
        remedy="Save the image while the secondary phase of the job is Running.",
    ),
    "ModelArts.2885": ErrorCode(
        (400,),
        "The service cannot use the image registry for this user.",
        text="the access of user swr is exception",
        remedy="Give ModelArts the right to the image registry (SWR), and name an organisation that exists.",
    ),
    "ModelArts.2886": ErrorCode((400,), "The resource pool is not for training.", text="NotTrainingPool"),
    "ModelArts.2887": ErrorCode((400,), "The resource pool is not running.", text="PoolNotRunning"),
    "ModelArts.2889": ErrorCode((400,), "The resource pool could not be read.", text="GetOsPoolFailed"),
    "ModelArts.2890": ErrorCode(
        (404,),
        "The resource pool does not exist.",
        text="PoolNotFound",
        exception="NotFound",
        remedy="Leave pool_id out and choose a public flavor.",
    ),
    "ModelArts.2950": ErrorCode(
        (500,),
        "Unknown error of the service.",
        text="Unknown",
        remedy="Try again later, and report it with the request id if it stays.",
    ),
    "ModelArts.2951": ErrorCode((500,), "The dataset service failed.", text="DatasetService"),
    "ModelArts.2952": ErrorCode((500,), "The database of the service failed.", text="ExtServiceDB"),
    "ModelArts.2953": ErrorCode((500,), "The identity service failed.", text="ExtServiceIAM"),
    "ModelArts.2954": ErrorCode((500,), "The workspace service failed.", text="ExtServiceWorkspace"),
    "ModelArts.2955": ErrorCode((500,), "The log service (AOM) failed.", text="ExtServiceAOM"),
    "ModelArts.2956": ErrorCode((500,), "The service AIG failed.", text="ExtServiceAIG"),
    "ModelArts.2957": ErrorCode((500,), "The notification service (SMN) failed.", text="ExtServiceSMN"),
    "ModelArts.2958": ErrorCode((500,), "Object storage (OBS) failed.", text="ExtServiceOBS"),
    "ModelArts.2959": ErrorCode((500,), "The service MAOS failed.", text="ExtServiceMAOS"),
    "ModelArts.50004000": ErrorCode(
        (400,),
        "The request is malformed.",
        remedy="Give start_time and end_time in milliseconds since 1970, both or neither.",
    ),
}
"""By code, such as `ModelArts.2775`."""
