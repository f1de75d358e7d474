// Draws charts as curves; what was chosen, zoomed or hidden stays so when new values come.
import { linesOf, logTicks, nearest, numberText, tickTexts, ticks } from "./chart_math.js";

const HEIGHT = 240;
const FONT = "12px system-ui, sans-serif";
const FEW = 40; // values of a line that are also drawn as points
const DASHED_FROM = 5; // colours
const DASH = [6, 4];
const NAMES = { value: "number of the value", time: "minutes since the log began" };

const tools = document.getElementById("chart-tools");
const address = new URLSearchParams(location.search);
const choice = { x: address.get("x") ?? "", smooth: Math.min(Math.max(Number(address.get("smooth")) || 0, 0), 0.99), log: address.has("log") };
const zooms = new Map(); // of each axis, what is in view
const hidden = new Set(); // series
let charts = new Map(); // by title
let focused = null; // what had the focus before it was moved into new HTML

const nameOf = (axis) => NAMES[axis] ?? axis;
const colourOf = (chart, selector) => getComputedStyle(chart.figure.querySelector(selector)).color;
const faint = (colour, alpha) => colour.replace("rgb(", "rgba(").replace(")", `, ${alpha})`);

function zoom(axis, view) {
  if (view) zooms.set(axis, view);
  else zooms.delete(axis);
  for (const chart of charts.values()) if (chart.axis === axis) chart.plot.setData(chart.plot.data);
}

function extentOf(axis) {
  const ends = [...charts.values()].filter((chart) => chart.axis === axis).map((chart) => chart.plot.data[0]);
  return [Math.min(...ends.map((xs) => xs[0])), Math.max(...ends.map((xs) => xs.at(-1)))];
}

function zoomBy(axis, factor, around) {
  const [first, last] = extentOf(axis);
  const [low, high] = zooms.get(axis) ?? [first, last];
  const centre = around ?? (low + high) / 2;
  const view = [centre - (centre - low) * factor, centre + (high - centre) * factor];
  if (view[0] <= first && view[1] >= last) zoom(axis, null);
  else if (view[1] - view[0] > (last - first) * 1e-6) zoom(axis, view);
}

function move(axis, by) {
  const [low, high] = zooms.get(axis) ?? extentOf(axis);
  const [first, last] = extentOf(axis);
  const shift = Math.min(Math.max(by, first - low), last - high);
  if (zooms.has(axis)) zoom(axis, [low + shift, high + shift]);
}

// Moves what is in view with the pointer until it is released.
function pan(chart, event) {
  let at = event.clientX;
  const follow = (next) => {
    const scale = chart.plot.scales.x;
    move(chart.axis, ((at - next.clientX) * (scale.max - scale.min)) / chart.plot.over.clientWidth);
    at = next.clientX;
  };
  document.addEventListener("pointermove", follow);
  for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, () => document.removeEventListener("pointermove", follow), { once: true });
}

// The values at the cursor; without one, what the server says of each series.
function showValues(chart, place) {
  const { figure, lines } = chart;
  const isAt = place !== null && place !== undefined;
  figure.querySelector(".at").textContent = isAt ? `${nameOf(chart.axis)} ${numberText(chart.plot.data[0][place])}` : "";
  [...figure.querySelectorAll(".legend > li")].forEach((item, index) => {
    const text = item.querySelector(".quiet");
    item.dataset.text ??= text.textContent;
    if (!isAt) {
      text.textContent = item.dataset.text;
      return;
    }
    const line = lines.findLast((each) => each.index === index && nearest(each.said, place) >= 0);
    const at = line ? nearest(line.said, place) : -1;
    const where = at < 0 || at === place ? "" : ` at ${numberText(chart.plot.data[0][at])}`;
    const mean = line?.faint && line.said[at] !== null ? `, smoothed ${numberText(line.column[at] ?? NaN)}` : "";
    text.textContent = at < 0 ? "–" : (line.said[at] === null ? "no number" : numberText(line.said[at])) + mean + where;
  });
}

function drawMarks(chart) {
  const { plot, data, lines } = chart;
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colourOf(chart, ".at");
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = "top";
  for (const x of new Set(lines.filter((line) => line.run > 0 && line.places.length > 0).map((line) => line.places[0]))) {
    const left = plot.valToPos(x, "x", true);
    if (left < bbox.left || left > bbox.left + bbox.width) continue;
    ctx.setLineDash([2, 3]);
    ctx.strokeRect(left, bbox.top, 0, bbox.height);
    const isRight = left > bbox.left + bbox.width / 2;
    ctx.textAlign = isRight ? "right" : "left";
    ctx.fillText(data.mark, left + (isRight ? -4 : 4), bbox.top + 2);
  }
  ctx.restore();
}

