"""The trials of a hyperparameter search, and which of them is best."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from modelarts_toolkit.curves.metric_lines import facts
from modelarts_toolkit.reading import entries, part, present
from modelarts_toolkit.texts import lasted, number_text

if TYPE_CHECKING:
    from modelarts_api.v2.models import TrainingJob

Row = Mapping[str, Any]

_NUMBER = re.compile(
    r"(?:tensor\()?([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(?:$|[,)])"
)  # also as PyTorch prints it
_REPEATED = ("trial_index", "param/")  # repeated in a trial's configuration by the service


@dataclass(frozen=True, slots=True)
class Ranking:
    """Trials, best first; those without a value of the deciding metric come last."""

    rows: Sequence[Row]
    metrics: Sequence[str]
    """The deciding metric comes first."""

    @classmethod
    def of(
        cls, job: "TrainingJob", rows: Sequence[Row], *, metric: str | None = None, is_smallest: bool | None = None
    ) -> "Ranking":
        """Rank the trials of a job by its own metric or by `metric`, best value first.

        By default, the search says which value of its metrics is best; that of another metric follows from its name.
        """
        rewards = entries(lambda: present(present(job.algorithm.policies).auto_search).reward_attrs)
        modes = {str(each.name): each.mode for each in rewards if each.name}
        metrics = [metric, *(name for name in modes if name != metric)] if metric else [*modes]
        if not metrics:
            return cls(rows, metrics)
        if is_smallest is None:
            mode = modes.get(metrics[0])
            is_smallest = (facts(metrics[0]).best if mode is None else mode) == "min"
        sign = 1 if is_smallest else -1

        def key(row: Row) -> float:
            value = number_in(row.get(metrics[0]))
            return math.inf if value is None else sign * value

        return cls(sorted(rows, key=key), metrics)

    @property
    def best(self) -> Row | None:
        """The best trial; None if no trial has a value of the deciding metric."""
        if not self.rows or not self.metrics or number_in(self.rows[0].get(self.metrics[0])) is None:
            return None
        return self.rows[0]

    def summary(self, row: Row) -> dict[str, Any]:
        """Return the main columns of a trial: metrics with four digits, hyperparameters, status and time."""
        seconds = number_in(row.get("time_total_s"))
        return {
            **{name: short(row.get(name)) for name in self.metrics},
            **{name: short(value) for name, value in configuration(row).items()},
            "status": row.get("status"),
            "time": "" if seconds is None else lasted(timedelta(seconds=seconds)),
            "trial": row.get("trial_id"),
            "number": row.get("number"),
        }


def is_search(job: "TrainingJob") -> bool:
    """Whether a job searches hyperparameters."""
    return part(lambda: present(job.algorithm.policies).auto_search) is not None


def configuration(row: Row) -> dict[str, Any]:
    """Return the hyperparameters of a trial."""
    config = row.get("config")
    found = config if isinstance(config, Mapping) else {}
    return {name: value for name, value in found.items() if not name.startswith(_REPEATED)}


def number_in(value: Any) -> float | None:
    """Parse the number in a cell; None for anything else."""
    found = _NUMBER.match(str(value))
    return None if found is None else float(found[1])


def short(value: Any) -> Any:
    """Return a number with four digits, a whole number (such as a seed) and anything else unchanged."""
    number = number_in(value)
    return value if number is None or str(value).isdecimal() else number_text(number)
