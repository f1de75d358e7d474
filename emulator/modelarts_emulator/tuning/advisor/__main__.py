"""The advisor's loop: one request per line of standard input, one response per line of standard output, as JSON."""

from __future__ import annotations

import json
import os
import select
import signal
from collections.abc import Iterator
from typing import Any

IDLE = 60  # seconds without a request after which the process ends; it is started again when needed
# Seconds of processor time after which a question ends the process: a regular expression can take for ever, and
# nothing inside the process could interrupt it.
CPU_LIMITS_S = {"match": 1, "suggest": 60, "analyse": 120}


def main() -> None:
    """Respond until standard input ends or nobody asks any more."""
    responses = os.dup(1)
    os.dup2(2, 1)  # what libraries print must not mix with responses
    for line in _lines():
        request = json.loads(line)
        signal.setitimer(signal.ITIMER_VIRTUAL, CPU_LIMITS_S.get(request["do"], 1))
        try:
            response: dict[str, Any] = {"result": _result(request)}
        except Exception as error:
            response = {"error": f"{type(error).__name__}: {error}"}
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        data = memoryview(json.dumps(response).encode() + b"\n")
        while data:
            data = data[os.write(responses, data) :]


def _lines() -> Iterator[bytes]:
    pending = b""
    while select.select([0], [], [], IDLE)[0]:
        data = os.read(0, 1 << 20)
        if not data:
            return
        *lines, pending = (pending + data).split(b"\n")
        yield from lines


def _result(request: dict[str, Any]) -> Any:
    # The libraries take seconds to load, and to find metrics in a log needs none of them.
    match request.pop("do"):
        case "match":
            from modelarts_emulator.tuning.advisor.matching import match

            return match(**request)
        case "suggest":
            from modelarts_emulator.tuning.advisor.suggestion import suggest

            return suggest(**request)
        case "analyse":
            from modelarts_emulator.tuning.advisor.analysis import analyse

            return analyse(**request)
        case unknown:
            raise ValueError(f"nothing is known about {unknown}")


if __name__ == "__main__":
    main()