function optionsOf(chart) {
  const { lines, axis, data, isLog } = chart;
  const quiet = () => colourOf(chart, ".at");
  const style = { stroke: quiet, grid: { stroke: () => faint(quiet(), 0.2), width: 1 }, ticks: { stroke: () => faint(quiet(), 0.2), width: 1 } };
  const series = lines.flatMap((line) => {
    const { colour, name } = data.series[line.index];
    const common = {
      label: name,
      stroke: () => colourOf(chart, `.legend > :nth-child(${line.index + 1})`),
      dash: colour % 10 >= DASHED_FROM ? DASH : undefined,
      show: !hidden.has(`${data.title} ${name}`),
      width: 2,
    };
    const points = { show: line.values.length <= FEW, filter: (_plot, _index, isShown) => (isShown ? null : line.alone), size: 6, fill: common.stroke };
    const drawn = { ...common, points, alpha: line.isLast ? 1 : 0.6 };
    return line.faint ? [{ ...common, alpha: 0.45, width: 1, points: { show: false } }, drawn] : [drawn];
  });
  const isWhole = axis !== "time" && chart.xs.every(Number.isInteger);
  const range = (_plot, low, high) => {
    if (low === null) return [0, 1];
    if (isLog) return [low / 1.1, high * 1.1];
    return data.fixed ?? uPlot.rangeNum(low, high, 0.1, true);
  };
  return {
    width: chart.figure.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    scales: {
      x: { time: false, range: (_plot, low, high) => zooms.get(axis) ?? (low === high ? [low - 1, high + 1] : [low, high]) },
      y: { distr: isLog ? 3 : 1, range },
    },
    axes: [
      {
        ...style,
        label: nameOf(axis),
        labelSize: 20,
        labelFont: FONT,
        size: 30,
        splits: (plot, _index, low, high) => ticks(low, high, Math.max(2, Math.floor((plot.bbox.width || 300) / devicePixelRatio / 60)), isWhole),
        values: (_plot, values) => tickTexts(values),
      },
      {
        ...style,
        splits: (_plot, _index, low, high) => (isLog ? logTicks(low, high, 6) : ticks(low, high, 6)),
        filter: (_plot, values) => values,
        values: (_plot, values) => (isLog && values.length > 1 && values.at(-1) / values[0] >= 10 ? values.map(numberText) : tickTexts(values)),
        size: (_plot, texts) => Math.max(40, 20 + 7 * Math.max(0, ...(texts ?? []).map((text) => text.length))),
      },
    ],
    series: [{}, ...series],
    cursor: {
      drag: { x: true, y: false, setScale: false },
      sync: { key: axis, setSeries: false, scales: ["x", null] },
      bind: {
        mousedown: (_plot, _over, handle) => (event) => (event.shiftKey ? pan(chart, event) : handle(event)),
        dblclick: () => () => zoom(axis, null),
      },
    },
    hooks: {
      draw: [() => drawMarks(chart)],
      setCursor: [(plot) => showValues(chart, plot.cursor.idx)],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < 4) return;
          plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          zoom(axis, [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
        },
      ],
    },
  };
}

// Draws a chart, or gives the one that is there its new values.
function draw(figure, data, chosen, old) {
  const axis = data.axes.includes(chosen) ? chosen : data.axes[0];
  const found = linesOf(data, axis, choice.smooth, choice.log);
  const isLog = choice.log && found.lines.some((line) => line.drawn.some((value) => value !== null));
  const { xs, lines } = isLog ? found : linesOf(data, axis, choice.smooth, false);
  const lost = figure.querySelector(".lost");
  lost.textContent = isLog ? `${found.lost} values have no place on this axis, because they are not positive.` : "No value is positive: the axis is not logarithmic.";
  lost.hidden = !choice.log || (isLog && found.lost === 0);
  const identity = JSON.stringify([axis, isLog, choice.smooth > 0, data.fixed, lines.map((line) => [line.index, line.isLast, line.values.length <= FEW, data.series[line.index].name])]);
  const columns = [xs, ...lines.flatMap((line) => (line.faint ? [line.faint, line.column] : [line.column]))];
  const chart = old?.identity === identity ? old : { identity, axis, isLog };
  Object.assign(chart, { figure, data, xs });
  const box = figure.querySelector(".plot");
  box.hidden = false;
  for (const check of figure.querySelectorAll(".legend input")) {
    check.hidden = false;
    check.checked = !hidden.has(check.value);
  }
  if (chart === old) {
    chart.lines.splice(0, Infinity, ...lines);
    box.replaceWith(chart.box);
    chart.plot.setData(columns);
    if (focused === chart.box && document.activeElement === document.body) focused.focus({ preventScroll: true });
    return chart;
  }
  old?.plot.destroy();
  chart.lines = lines;
  chart.box = box;
  box.replaceChildren();
  chart.plot = new uPlot(optionsOf(chart), columns, box);
  chart.plot.over.addEventListener("pointerdown", (event) => event.pointerType === "touch" && pan(chart, event));
  box.addEventListener("keydown", (event) => pressed(chart, event));
  return chart;
}

