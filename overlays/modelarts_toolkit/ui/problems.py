"""What can go wrong between a service and a page, and what is said of it."""

import re

import jinja2

from modelarts_api.codes import JOB_NOT_FOUND
from modelarts_toolkit.errors import ApiError, ConnectionFailed, ObsError, ToolkitError
from modelarts_toolkit.urls import NO_EMULATOR

UNREADABLE = (AttributeError, LookupError, TypeError, jinja2.TemplateError)
"""What code raises for members of other types than the documents say."""
PROBLEMS = (ToolkitError, ValueError, *UNREADABLE)
"""After which a page shows the problem and continues."""

_V1_JOB_NOT_FOUND = re.compile(r"(?i)^training job \S+ does not exist")  # with a code that has other meanings, too
_CALL = r"\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) (?:https?:/)?/"
_ABOUT_CALL = re.compile(rf" ?\([^()]*{_CALL}[^()]*\)")
_SENTENCE = re.compile(r"(?<=[.!?]) +")
_UNFILLED = re.compile(r"\{[\w/]*\}|%s")  # a placeholder for which the service has put in nothing
_REPEATS_NO_RESPONSE = re.compile(r" \((?:All connection attempts failed|\w+)\)(?=:)")  # also a class of errors
_START_EMULATOR = "start the emulator with: modelarts emulator. If its address changes, start modelarts ui again."


def is_job_missing(error: BaseException) -> bool:
    """Whether the service says that it has no such job; a gateway that knows no such address does not say so."""
    if not isinstance(error, ApiError):
        return False
    return error.error_code == JOB_NOT_FOUND or _V1_JOB_NOT_FOUND.match(error.error_msg) is not None


def text_of(error: Exception) -> str:
    """What is said of an error: fact and remedy, in words for somebody who looks at a page and sends no requests."""
    if isinstance(error, ApiError):
        text = _for_readers(error.error_msg) or f"The service rejected this with status {error.status}."
        text = " ".join(filter(None, (text, _for_readers(error.solution or ""))))
        return f"{text} The service's code for this is {error.error_code}." if error.error_code else text
    if isinstance(error, ConnectionFailed | ObsError):
        text = _for_readers(_REPEATS_NO_RESPONSE.sub("", str(error)).replace(NO_EMULATOR, _START_EMULATOR))
        return text if isinstance(error, ObsError) else _sentence(text)
    if not isinstance(error, UNREADABLE):
        return _sentence(str(error))
    return (
        f"The response of the service is not as documented ({type(error).__name__}: {error}). "
        "modelarts contract run says where a service differs from its documents; "
        "if it finds nothing there, this is a defect of the page: please report it."
    )


def _sentence(text: str) -> str:
    """The text with a capital at its begin, unless that is no word, such as n=0 of an address."""
    return f"{text[:1].upper()}{text[1:]}" if re.match("[a-z]+ ", text) else text


def _for_readers(text: str) -> str:
    """The text without what only a program can use: sentences about requests, and placeholders left unfilled."""
    sentences = _SENTENCE.split(_ABOUT_CALL.sub("", text))
    return _UNFILLED.sub("…", " ".join(each for each in sentences if not re.search(_CALL, each)))
