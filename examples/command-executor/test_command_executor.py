"""What every executor promises, for this one: `python -m pytest` in this folder."""

import pytest
from command_executor import CommandExecutor

from modelarts_emulator.execution.protocol import Executor
from modelarts_emulator.execution.registry import ExecutorContext
from modelarts_emulator.testing.executor_suite import ExecutorSuite, ScriptStage


class Stage(ScriptStage):
    def new_executor(self, context: ExecutorContext) -> Executor:
        return CommandExecutor(context)


class TestCommandExecutor(ExecutorSuite):
    stage_class = Stage

    @pytest.fixture(autouse=True)
    def command(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A shell of this machine in place of `ssh HOST`."""
        monkeypatch.setenv("TASK_COMMAND", "sh -c")
