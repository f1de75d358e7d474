"""What is not used is not loaded."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import modelarts_api
import modelarts_openapi

# One call of an operation with its example, in a process that has loaded httpx and nothing of ours; prints the models.
CALLS = """
import inspect, json, os, sys
from importlib import import_module
import httpx

def call(document, operation, request, status, body):
    from modelarts_api.client import Client
    module = import_module(operation)
    before = [name for name in sys.modules if ".models." in name]
    transport = httpx.MockTransport(lambda _: httpx.Response(status, json=body))
    given = {}
    for name, parameter in inspect.signature(module.sync).parameters.items():
        if parameter.default is parameter.empty:
            given[name] = request if name == "body" else "7"
    given["client"] = Client("http://service.test", httpx_args={"transport": transport})
    module.sync(**given)
    print(json.dumps([operation, before, [name for name in sys.modules if ".models." in name]]), flush=True)

for case in json.load(sys.stdin):
    if os.fork() == 0:
        call(*case)
        os._exit(0)
    _, status = os.wait()
    assert status == 0, case
"""


def calls():
    """Every operation whose success is described by an example: its module, and what is sent and returned."""
    for name in modelarts_openapi.NAMES:
        for item in modelarts_openapi.load(name)["paths"].values():
            for operation in (value for value in item.values() if isinstance(value, dict)):
                requests = examples(operation.get("requestBody", {})) or [{}]
                for status, response in operation["responses"].items():
                    if status[0] in "23" and (responses := examples(response)):
                        tag = operation["tags"][0].replace("-", "_")
                        module = re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", operation["operationId"])
                        yield name, f"modelarts_api.{name}.api.{tag}.{module}", requests[0], int(status), responses[0]


def examples(body):
    media = body.get("content", {}).values()
    return [example["value"] for kind in media for example in kind.get("examples", {}).values()]


def used(name):
    """The model modules that the source of the module refers to, at any depth."""
    found, ahead = set(), {name}
    while ahead:
        document = name.split(".")[1]
        found |= ahead
        classes = {
            reference for module in ahead for reference in re.findall(r"models\.([A-Z]\w*)\.from_dict", source(module))
        }
        lines = source(f"modelarts_api.{document}.models")
        modules = {name for kind in classes for name in re.findall(rf'"{kind}": "(\w+)"', lines)}
        ahead = {f"modelarts_api.{document}.models.{module}" for module in modules} - found
    return found - {name}


def source(module):
    path = Path(modelarts_api.__file__).parent.joinpath(*module.split(".")[1:])
    return (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text()


@pytest.fixture(scope="module")
def called():
    """By operation: the models that its import loads, and those that are loaded after a call."""
    done = subprocess.run(
        [sys.executable, "-c", CALLS], input=json.dumps(list(calls())), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {module: (set(before), set(after)) for module, before, after in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("module", [module for _, module, *_ in calls()])
def test_a_call_loads_the_models_of_its_response_and_no_others(called, module):
    before, after = called[module]

    assert before == set()
    assert after <= used(module)
    assert bool(after) == bool(used(module))


def loaded(code):
    """The modules that are loaded after the code has run in a new interpreter."""
    report = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_importing_an_operation_loads_no_model_and_no_other_operation():
    modules = loaded("from modelarts_api.v2.api.training_jobs import show_training_job_details")

    assert not [name for name in modules if name.startswith("modelarts_api.v2.models.")]
    assert sorted(name for name in modules if name.startswith("modelarts_api.v2.api.")) == [
        "modelarts_api.v2.api.training_jobs",
        "modelarts_api.v2.api.training_jobs.show_training_job_details",
    ]
    assert "attr" not in modules


def test_decoding_loads_the_models_that_the_body_holds():
    modules = loaded(
        "from modelarts_api.v2.models import TrainingJob\nTrainingJob.from_dict({'metadata': {'id': 'a'}, 'spec': 1})"
    )

    assert {name for name in modules if name.startswith("modelarts_api.v2.models.")} == {
        "modelarts_api.v2.models.training_job",
        "modelarts_api.v2.models.job_metadata",
    }


def test_importing_the_documents_reads_none_of_them():
    """Seen by what the interpreter opens; loading one opens that one."""
    watch = "import sys\nopened = []\n"
    watch += "sys.addaudithook(lambda event, what: event == 'open' and opened.append(str(what[0])))\n"
    report = "print(*(name.rpartition('/')[2] for name in opened if name.endswith('.json')))\n"
    code = f"{watch}import modelarts_openapi\n{report}modelarts_openapi.load('iam')\n{report}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["", "iam.json"]
