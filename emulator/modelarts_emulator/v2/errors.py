"""Errors of ModelArts v2: its codes, and the body that it sends with them.

`ERROR_CATALOGUE` holds, for every code in use, the HTTP status that the service documents for it (page "Error Codes")
and what the caller can do about it; the fact itself is worded where the error is raised.
"""

from __future__ import annotations

from typing import Final

from modelarts_emulator.http.call import Response
from modelarts_emulator.http.errors import Problem, ServiceError

__all__ = ["ERROR_CATALOGUE", "V2Errors"]

# Two codes are documented with several statuses; the one that fits a token in a header was taken
# (ModelArts.0203: 401 or 403; ModelArts.0210: 400, 401 or 403).
ERROR_CATALOGUE: Final[dict[str, tuple[int, str]]] = {
    "APIG.0201": (413, "Send a smaller request body."),
    "APIG.0301": (401, "Check the access key, the secret key and the clock, and how the request is signed."),
    "ModelArts.0102": (400, 'Use workspace "0", the only one that the emulator has.'),
    "ModelArts.0201": (401, "Send a token in the X-Auth-Token header: POST /v3/auth/tokens issues one."),
    "ModelArts.0202": (401, "Get a new token with POST /v3/auth/tokens."),
    "ModelArts.0203": (401, "Get a token from this IAM endpoint with POST /v3/auth/tokens."),
    "ModelArts.0206": (401, "Sign the request as the message says, or send a token in the X-Auth-Token header."),
    "ModelArts.0212": (401, "Log in with a project as the scope of the token."),
    "ModelArts.2751": (400, "Choose another job name."),
    "ModelArts.2753": (400, "Correct the channel that the message names, or what the algorithm declares."),
    "ModelArts.2754": (400, "Give every output an OBS path."),
    "ModelArts.2755": (400, "Check the algorithm id: POST /v2/{project_id}/algorithms returns it as metadata.id."),
    "ModelArts.2757": (400, "Upload the code first, or correct code_dir."),
    "ModelArts.2758": (400, "Upload the boot file into the code directory, or correct boot_file."),
    "ModelArts.2759": (400, "Move what the code does not need out of the code directory."),
    "ModelArts.2760": (400, "Flatten the code directory."),
    "ModelArts.2761": (400, "Move data out of the code directory and read it through an input channel."),
    "ModelArts.2763": (400, "Choose a flavor that fits: GET /v2/{project_id}/training-job-flavors lists them."),
    "ModelArts.2764": (400, "Check the query parameters."),
    "ModelArts.2765": (400, "Choose one of the values that the hyperparameter allows."),
    "ModelArts.2766": (400, "Give the hyperparameter a value."),
    "ModelArts.2767": (400, "Give every hyperparameter once."),
    "ModelArts.2768": (400, "Make the default value fit the type in the constraint."),
    "ModelArts.2769": (400, "Make the default value fit the range in the constraint."),
    "ModelArts.2770": (400, "Choose a value within the range of the hyperparameter."),
    "ModelArts.2775": (400, "Check the job id: POST /v2/{project_id}/training-jobs returns it as metadata.id."),
    "ModelArts.2780": (400, "Choose an engine that exists: GET /v2/{project_id}/training-job-engines lists them."),
    "ModelArts.2781": (400, "Choose a flavor that exists: GET /v2/{project_id}/training-job-flavors lists them."),
    "ModelArts.2783": (400, "Read the data from OBS, the emulator has no datasets: give remote.obs.obs_url."),
    "ModelArts.2786": (404, "Use the project id that the token was issued for."),
    "ModelArts.2787": (400, "Send a JSON object in UTF-8."),
    "ModelArts.2788": (400, "Correct the parameter that the message names."),
    "ModelArts.2790": (400, "Sort by one of the members that the message names."),
    "ModelArts.2791": (400, "Create the bucket or upload the object first, or correct the path."),
    "ModelArts.2792": (400, "Put the boot file below the code directory."),
    "ModelArts.2793": (400, "Ask for fewer nodes, or choose another flavor."),
    "ModelArts.2796": (409, "Only a job that is creating, pending or running can be stopped."),
    "ModelArts.2802": (400, "Name a directory: end code_dir with a slash."),
    "ModelArts.2803": (405, "Use a method that the Allow header names."),
    "ModelArts.2806": (400, "Give both algorithm.engine.image_url and algorithm.command."),
    "ModelArts.2807": (400, "Filter by one of the keys that the message names."),
    "ModelArts.2808": (400, "Use an operator that the message names."),
    "ModelArts.2809": (400, "Correct the value of the filter."),
    "ModelArts.2812": (400, 'Send {"action_type": "terminate"}.'),
    "ModelArts.2814": (400, "Give only what the algorithm leaves open, or change the algorithm."),
    "ModelArts.2815": (400, "Delete jobs that are not needed any more."),
    "ModelArts.2818": (400, "Ask again once the job runs."),
    "ModelArts.2819": (400, "Give spec.log_export_path when creating a job whose log is to stay."),
    "ModelArts.2821": (400, "Choose another algorithm name."),
    "ModelArts.2824": (400, "Name every metric once in reward_attrs."),
    "ModelArts.2825": (400, "Make the value fit the type of the hyperparameter."),
    "ModelArts.2826": (400, "Correct what the message names in auto_search."),
    "ModelArts.2840": (400, "Choose a flavor of the other type, or another engine."),
    "ModelArts.2854": (400, "Read the data from OBS: give remote.obs.obs_url."),
    "ModelArts.2857": (400, "Give a directory below /home."),
    "ModelArts.2858": (400, "Leave the parameter out, or use the real service."),
    "ModelArts.2859": (400, "Give an absolute directory without '..'."),
    "ModelArts.2890": (404, "Leave pool_id out and choose a public flavor."),
    "ModelArts.50004000": (400, "Give start_time and end_time in milliseconds since 1970, both or neither."),
    "ModelArts.2950": (500, "Report this with the request and the emulator's output."),
}

