"""Keep secrets out of the logs of the HTTP libraries: tokens in headers, signatures and keys in addresses."""

import logging
import re

from modelarts_runtime.hiding import hide

# Header fields as httpcore logs them at level DEBUG.
_HEADER = re.compile(r"""(\(b['"]([^'"]+)['"], b(['"]))((?:\\.|(?!\3).)*)""")

# A filter applies to records of its own logger, not to those of loggers below it.
_LOGGERS = (
    "httpx",
    "httpcore.connection",
    "httpcore.http11",
    "httpcore.http2",
    "httpcore.proxy",
    "httpcore.socks",
    "httpx_retries.retry",
    "httpx_retries.transport",
    "modelarts_toolkit",
)


def redact_record(record: logging.LogRecord) -> bool:
    """A filter that replaces secrets in a record's text by `***`, and passes every record."""
    text = record.getMessage()
    if (redacted := redact(text)) != text:
        record.msg, record.args = redacted, ()
    return True


def redact(text: str) -> str:
    """Replace the secrets of headers and addresses in the text."""
    from modelarts_documents.secrets import HIDDEN, is_secret, without_parameters

    text = hide(text)  # first the secrets that are known, which may have any character in them
    text = _HEADER.sub(lambda found: found[1] + HIDDEN if is_secret(found[2]) else found[0], text)
    return without_parameters(text)


def install() -> None:
    """Redact the logs of the HTTP libraries of this process; a second call changes nothing."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(redact_record)
