"""The client in a zip archive, without stubs, and the names that are written twice."""

import ast
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from tests.local_servers import LocalHandler, serving

import modelarts_toolkit

ROOT = Path(__file__).parents[2]
PACKAGES = (
    *("generated/modelarts_openapi", "generated/modelarts_api"),
    *("overlays/modelarts_documents", "overlays/modelarts_runtime", "overlays/modelarts_toolkit"),
)
PROGRAM = """
import sys
import modelarts_toolkit
from modelarts_toolkit import ModelArts, Curve, NotFound
from modelarts_toolkit.jobfiles.schema import job_file_schema
from modelarts_toolkit.jobs.explain import catalogue
from modelarts_openapi import load

assert modelarts_toolkit.__file__.startswith(sys.argv[2]), modelarts_toolkit.__file__
with ModelArts(endpoint=sys.argv[1], project_id="p", token="t" * 20) as ma:
    assert ma.v2.flavors.show_training_job_flavors().flavors == []
    try:
        ma.jobs.get("j")
    except NotFound as error:
        assert "ModelArts.2775" in str(error)
    try:
        ma.v1_jobs.get(1)
    except NotFound as error:
        assert error.status == 404
assert job_file_schema() and catalogue() and load("v2")["paths"]
from modelarts_toolkit.cli.commands import modelarts
modelarts(["--help"], standalone_mode=False)
modelarts(["job", "submit", "--help"])
"""


class _Service(LocalHandler):
    def do_GET(self):
        if "flavors" in self.path:
            self.respond(200, b'{"total_count": 0, "flavors": []}')
        else:
            self.respond(404, b'{"error_code": "ModelArts.2775", "error_msg": "no such training job"}')

    def do_POST(self):
        self.content()
        self.respond(404, b'{"error_code": "ModelArts.2775", "error_msg": "no such training job"}')


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copied") / "packages"
    for package in map(Path, PACKAGES):
        ignored = shutil.ignore_patterns("__pycache__", "*.pyi")
        shutil.copytree(ROOT / package, folder / package.name, ignore=ignored)
    return folder


def _run(place):
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(place), "HOME": str(place.parent)}
    with serving(_Service) as url:
        command = [sys.executable, "-c", PROGRAM, url, str(place)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_the_client_works_without_stubs(copied):
    done = _run(copied)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Usage: ") == 2


def test_the_client_works_in_a_zip_archive(copied):
    archive = Path(shutil.make_archive(str(copied.parent / "archive"), "zip", copied))
    done = _run(archive)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_names_for_type_checkers_are_those_for_python():
    stub = ast.parse((ROOT / "overlays/modelarts_toolkit/__init__.pyi").read_text("utf-8"))
    imported = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    modules = {each.name: str(node.module) for node in imported for each in node.names}

    assert modules == vars(modelarts_toolkit)["_MODULES"]
    for name, module in modules.items():
        assert getattr(modelarts_toolkit, name) is getattr(import_module(module), name), name
    with pytest.raises(AttributeError, match="no_such_name"):
        getattr(modelarts_toolkit, "no_such_name")  # noqa: B009 - which type checkers see
