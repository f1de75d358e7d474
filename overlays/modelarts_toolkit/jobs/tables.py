"""Tables of a job: metrics and trials."""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from modelarts_runtime.views import html_table
from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.reading import entries

if TYPE_CHECKING:
    from modelarts_api.v2.models import TrialTable


class Rows(list[dict[str, Any]]):
    """A table as a list of rows, which a notebook shows as one; `to_pandas()` makes a DataFrame of it."""

    def _repr_html_(self) -> str:
        columns = [*dict.fromkeys(name for row in self for name in row)]
        return html_table(columns, (map(row.get, columns) for row in self))

    def to_pandas(self) -> Any:
        """Return the rows as a `pandas.DataFrame`; raises ConfigError if pandas is not installed."""
        try:
            pandas: Any = import_module("pandas")
        except ModuleNotFoundError as error:
            raise ConfigError("a DataFrame needs one more library: pip install pandas") from error
        return pandas.DataFrame(list(self))


def usage_rows(task: str, series: Mapping[str, Sequence[float]]) -> Iterable[dict[str, Any]]:
    """Yield a row for each minute of a task's use of its node; None for missing measurements."""
    for minute, measured in enumerate(zip_longest(*series.values())):
        values = {metric: None if value == -1 else value for metric, value in zip(series, measured, strict=True)}
        yield {"task": task, "minute": minute, **values}


def usage_series(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], list[float | None]]:
    """Group the values over time by task and metric; metrics without any value are left out."""
    series: dict[tuple[str, str], list[float | None]] = {}
    for row in rows:
        for metric, value in row.items():
            if metric not in ("task", "minute"):
                series.setdefault((row["task"], metric), []).append(value)
    return {key: values for key, values in series.items() if any(value is not None for value in values)}


def trial_rows(table: "TrialTable") -> list[dict[str, Any]]:
    """Return the trials of a page by the service's columns; the column without a name becomes `number`."""
    names = [str(name or "number") for name in entries(lambda: table.header, object)]
    return [dict(zip(names, row, strict=False)) for row in entries(lambda: table.data, list)]
