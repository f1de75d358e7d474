"""The client, the workflows and `contract check` where Linux's own modules and functions are missing, as on Windows.

It is a simulation: modules and functions are taken away from this Python. macOS has all of them but `os.sched_*`.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.local_servers import LocalHandler, serving

ROOT = Path(__file__).parents[2]

# Libraries are not ours: they know their systems, and are loaded before.
WINDOWS = """
import asyncio, concurrent.futures, email, http.client, logging.handlers, multiprocessing, sqlite3, ssl, subprocess, sys
import attrs, anyio, anyio._backends._asyncio, click, click.testing, httpcore, httpcore._backends.anyio, httpx
import httpx_retries, jinja2, jsonschema_rs, obstore.store, pathspec, platformdirs, psutil, pytest, starlette.routing
import starlette.staticfiles, starlette.responses, starlette.templating, tempfile, tomlkit, uvicorn, yaml
import os, select, signal, socket

for module in ("fcntl", "pwd", "grp", "termios", "resource", "tty", "pty", "syslog", "crypt", "spwd", "posix"):
    sys.modules[module] = None
for name in (
    "fork forkpty getuid geteuid getgid getegid getgroups getpgid getpgrp getsid setsid setpgid setuid setgid killpg "
    "register_at_fork mkfifo mknod chown fchown lchown chroot uname nice getpriority setpriority sched_getaffinity "
    "sched_setaffinity wait3 wait4 waitid WNOHANG O_NOFOLLOW O_DIRECTORY O_CLOEXEC O_NONBLOCK ctermid getloadavg "
    "sysconf statvfs fchdir pread pwrite posix_spawn memfd_create openpty ttyname tcgetpgrp getxattr setxattr"
).split():
    if hasattr(os, name):
        delattr(os, name)
kept = "SIGABRT SIGFPE SIGILL SIGINT SIGSEGV SIGTERM SIG_DFL SIG_IGN"
for name in dir(signal):
    if name.isupper() and name.startswith("SIG") and name not in kept.split():
        delattr(signal, name)
for name in "alarm setitimer getitimer ITIMER_REAL ITIMER_VIRTUAL pause pthread_kill pthread_sigmask sigwait".split():
    delattr(signal, name)
for name in "AF_UNIX AF_NETLINK AF_PACKET SO_REUSEPORT send_fds recv_fds".split():
    if hasattr(socket, name):
        delattr(socket, name)
for name in "poll epoll".split():
    delattr(select, name)
def socketpair():
    with socket.create_server(("127.0.0.1", 0)) as server:
        first = socket.create_connection(server.getsockname())
        return first, server.accept()[0]

socket.socketpair = socketpair  # Python's own way on Windows
asyncio.AbstractEventLoop.add_signal_handler = asyncio.BaseEventLoop.add_signal_handler
"""

IMPORTS = """
import pkgutil, importlib
from modelarts_contract.commands import check
count = 0
for root in ("modelarts_openapi", "modelarts_documents", "modelarts_runtime", "modelarts_api", "modelarts_toolkit"):
    for found in pkgutil.walk_packages([*importlib.import_module(root).__path__], f"{root}."):
        if ".hook-" in found.name or found.name.endswith(("__main__", "exam_boot", "run_module", "accelerator_probe")):
            continue  # programs
        importlib.import_module(found.name)
        count += 1
assert count > 300, count
"""

CALLS = """
import asyncio, pathlib, tempfile
from modelarts_toolkit import AsyncModelArts, ConnectionFailed, ModelArts, NotFound
from modelarts_toolkit.jobfiles.schema import job_file_schema
url = sys.argv[1]
settings = {"endpoint": url, "project_id": "p", "token": "t" * 20}
with ModelArts(**settings, obs_endpoint=url, access_key="AK123", secret_key="SK123") as ma:
    assert ma.v2.flavors.show_training_job_flavors().flavors == []
    try:
        ma.jobs.get("j")
    except NotFound as error:
        assert "ModelArts.2775" in str(error)
    assert [each.name for each in ma.obs.list_buckets()] == ["b"]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "a.txt")
        file.write_text("x")
        try:
            ma.obs.upload(file, "obs://b/a.txt")
        except Exception as error:
            assert type(error).__name__ == "ObsError", repr(error)

