"""What can go wrong between a service and a page, and what is said of it."""

import jinja2

from modelarts_toolkit.errors import ApiError, ToolkitError

UNREADABLE = (AttributeError, LookupError, TypeError, jinja2.TemplateError)
"""What code raises for members of other types than the documents say."""
PROBLEMS = (ToolkitError, ValueError, *UNREADABLE)
"""After which a page shows the problem and continues."""


def text_of(error: Exception) -> str:
    """What is said of an error: fact and remedy."""
    if isinstance(error, ApiError):
        text = " ".join(filter(None, (error.error_msg, error.solution)))
        return f"{text} The service's code for this is {error.error_code}." if error.error_code else text
    if not isinstance(error, UNREADABLE):
        return str(error)
    return (
        f"The response of the service is not as documented ({type(error).__name__}: {error}). "
        "modelarts contract run says where a service differs from its documents; "
        "if it finds nothing there, this is a defect of the page: please report it."
    )
