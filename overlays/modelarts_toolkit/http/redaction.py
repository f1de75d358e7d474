"""Keep secrets out of the logs of the HTTP libraries: tokens in headers, signatures and keys in addresses."""

import logging
import re

# Header fields as httpcore logs them at level DEBUG.
_HEADER = re.compile(r"(b'(?:x-(?:subject|auth|security)-token|authorization|set-cookie)', b')[^']*", re.IGNORECASE)

# Parameters of presigned URLs (X-Amz-Signature, AWSAccessKeyId, x-obs-security-token, ...), as httpx logs them at INFO.
_PARAMETER = re.compile(
    r"([?&][^=&\s'\"]*(?:signature|credential|token|accesskey|secret|password)[^=&\s'\"]*=)[^&\s'\"<>)]+", re.IGNORECASE
)

# A user and a password before the host.
_USER = re.compile(r"(://)[^/\s'\"@]+@")

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
)


class RedactSecrets(logging.Filter):
    """Replaces secrets in a record's text by `***`; passes every record."""

    def filter(self, record: logging.LogRecord) -> bool:
        text = record.getMessage()
        if (redacted := redact(text)) != text:
            record.msg, record.args = redacted, ()
        return True


def redact(text: str) -> str:
    """Replace the secrets of headers and addresses in the text."""
    return _USER.sub(r"\1***@", _PARAMETER.sub(r"\1***", _HEADER.sub(r"\1***", text)))


def install() -> None:
    """Redact the logs of the HTTP libraries of this process; a second call changes nothing."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(known, RedactSecrets) for known in logger.filters):
            logger.addFilter(RedactSecrets())
