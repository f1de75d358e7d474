"""The advisor as the emulator sees it: requests go to a process of its own, responses come when they are ready."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.container import inherited

IMPORT_ROOT = Path(__file__).parents[2]
MODULE = "modelarts_emulator.tuning.advisor"


class SuggestionError(Exception):
    """The advisor failed; the text says why."""


class SuggestionClient:
    """Asks the advisor, which is started when needed; its methods may be called from any thread.

    One that `is_blocking` waits for every response.
    """

    def __init__(self, is_blocking: bool = False) -> None:
        self._is_blocking = is_blocking
        self._asker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="search-suggestions")
        self._asked: dict[tuple[str, str], Future[Any]] = {}
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def ask(self, owner: str, request: dict[str, Any]) -> Any | None:
        """The response, None as long as there is none; raises SuggestionError. The same question is asked once."""
        question = json.dumps(request)
        with self._lock:
            future = self._asked.get((owner, question))
            if future is None:
                future = self._asker.submit(self._exchange, question.encode() + b"\n")
                self._asked[owner, question] = future
        if not (self._is_blocking or future.done()):
            return None
        with self._lock:
            self._asked.pop((owner, question), None)
        return future.result()

    def forget(self, owner: str) -> None:
        """Nobody waits for responses to the owner's questions any more."""
        with self._lock:
            for asked in [asked for asked in self._asked if asked[0] == owner]:
                self._asked.pop(asked).cancel()

    def close(self) -> None:
        """End the advisor, also in the middle of a response."""
        self._is_closed = True
        if (process := self._process) is not None:
            process.kill()
        self._asker.shutdown(cancel_futures=True)
        self._end()

    def _exchange(self, question: bytes) -> Any:
        # Try again if the advisor has just ended because it was idle.
        for _ in range(2):
            line = self._try(question)
            if line.endswith(b"\n"):
                response: dict[str, Any] = json.loads(line)
                if "error" in response:
                    raise SuggestionError(response["error"])
                return response["result"]
            if self._end() == -signal.SIGVTALRM:
                raise SuggestionError("it takes too long")
            if self._is_closed:
                break
        raise SuggestionError("the advisor process ends without a response")

    def _try(self, question: bytes) -> bytes:
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603 - it is our own module
                [sys.executable, "-m", MODULE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=inherited(os.environ) | {"PYTHONPATH": str(IMPORT_ROOT), "OMP_NUM_THREADS": "1"},
                start_new_session=True,
            )
        if self._is_closed:  # while it was started
            self._process.kill()
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise SuggestionError("the advisor process has no pipes")
        try:
            stdin.write(question)
            stdin.flush()
            return stdout.readline()
        except BrokenPipeError:
            return b""

    def _end(self) -> int:
        """End the process, if there is one; its exit status."""
        process, self._process = self._process, None
        if process is None:
            return 0
        with contextlib.suppress(BrokenPipeError):
            process.communicate()
        return process.wait()
