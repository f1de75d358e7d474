"""Curves in a real browser: choices that stay, one cursor, and the arithmetic of the script."""

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from tests.browser.conftest import Tab
from tests.emulator.conftest import Puppet
from tests.overlays.ui.conftest import Served
from tests.overlays.ui.growing import growing, growing_ma, log, scripts, started

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.texts import number_text

__all__ = ["growing", "growing_ma", "scripts"]

CALL = """async ([name, inputs]) => {
    const all = await import("/static/chart_math.js");
    return inputs.map((each) => all[name](...each));
}"""


@pytest.fixture(scope="module")
def served(growing: Emulator) -> Iterator[Served]:
    """The page of the emulator whose logs the tests write."""
    environment = growing.environment()
    with Served(Config.load(environ=environment), environment) as served:
        yield served


def called(tab: Tab, name: str, inputs: list[tuple[Any, ...]]) -> list[Any]:
    """What a function of the script returns for each of the inputs."""
    found: list[Any] = tab.page.evaluate(CALL, [name, [list(each) for each in inputs]])
    return found


def lines(first: int, last: int) -> str:
    """The log of these epochs; one has no number, and the last ones are not positive."""
    others = {epoch: "nan" if epoch == 60 else f"{50 - epoch}" for epoch in range(first, last + 1)}
    return "".join(
        f"epoch {epoch} loss: {1 / epoch:.5f}, val_loss: {2 / epoch:.5f}, acc: {1 - 1 / epoch:.4f}, c_loss: {other}\n"
        for epoch, other in others.items()
    )


def legend(figure: Any) -> list[str]:
    return [text.strip() for text in figure.locator(".legend li").all_inner_texts()]


def edges(tab: Tab) -> list[list[str]]:
    """What the charts say of their places at the left and the right edge of the first one."""
    box = tab.page.locator(".u-over").first.bounding_box()
    assert box is not None
    found = []
    for x in (1, box["width"] - 1):
        tab.page.mouse.move(box["x"] + x, box["y"] + 20)
        found.append(tab.page.locator(".at").all_inner_texts())
    return found


def test_what_was_chosen_stays_while_new_values_come(tab: Tab, growing_ma: ModelArts, scripts: Puppet) -> None:
    """Zoom, a hidden curve, axis, smoothing and logarithm; the charts share one cursor, whose values are said."""
    job = started(growing_ma, scripts, with_log=lines(1, 100).encode())
    page = tab.open(f"/jobs/{job.id}?tab=metrics")
    page.locator("figure canvas").first.wait_for()
    picture = "() => document.querySelector('figure canvas').toDataURL()"
    loss = page.locator("figure").first
    assert legend(loss) == [
        "loss last 0.01, best 0.01",
        "val_loss last 0.02, best 0.02",
    ]
    assert edges(tab) == [["epoch 1"] * 3, ["epoch 100"] * 3]
    assert legend(loss) == ["loss 0.01", "val_loss 0.02"]

    box = page.locator(".u-over").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 90, steps=3)
    page.mouse.up()
    before = page.evaluate(picture)
    loss.get_by_label("val_loss").uncheck()
    assert page.evaluate(picture) != before
    zoomed = edges(tab)
    assert [int(texts[0].split()[1]) for texts in zoomed] == pytest.approx([26, 75], abs=2)
    page.mouse.move(1, 1)

    log(scripts, job, lines(101, 125))
    loss.get_by_text("last 0.008").wait_for()
    assert edges(tab) == zoomed
    page.get_by_role("button", name="Move right").click()
    assert [int(texts[0].split()[1]) for texts in edges(tab)] == pytest.approx([36, 85], abs=2)
    assert not loss.get_by_label("val_loss").is_checked()

    page.locator(".u-over").first.dblclick()
    assert edges(tab) == [["epoch 1"] * 3, ["epoch 125"] * 3]
    page.get_by_label("Across").select_option("value")
    page.get_by_label("Smoothing").fill("0.9")
    page.get_by_label("Logarithmic").check()
    page.reload()
    page.locator("figure canvas").first.wait_for()
    chosen = [page.get_by_label(name).input_value() for name in ("Across", "Smoothing")]
    assert (chosen, page.get_by_label("Logarithmic").is_checked()) == (["value", "0.9"], True)
    page.get_by_text("Not positive, so without a place on a logarithmic axis: 75.").wait_for()
    page.get_by_text("Gaps: 1 × nan, inf or beyond 1e100.").wait_for()
    assert edges(tab)[1][0] == "number of the value 125"
    assert "smoothed" in legend(loss)[0]