# What is wrong with a request of any API family, in the service's codes.
CODES: Final[dict[Problem, str]] = {
    Problem.METHOD_NOT_ALLOWED: "ModelArts.2803",
    Problem.BODY_TOO_LARGE: "APIG.0201",
    Problem.NO_TOKEN: "ModelArts.0201",
    Problem.TOKEN_EXPIRED: "ModelArts.0202",
    Problem.TOKEN_INVALID: "ModelArts.0203",
    Problem.TOKEN_WITHOUT_PROJECT: "ModelArts.0212",
    Problem.SIGNATURE_MALFORMED: "ModelArts.0206",
    Problem.SIGNATURE_INVALID: "APIG.0301",
    Problem.PROJECT_NOT_FOUND: "ModelArts.2786",
    Problem.INVALID_QUERY: "ModelArts.2764",
    Problem.INVALID_JSON: "ModelArts.2787",
    Problem.INVALID_PARAMETER: "ModelArts.2788",
    Problem.INVALID_OBS_PATH: "ModelArts.2791",
    Problem.CODE_NOT_FOUND: "ModelArts.2757",
    Problem.CODE_NOT_A_DIRECTORY: "ModelArts.2802",
    Problem.TOO_MANY_CODE_FILES: "ModelArts.2759",
    Problem.CODE_TOO_DEEP: "ModelArts.2760",
    Problem.CODE_TOO_LARGE: "ModelArts.2761",
    Problem.BOOT_FILE_NOT_FOUND: "ModelArts.2758",
    Problem.BOOT_FILE_OUTSIDE_CODE: "ModelArts.2792",
    Problem.INTERNAL_ERROR: "ModelArts.2950",
}

# The code that an injected error has if only its status is given; other statuses need a code.
STATUS_CODES: Final[dict[int, str]] = {
    429: "ModelArts.2799",
    500: "ModelArts.2950",
    502: "ModelArts.2950",
    503: "ModelArts.2950",
    504: "ModelArts.2950",
}


class V2Errors:
    """Errors as ModelArts v2 sends them."""

    def response(self, error: ServiceError) -> Response:
        """The error's status, and its code, message and solution as a body."""
        code = CODES[error.code] if isinstance(error.code, Problem) else error.code
        status, solution = ERROR_CATALOGUE.get(code, (500, ""))
        body = {"error_msg": error.message, "error_code": code, "error_solution": error.solution or solution}
        return Response(error.status or status, body, error.headers)

    def status_of(self, code: str) -> int | None:
        """The status that the service documents for the code; None for an unknown code."""
        known = ERROR_CATALOGUE.get(code)
        return known[0] if known else None

    def default_code(self, status: int) -> str | None:
        """The code of an error of which only the status is known; None if the caller has to choose one."""
        return STATUS_CODES.get(status)
