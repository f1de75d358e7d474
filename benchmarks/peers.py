"""Another client of the same API in an environment of its own, called over a pipe, one sample at a time."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".cache" / "peers"
REQUIREMENTS = ROOT / "requirements" / "peers.txt"

# Reads a number of calls per line, prints the seconds that one of them took.
PROGRAM = """
import sys, time
from huaweicloudsdkcore.auth.credentials import BasicCredentials
from huaweicloudsdkmodelarts.v1 import ModelArtsClient, ShowTrainingJobDetailsRequest

endpoint, project_id, job_id = sys.argv[1:]
credentials = BasicCredentials("benchmark", "benchmark", project_id)
client = ModelArtsClient.new_builder().with_credentials(credentials).with_endpoints([endpoint]).build()
request = ShowTrainingJobDetailsRequest(training_job_id=job_id)
assert client.show_training_job_details(request).metadata.id == job_id
print("ready", flush=True)
for line in sys.stdin:
    calls = int(line)
    began = time.perf_counter()
    for _ in range(calls):
        client.show_training_job_details(request)
    print((time.perf_counter() - began) / calls, flush=True)
"""


def python() -> Path:
    """The interpreter of an environment with the peers in it; makes it the first time, and when they change."""
    stamp = FOLDER / "requirements.txt"
    interpreter = FOLDER / "bin" / "python"
    if not stamp.exists() or stamp.read_bytes() != REQUIREMENTS.read_bytes():
        venv.create(FOLDER, with_pip=True, clear=True)
        install = [str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, "--require-hashes", "-r", str(REQUIREMENTS)], check=True, stderr=subprocess.DEVNULL)
        stamp.write_bytes(REQUIREMENTS.read_bytes())
    return interpreter


@contextlib.contextmanager
def vendor_sdk(endpoint: str, project_id: str, job_id: str, calls: int) -> Iterator[Callable[[], float]]:
    """A function that lets the vendor's SDK show the job `calls` times and returns the seconds of one call."""
    with tempfile.TemporaryDirectory() as home:  # the SDK writes an installation id into the home folder
        process = subprocess.Popen(
            [python(), "-c", PROGRAM, endpoint, project_id, job_id],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "HOME": home},
        )
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            if stdout.readline() != "ready\n":
                sys.exit(f"the vendor's SDK could not show the job; its process ended with {process.wait()}")

            def sample() -> float:
                stdin.write(f"{calls}\n")
                stdin.flush()
                return float(stdout.readline())

            yield sample
        finally:
            stdin.close()
            process.wait()