async def call():
    async with AsyncModelArts(**settings) as ma:
        return (await ma.v2.flavors.show_training_job_flavors()).flavors

assert asyncio.run(call()) == asyncio.run(call()) == []
assert job_file_schema()
"""

COMMANDS = """
from click.testing import CliRunner
from modelarts_toolkit.cli.commands import modelarts
url, har, folder = sys.argv[1:4]
os.environ.update(MODELARTS_ENDPOINT=url, MODELARTS_PROJECT_ID="p", MODELARTS_TOKEN="t" * 20)
os.environ["MODELARTS_CONFIG_FILE"] = os.path.join(folder, "config.toml")
def run(*words):
    done = CliRunner().invoke(modelarts, words, catch_exceptions=False)
    print(" ".join(words), done.exit_code, done.output, done.stderr)
    return done
open(os.environ["MODELARTS_CONFIG_FILE"], "w").close()
assert run("flavor", "list").exit_code == 0
assert run("job", "get", "j").exit_code == 6
assert run("job", "list").exit_code == 6
for words in (["--help"], ["job", "--help"], ["job", "submit", "--help"], ["obs", "--help"], ["job", "schema"]):
    assert run(*words).exit_code == 0, words
checked = run("contract", "check", har)
assert "1 exchanges: 1 empty" in checked.output  # the list of flavors is empty
"""


class _Service(LocalHandler):
    def do_GET(self):
        if "flavors" in self.path:
            self.respond(200, b'{"total_count": 0, "flavors": []}', {"Content-Type": "application/json"})
        elif self.path == "/":
            when = "<CreationDate>2026-01-01T00:00:00Z</CreationDate>"
            body = f"<ListAllMyBucketsResult><Buckets><Bucket><Name>b</Name>{when}</Bucket></Buckets>"
            self.respond(200, f"{body}</ListAllMyBucketsResult>".encode())
        else:
            self.do_POST()

    def do_POST(self):
        self.content()
        self.respond(404, b'{"error_code": "ModelArts.2775", "error_msg": "no such training job"}')

    do_PUT = do_POST


def _run(*parts, arguments=()):
    with serving(_Service) as url:
        command = [sys.executable, "-c", "\n".join((WINDOWS, *parts)), url, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]


def test_every_module_of_client_and_workflows_is_imported():
    _run(IMPORTS)


def test_client_and_workflows_make_calls():
    _run(CALLS)


@pytest.mark.parametrize("is_used_before", [False, True])
def test_commands_and_the_check_of_recorded_calls_run(tmp_path, is_used_before):
    exchange = {
        "startedDateTime": "2026-01-01T00:00:00.000Z",
        "time": 1,
        "request": {
            "method": "GET",
            "url": "https://modelarts.eu-de.otc.t-systems.com/v2/p/training-job-flavors",
            "httpVersion": "HTTP/1.1",
            "headers": [{"name": "X-Auth-Token", "value": "***"}],
            "queryString": [],
            "cookies": [],
            "headersSize": -1,
            "bodySize": 0,
        },
        "response": {
            "status": 200,
            "statusText": "OK",
            "httpVersion": "HTTP/1.1",
            "headers": [
                {"name": "Content-Type", "value": "application/json"},
                {"name": "X-Request-Id", "value": "0123456789abcdef"},
            ],
            "cookies": [],
            "content": {"size": 2, "mimeType": "application/json", "text": '{"total_count": 0, "flavors": []}'},
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": 33,
        },
        "cache": {},
        "timings": {"send": 0, "wait": 1, "receive": 0},
    }
    har = tmp_path / "calls.har"
    log = {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": [exchange]}
    har.write_text(json.dumps({"log": log}))
    _run(*([IMPORTS] if is_used_before else []), COMMANDS, arguments=[har, tmp_path])
