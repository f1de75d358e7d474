"""Columns of a list of jobs, conditions on them, an order by them, and the text of numbers."""

import math
import operator
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from modelarts_api.v2.models import TrainingJob
from modelarts_toolkit.curves.curves import Curve
from modelarts_toolkit.jobs.columns import FIELDS, METRICS, PARAMETER, Column, conditions, offered, order
from modelarts_toolkit.jobs.comparison import Comparison
from modelarts_toolkit.jobs.info import TrainingJobInfo
from modelarts_toolkit.texts import number_text

OPERATORS: Mapping[str, Any] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
NAMES = st.text(min_size=1) | st.sampled_from(["lr", "a=b", "best:loss", "parameter:x", "best:", "-lr", "phase", '"'])
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**20), 10**20)
TEXTS = st.text(min_size=1, alphabet=st.characters(exclude_categories=("Nd", "Cs")))
VALUES = NUMBERS | TEXTS | st.none()


def job_of(parameters: Mapping[str, Any], second: int = 0) -> TrainingJobInfo:
    given_ones = [{"name": name, "value": None if value is None else str(value)} for name, value in parameters.items()]
    metadata = {"id": "1", "name": "digits"} | ({"create_time": second * 1000} if second else {})
    body = {"kind": "job", "metadata": metadata, "algorithm": {"parameters": given_ones}}
    return TrainingJobInfo(TrainingJob.from_dict(body))


def curve(name: str, *values: float) -> Curve:
    made = Curve(name)
    for value in values:
        made.add(value)
    return made


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@given(st.sampled_from([PARAMETER, *METRICS]), NAMES)
def test_the_key_of_a_column_leads_back_to_it(kind: str, name: str) -> None:
    """Whatever a parameter or a metric is called; and no key looks like a sorting by the largest first."""
    column = Column(kind, name)

    assert Column.parse(column.key) == column
    assert not column.key.startswith("-")


@given(NAMES, VALUES, st.sampled_from([*OPERATORS]), NUMBERS | TEXTS)
@example("seed", 9007199254740993, "=", 9007199254740992)
@example("lr", "auto", "!=", 0.1)
@example("lr", "1e999", ">", 1)
def test_a_condition_compares_numbers_with_numbers_and_texts_with_texts(
    name: str, value: Any, sign: str, wanted: Any
) -> None:
    """A number and a text are only different, and a missing value, or an empty one, fulfils no condition."""
    text = str(wanted)
    column = Column(PARAMETER, name).key
    written = f"{quoted(column)} {sign} {text if not isinstance(wanted, str) else quoted(text)}"

    [condition] = conditions(written)

    if value is None:
        expected = False
    elif isinstance(value, str) != isinstance(wanted, str):
        expected = sign == "!="
    else:
        expected = OPERATORS[sign](value, wanted)
    assert expected == condition.matches(job_of({name: value}), None), written