OVER = """() => {
    const over = document.querySelector(".u-over");
    const { x, y, width } = over.getBoundingClientRect();
    return Array.from({ length: width }, (_, left) => {
        over.dispatchEvent(new MouseEvent("mousemove", { clientX: x + left, clientY: y }));
        return Array.from(document.querySelectorAll(".at"), (text) => text.textContent);
    });
}"""


def test_all_charts_tell_the_values_of_the_same_place(tab: Tab, growing_ma: ModelArts, scripts: Puppet) -> None:
    """Also midway between two of them, and of a pointer that stays where it is while the scale changes."""
    epochs = range(1, 51)
    text = "".join(f"epoch {each} loss: {1 / each:.4f}, lr: {each * 1e-7}, acc: {each * 1000}\n" for each in epochs)
    page = tab.open(f"/jobs/{started(growing_ma, scripts, with_log=text.encode()).id}?tab=metrics")
    page.locator("figure canvas").first.wait_for()
    widths = page.locator(".u-over").evaluate_all("all => all.map((each) => each.clientWidth)")
    assert len({*widths}) > 1
    told = page.evaluate(OVER)
    for start, end in ((0.1, 0.6), (0.3, 0.9), (0.2, 0.5)):
        box = page.locator(".u-over").nth(1).bounding_box()
        page.mouse.move(box["x"] + box["width"] * start, box["y"] + 50)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * end, box["y"] + 50)
        page.mouse.up()
        told.append(page.locator(".at").all_inner_texts())
        page.mouse.dblclick(box["x"] + box["width"] * end, box["y"] + 50)
        told.append(page.locator(".at").all_inner_texts())

    assert [texts for texts in told if len({*texts}) > 1] == []


def test_what_a_chart_cannot_do_is_said_or_not_offered(tab: Tab, growing_ma: ModelArts, scripts: Puppet) -> None:
    """Without a positive value it stays linear; there is no choice of one axis, and no height that charts share."""
    job = started(growing_ma, scripts, with_log=b"".join(b"r2: %d, loss: %d\n" % (-each, each) for each in range(9)))
    page = tab.open(f"/jobs/{job.id}?tab=metrics&log=1")
    page.locator("figure canvas").first.wait_for()

    notes = ["This chart stays linear: it has no positive value."]
    notes += ["Not positive, so without a place on a logarithmic axis: 1."]
    assert page.locator(".lost").all_inner_texts() == notes
    assert not page.get_by_label("Across").is_visible()
    page.locator(".u-over").first.hover()
    assert page.locator(".u-cursor-x").count() == 2
    assert page.locator(".u-cursor-y").count() == 0


