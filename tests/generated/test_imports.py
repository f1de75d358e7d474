"""What is not used is not loaded."""

import json
import subprocess
import sys


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
