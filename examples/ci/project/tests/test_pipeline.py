"""The pipeline on the emulator: the calls are checked against the documents, too, if CI asks for that."""

import pytest
from pipeline import FLAVORS, train

from modelarts_emulator.server import Emulator
from modelarts_toolkit import JobFailed, ModelArts


@pytest.fixture(autouse=True)
def code(emulator: Emulator) -> None:
    emulator.objects.put("obs://nightly/code/train.py", "print('training')")
    emulator.clock.freeze()  # jobs of no duration end at once, whatever the time of the machine


def test_a_job_that_runs_out_of_memory_gets_a_larger_machine(emulator: Emulator, modelarts: ModelArts) -> None:
    emulator.plans.add(duration=0)
    emulator.plans.add(job="*-0", duration=0, exit_code=137)

    assert train(modelarts, "tonight", timeout_s=60) == FLAVORS[1]
    sent = [call.body["spec"]["resource"]["flavor_id"] for call in emulator.calls.list("createTrainingJob")]
    assert sent == list(FLAVORS)


def test_another_failure_is_reported_at_once(emulator: Emulator, modelarts: ModelArts) -> None:
    emulator.plans.add(duration=0, exit_code=1)

    with pytest.raises(JobFailed, match="exit code 1"):
        train(modelarts, "tonight", timeout_s=60)
    assert len(emulator.calls.list("createTrainingJob")) == 1
