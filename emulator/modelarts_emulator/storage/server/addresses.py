"""Where a request names its bucket: in the path (`host/bucket/key`) or in the host name (`bucket.host/key`)."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["bucket_of_host"]


def bucket_of_host(host: str, domains: Sequence[str]) -> str:
    """Return the bucket in a Host header, of which one of the domains is the rest; empty if there is none."""
    name = host.lower()
    if not name.startswith("["):
        name = name.partition(":")[0]
    for domain in domains:
        if name.endswith(f".{domain}"):
            return name[: -len(domain) - 1]
    return ""
