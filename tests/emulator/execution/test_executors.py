"""What every executor promises: the suite over the emulator's own."""

from __future__ import annotations

import pytest
from tests.emulator.execution.stages import NamespaceStage, ProcessStage, SimulatedStage, SlurmStage
from tests.suites.executor_suite import ExecutorSuite


class TestProcess(ExecutorSuite):
    stage_class = ProcessStage


class TestNamespace(ExecutorSuite):
    stage_class = NamespaceStage


class TestSimulated(ExecutorSuite):
    stage_class = SimulatedStage


@pytest.mark.engine
@pytest.mark.usefixtures("slurm")
class TestSlurm(ExecutorSuite):
    stage_class = SlurmStage
