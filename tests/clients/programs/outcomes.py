"""Runs the checks of a program and prints what became of them."""

import json
import os
import socket
import traceback
import uuid

ENDPOINT = os.environ["MODELARTS_OBS_ENDPOINT"]
ACCESS_KEY = os.environ["MODELARTS_ACCESS_KEY"]
SECRET_KEY = os.environ["MODELARTS_SECRET_KEY"]

ODD_KEYS = [
    "a b+c&d=e?f#g%41.txt",
    "grüße/数据/🚀.bin",
    "quotes'\"<&>",
    "line\nbreak\ttab",
    "deep/" * 200 + "key",
]
"""Keys of which XML or a URL cannot hold each as it is."""


def resolve_names_below_localhost() -> None:
    """Find this machine under `bucket.localhost`, as systemd and browsers do and plain glibc does not."""
    resolve = socket.getaddrinfo

    def resolve_locally(host, *rest, **named):
        is_below = isinstance(host, str) and host.endswith(".localhost")
        return resolve("127.0.0.1" if is_below else host, *rest, **named)

    socket.getaddrinfo = resolve_locally


def unique(name: str) -> str:
    """A name that nothing else has."""
    return f"{name}-{uuid.uuid4().hex[:12]}"


def run(names: dict) -> None:
    """Call every public function that the program itself defines; the last line on stdout is a JSON object."""
    outcomes = {}
    for name, check in list(names.items()):
        if getattr(check, "__module__", None) == "__main__" and callable(check) and not name.startswith("_"):
            try:
                check()
                outcomes[name] = None
            except Exception:
                outcomes[name] = traceback.format_exc()
    print(json.dumps(outcomes))