def test_the_keyboard_moves_the_cursor_and_zooms(tab: Tab, growing_ma: ModelArts, scripts: Puppet) -> None:
    """The chart keeps the focus when new values come."""
    job = started(growing_ma, scripts, with_log=lines(1, 100).encode())
    page = tab.open(f"/jobs/{job.id}?tab=metrics")
    page.locator("figure canvas").first.wait_for()
    page.locator(".plot").first.focus()
    said = []
    for key in ("ArrowRight", "ArrowRight", "+", "Shift+ArrowRight", "0", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
        said.append(page.locator(".at").first.inner_text())

    assert said[:2] == ["epoch 1", "epoch 2"]
    assert said[-1] == "epoch 1"
    page.keyboard.press("+")
    page.keyboard.press("+")
    page.keyboard.press("Shift+ArrowRight")
    assert edges(tab) == [["epoch 6"] * 3, ["epoch 30"] * 3]

    log(scripts, job, lines(101, 110))
    page.locator("td:text-is('109')").first.wait_for(state="attached")
    page.keyboard.press("0")
    assert edges(tab) == [["epoch 1"] * 3, ["epoch 110"] * 3]


def test_ticks_are_round_distinct_and_in_view(tab: Tab) -> None:
    """However large, small or narrow the range is; those of whole steps are whole."""
    random = Random(50)
    ranges = [(0, 3e-5), (0, 1e-7), (1e6, 1e6 + 1), (-1e300, 1e300), (0, 5e-324), (1, 1 + 1e-12), (0.0, 1.0)]
    for _ in range(1500):
        low = random.uniform(-1, 1) * 10 ** random.randint(-300, 299)
        span = abs(low) * 10 ** random.uniform(-9, 3) if random.random() < 0.7 else 10 ** random.uniform(-300, 299)
        ranges.append((low, low + span))
    ranges = [(low, high) for low, high in ranges if low < high]
    ticks = called(tab, "ticks", [(*each, 6) for each in ranges])
    texts = called(tab, "tickTexts", [(each,) for each in ticks])
    whole = called(tab, "ticks", [(low, low + span, 6, True) for low in (0, 7, 1e6) for span in (1, 3, 40, 1e5)])

    for (low, high), values, shown in zip(ranges, ticks, texts, strict=True):
        near = (high - low) * 1e-6 + 1e-14 * max(abs(low), abs(high))
        assert 1 <= len(values) <= 7, (low, high, values)
        assert len(values) >= 2 or near > (high - low) * 1e-4 or high < 1e-300, (low, high, values)
        assert all(low - near <= value <= high + near for value in values), (low, high, values)
        assert len({*shown}) == len(values), (low, high, shown)
        assert all(abs(float(text) - value) <= (high - low) / 100 for text, value in zip(shown, values, strict=True)), (
            shown
        )
    assert all(isinstance(value, int) for each in whole for value in each), whole


def test_powers_of_ten_are_the_ticks_of_a_logarithmic_axis(tab: Tab) -> None:
    random = Random(51)
    ranges = [
        (low, low * 10 ** random.uniform(0.1, 200)) for low in (10 ** random.uniform(-150, 50) for _ in range(300))
    ]
    for (low, high), values in zip(ranges, called(tab, "logTicks", [(*each, 6) for each in ranges]), strict=True):
        assert 1 <= len(values) <= 7, (low, high, values)
        assert all(low * 0.999 <= value <= high * 1.001 for value in values), (low, high, values)
        assert high < 100 * low or all(math.log10(each) == round(math.log10(each)) for each in values), (low, values)


def test_numbers_read_as_in_tables(tab: Tab) -> None:
    """Those of an axis, too, whatever its other numbers are."""
    random = Random(52)
    numbers = [random.uniform(-1, 1) * 10 ** random.randint(-12, 12) for _ in range(3000)]
    numbers += [0.0, 1.0, -1.0, 1e6, 999999.4, 9999.4, 9999.6, 1e-4, 3e-5, 123456.7, 1e-300, 1.7e308]

    assert called(tab, "numberText", [(each,) for each in numbers]) == [number_text(each) for each in numbers]
    short = [float(f"{each:.4g}") for each in numbers]
    assert called(tab, "tickTexts", [(short,)]) == [[number_text(each) for each in short]]


def test_smoothing_is_the_weighted_mean_of_the_values_so_far(tab: Tab) -> None:
    """A gap is no value, and stays a gap; without a weight, nothing changes."""
    random = Random(53)
    inputs = [
        ([None if random.random() < 0.2 else random.uniform(-9, 9) for _ in range(random.randint(0, 30))], weight)
        for weight in (0, 0.3, 0.9, 0.99)
        for _ in range(20)
    ]
    for (values, weight), found in zip(inputs, called(tab, "smoothed", inputs), strict=True):
        for place, (value, mean) in enumerate(zip(values, found, strict=True)):
            known = [each for each in values[: place + 1] if each is not None]
            weights = [weight ** (len(known) - 1 - number) for number in range(len(known))]
            assert (value is None) == (mean is None), (values, weight)
            if value is not None:
                wanted = sum(a * b for a, b in zip(known, weights, strict=True)) / sum(weights)
                assert mean == pytest.approx(wanted), (values, weight)


def test_runs_after_restarts_are_lines_of_their_own(tab: Tab) -> None:
    """None has two values at a place, and no value is lost; equal times follow one another."""
    series = {"name": "loss", "axes": {"time": [1, 2, 2, 3, 2, 3]}, "values": [9, 8, None, 6, 5, 4], "restarts": [4]}
    (found,) = called(tab, "linesOf", [({"series": [series]}, "time", 0, False)])

    assert [line["values"] for line in found["lines"]] == [[9, 8, None, 6], [5, 4]]
    assert found["xs"] == [1, 2, 2.000001, 3]
    assert [line["alone"] for line in found["lines"]] == [[3], []]