function pressed(chart, event) {
  const { plot, axis } = chart;
  const place = plot.cursor.idx;
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by && event.shiftKey) move(axis, (by * (plot.scales.x.max - plot.scales.x.min)) / 5);
  else if (by) {
    const [first, last] = plot.series[0].idxs;
    const next = place === null || place === undefined ? (by > 0 ? first : last) : Math.min(Math.max(place + by, first), last);
    plot.setCursor({ left: plot.valToPos(plot.data[0][next], "x"), top: plot.over.clientHeight / 2 }, true, true);
  } else if (event.key === "+" || event.key === "-") zoomBy(axis, event.key === "+" ? 0.5 : 2, plot.data[0][place]);
  else if (event.key === "0") zoom(axis, null);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function drawCharts() {
  const found = [...document.querySelectorAll("figure[data-chart]")].map((figure) => ({ figure, data: JSON.parse(figure.dataset.chart) }));
  const axes = [...new Set(found.flatMap(({ data }) => (data.axes.length > 1 ? data.axes : [])))];
  const chosen = axes.includes(choice.x) ? choice.x : axes[0];
  const old = charts;
  charts = new Map();
  for (const { figure, data } of found) {
    const key = `${charts.size} ${data.title}`;
    charts.set(key, draw(figure, data, chosen, old.get(key)));
  }
  for (const [key, chart] of old) if (!charts.has(key)) chart.plot.destroy();
  if (!tools) return;
  tools.hidden = found.length === 0;
  tools.elements.x.parentElement.hidden = axes.length < 2;
  if (document.activeElement === tools.elements.x) return; // its list may be open
  tools.elements.x.replaceChildren(...axes.map((axis) => new Option(nameOf(axis), axis, false, axis === chosen)));
}

if (tools) {
  tools.elements.smooth.value = choice.smooth;
  tools.elements.weight.value = choice.smooth;
  tools.elements.log.checked = choice.log;
  tools.addEventListener("input", () => {
    Object.assign(choice, { x: tools.elements.x.value, smooth: Number(tools.elements.smooth.value), log: tools.elements.log.checked });
    tools.elements.weight.value = choice.smooth;
    const here = new URL(location.href);
    for (const [name, value] of Object.entries({ x: choice.x, smooth: choice.smooth || "", log: choice.log ? "1" : "" })) {
      if (value) here.searchParams.set(name, value);
      else here.searchParams.delete(name);
    }
    history.replaceState(null, "", here);
    drawCharts();
  });
  tools.addEventListener("submit", (event) => event.preventDefault());
  tools.addEventListener("click", (event) => {
    if (!event.target.matches("button")) return;
    for (const axis of new Set([...charts.values()].map((chart) => chart.axis))) {
      if (event.target.value) zoomBy(axis, Number(event.target.value));
      else zoom(axis, null);
    }
  });
}

document.addEventListener("change", (event) => {
  if (!event.target.matches(".legend input")) return;
  if (event.target.checked) hidden.delete(event.target.value);
  else hidden.add(event.target.value);
  const chart = [...charts.values()].find((each) => each.figure.contains(event.target));
  const shown = new Set(chart.data.series.filter((each) => !hidden.has(`${chart.data.title} ${each.name}`)).map((each) => each.name));
  chart.plot.series.forEach((series, place) => place > 0 && chart.plot.setSeries(place, { show: shown.has(series.label) }));
});
document.addEventListener("focusin", (event) => (focused = event.target));
document.addEventListener("replaced", drawCharts);
drawCharts();

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) for (const chart of charts.values()) chart.plot.setSize({ width: chart.figure.clientWidth, height: HEIGHT });
  width = innerWidth;
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach((chart) => chart.plot.redraw(false)));