def test_conditions_stand_behind_each_other() -> None:
    """A name may have spaces, a sign may have spaces around it, and `==` is as `=`."""
    found = conditions('lr>0.01 best:val loss < 3e-1  optimizer=="my ""adam" last:loss=nan "k"="1"')

    keys = [(each.column.key, each.operator, each.wanted) for each in found]
    assert keys == [
        ("lr", ">", 0.01),
        ("best:val loss", "<", 0.3),
        ("optimizer", "==", 'my "adam'),
        ("last:loss", "=", "nan"),
        ("k", "=", 1),
    ]
    assert [each.matches(job_of({"lr": "1e-1"}), {"loss": curve("loss", math.nan)}) for each in found] == [
        True,
        False,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize("text", ["lr", "lr>", "lr>>1", ">1", "lr>1,b=2", '"lr>1', 'lr>"1', "best:loss 0.3", 'lr=""'])
def test_what_is_no_condition_is_said_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a condition: .* such as lr>0\.01"):
        conditions(text)


@given(st.lists(st.one_of(NUMBERS, TEXTS, st.none())), st.booleans())
def test_an_order_has_numbers_then_texts_and_what_is_missing_last(values: list[Any], is_descending: bool) -> None:
    """In both directions, and equal ones stay as they were."""
    rows = [*enumerate(values)]

    found = order(rows, lambda row: row[1], is_descending=is_descending)

    assert sorted(rows, key=lambda row: row[0]) == sorted(found, key=lambda row: row[0])
    ranks = [2 if value is None else int(isinstance(value, str)) for _, value in found]
    assert ranks == sorted(ranks)
    for (place, value), (next_place, next_value) in pairwise(found):
        if value == next_value:
            assert place < next_place, found
        elif isinstance(value, str) == isinstance(next_value, str) and None not in (value, next_value):
            assert (value > next_value) == is_descending, found


@given(st.floats(-1e308, 1e308) | st.integers(-(10**300), 10**300) | st.sampled_from([math.nan, math.inf, -math.inf]))
@example(3e-5)
@example(999_999.5)
@example(9999.5)
@example(-0.0)
@example(5e-324)
def test_the_text_of_a_number_is_short_and_gives_the_number_back(value: float) -> None:
    """To four digits; nothing but zero reads 0."""
    text = number_text(value)

    assert len(text) <= 11, text
    if math.isfinite(value):
        assert math.isclose(float(text), value, rel_tol=5.001e-4, abs_tol=0 if abs(value) > 1e-300 else 5e-324)
        assert (float(text) == 0) == (value == 0), text
    else:
        assert text == str(value)


def test_numbers_are_written_as_people_write_them() -> None:
    numbers = [0.1 + 0.2, 3e-5, 0.00012345, 100_000, 12345.6, 1_000_000, 0.9999999, -0.0, math.nan, -math.inf, 1e-200]

    texts = [number_text(number) for number in numbers]

    assert texts == ["0.3", "3e-5", "0.0001234", "100000", "12346", "1e6", "1", "0", "nan", "-inf", "1e-200"]


def test_columns_that_tell_jobs_apart_are_offered() -> None:
    """Parameters that differ, then best and last of each metric; a metric that repeats a parameter is none."""
    jobs = [job_of({"lr": "0.1", "batch": "32"}), job_of({"lr": "0.2", "batch": "32", "seed": "None"})]
    curves = [{"loss": curve("loss", 0.5, 0.25), "lr": curve("lr", 0.1, 0.1), "speed": curve("speed", 1, 2)}, None]

    columns = offered(jobs, curves)

    assert [column.key for column in columns] == ["lr", "seed", "best:loss", "last:loss", "last:speed"]
    assert [column.title for column in columns] == ["lr", "seed", "best loss", "last loss", "last speed"]
    assert [column.text(jobs[0], curves[0]) for column in columns] == ["0.1", "", "0.25", "0.25", "2"]
    assert [column.text(jobs[1], curves[1]) for column in columns] == ["0.2", "None", "", "", ""]


METRICS_OF_WORDS = ("train loss", "val loss", "loss", "f1", "acc 1 5", "acc 15", "acc5")
PRINTED = st.dictionaries(
    st.builds(
        lambda words, separator, form: (form(words.replace(" ", separator)), words),
        st.sampled_from(METRICS_OF_WORDS),
        st.sampled_from("_ /-:@"),
        st.sampled_from([str.lower, str.upper, str.title]),
    ),
    st.floats(0, 1),
    max_size=4,
)
"""The values that a job prints, by their names, each with the words of which the name is made."""


@example([{("Train Loss", "train loss"): 0.5}, {("train_loss", "train loss"): 0.25}])
@given(st.lists(PRINTED, min_size=1, max_size=4))
def test_spellings_of_a_metric_are_one_column_unless_one_job_has_several(
    printed: Sequence[Mapping[tuple[str, str], float]],
) -> None:
    """It is named as by the newest job, here the last one, and a comparison shows each value once."""
    jobs = [job_of({}, second) for second, _ in enumerate(printed)]
    curves = [{name: curve(name, 2, value) for (name, _), value in each.items()} for each in printed]
    columns = [column for column in offered(jobs, curves) if column.kind == "last"]
    metrics = Comparison(tuple(jobs), tuple(curves)).metrics

    assert {column.name for column in columns} == {*metrics}
    for place, each in enumerate(curves):
        shown = [row[place] for row in metrics.values() if row[place] is not None]
        assert sorted(map(id, shown)) == sorted(map(id, each.values())), place
    for words in METRICS_OF_WORDS:
        names = [[name for name, of in each if of == words] for each in printed]
        expected = [*filter(None, names)][-1:] if max(map(len, names)) < 2 else names
        found = [column for column in columns if column.name in {name for each in names for name in each}]
        assert {column.name for column in found} == {name for each in expected for name in each}, words
        if len(found) == 1:
            values = [next((value for (_, of), value in each.items() if of == words), None) for each in printed]
            assert [found[0].value(*row) for row in zip(jobs, curves, strict=True)] == values, words
            assert Column("last", words.upper()).among(columns) == found[0], words


@pytest.mark.parametrize("name", ["mAP@.5", "acc+", "loss (again)", "val_loss", "Δ", "_", "f1"])
def test_names_that_differ_in_more_than_case_and_separators_are_several_metrics(name: str) -> None:
    """Of two spellings in one job, such as `F1` and `f-1`, neither is taken for a third one."""
    curves = {other: curve(other, 1) for other in ("mAP@5", "acc", "loss", "δ2", "", "F1", "f-1")}

    assert Column("last", name).value(job_of({}), curves) is None


@pytest.mark.parametrize(
    ("key", "is_largest_best"),
    [("best:val_acc", True), ("last:f1", True), ("best:loss", False), ("last:lr", False), ("accuracy", False)],
)
def test_the_largest_is_best_where_the_name_of_a_metric_says_so(key: str, is_largest_best: bool) -> None:
    assert Column.parse(key).is_largest_best == is_largest_best


def test_a_parameter_is_shown_as_it_was_given() -> None:
    """Rounded, two different seeds would look the same."""
    job = job_of({"seed": "1234567891"})

    assert Column.parse("seed").text(job, None) == "1234567891"


def test_fields_of_a_job_are_columns() -> None:
    job = job_of({"phase": "warm-up"})

    assert [Column.parse(key).value(job, None) for key in FIELDS] == ["digits", "1", None, None, None]
    assert Column.parse("parameter:phase").value(job, None) == "warm-up"
    with pytest.raises(ValueError, match=r"a column has a name: write .*best:METRIC"):
        Column.parse("")
