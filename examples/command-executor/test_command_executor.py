"""What every executor promises, for this one: `PYTHONPATH=../.. python -m pytest` in this folder."""

import pytest
from command_executor import CommandExecutor
from tests.suites.executor_suite import ExecutorSuite, ScriptStage

from modelarts_emulator.execution.protocol import Executor
from modelarts_emulator.execution.registry import ExecutorContext


class Stage(ScriptStage):
    def new_executor(self, context: ExecutorContext) -> Executor:
        return CommandExecutor(context)


class TestCommandExecutor(ExecutorSuite):
    stage_class = Stage

    @pytest.fixture(autouse=True)
    def command(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A shell of this machine in place of `ssh HOST`."""
        monkeypatch.setenv("TASK_COMMAND", "sh -c")
