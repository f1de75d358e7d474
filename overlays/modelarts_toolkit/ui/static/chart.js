// Draws charts as curves; what was chosen, zoomed or hidden stays so when new values come.
import { linesOf, logTicks, nearest, numberText, tickTexts, ticks } from "./chart_math.js";

const HEIGHT = 240;
const FEW = 40; // values of a line that are also drawn as points
const DASHED_FROM = 5; // colours
const NAMES = { value: "number of the value", time: "minutes since the log began" };

const tools = document.getElementById("chart-tools");
const { x: across, smooth, weight, log } = tools.elements;
const address = new URL(location.href);
const zooms = new Map(); // of each axis, what is in view
const hidden = new Set(); // series
let wanted = address.searchParams.get("x"); // axis
let charts = [];

const nameOf = (axis) => NAMES[axis] ?? axis;
const colourOf = (chart, selector) => getComputedStyle(chart.figure.querySelector(selector)).color;
const on = (axis) => charts.filter((chart) => chart.axis === axis);
const axesInUse = () => new Set(charts.map((chart) => chart.axis));

function extentOf(axis) {
  const xs = on(axis).flatMap(({ plot }) => [plot.data[0][0], plot.data[0].at(-1)]);
  return [Math.min(...xs), Math.max(...xs)];
}

const viewOf = (axis) => zooms.get(axis) ?? extentOf(axis);

// Shows a part of an axis in all of its charts.
function view(axis, low, high) {
  const [first, last] = extentOf(axis);
  const width = Math.min(high - low, last - first);
  const start = Math.min(Math.max(low, first), last - width);
  if (width < (last - first) * 1e-6) return;
  if (width === last - first) zooms.delete(axis);
  else zooms.set(axis, [start, start + width]);
  for (const { plot } of on(axis)) plot.setData(plot.data);
  alignCursors(axis);
}

// Once the scale has changed, the same place is another pixel in each chart: the chart in use tells it to the others.
function alignCursors(axis) {
  queueMicrotask(() => {
    const marked = on(axis).filter(({ plot }) => plot.cursor.left >= 0);
    const lead = marked.find(({ figure }) => figure.matches(":hover, :focus-within")) ?? marked[0];
    lead?.plot.setCursor(lead.plot.cursor, true, true);
  });
}

function zoomBy(axis, factor, around) {
  const [low, high] = viewOf(axis);
  const centre = around ?? (low + high) / 2;
  view(axis, centre - (centre - low) * factor, centre + (high - centre) * factor);
}

function moveBy(axis, share) {
  const [low, high] = viewOf(axis);
  const by = share * (high - low);
  view(axis, low + by, high + by);
}

// The values at the cursor; without one, what the server says of each series.
function showValues({ figure, lines, plot, axis }) {
  const place = plot.cursor.idx ?? -1;
  const xs = plot.data[0];
  figure.querySelector(".at").textContent = place < 0 ? "" : `${nameOf(axis)} ${numberText(xs[place])}`;
  figure.querySelectorAll(".legend .quiet").forEach((text, index) => {
    text.dataset.text ??= text.textContent;
    text.textContent = text.dataset.text;
    if (place < 0) return;
    const line = lines.findLast((each) => each.index === index && nearest(each.said, place) >= 0);
    const at = line ? nearest(line.said, place) : -1;
    const parts = [at < 0 ? "–" : line.said[at] === null ? "no number" : numberText(line.said[at])];
    if (line?.faint && line.drawn[at] !== null) parts.push(`smoothed ${numberText(line.drawn[at])}`);
    text.textContent = parts.join(", ") + (at < 0 || at === place ? "" : ` at ${numberText(xs[at])}`);
  });
}

function drawMarks(chart) {
  const { ctx, bbox, valToPos } = chart.plot;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colourOf(chart, ".at");
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.setLineDash([2, 3]);
  const marks = chart.lines.filter(({ run }) => run > 0).map(({ index, places }) => [places[0], chart.data.series[index].mark]);
  for (const [x, mark] of new Map(marks)) {
    const left = valToPos(x, "x", true);
    const share = (left - bbox.left) / bbox.width;
    if (!(share >= 0 && share <= 1)) continue;
    ctx.strokeRect(left, bbox.top, 0, bbox.height);
    ctx.textAlign = share > 0.5 ? "right" : "left";
    ctx.fillText(` ${mark} `, left, bbox.top + 12 * devicePixelRatio);
  }
  ctx.restore();
}

// A curve, and a faint one below it if it is smoothed; `line` changes with the values.
function seriesOf(chart, place) {
  const line = () => chart.lines[place];
  const { index, isLast, faint } = line();
  const { colour, name } = chart.data.series[index];
  const stroke = () => colourOf(chart, `.legend > :nth-child(${index + 1})`);
  const isFew = () => line().values.length <= FEW;
  const points = { show: isFew, filter: () => (isFew() ? null : line().alone), size: 6, fill: stroke };
  const dash = colour % 10 < DASHED_FROM ? undefined : [6, 4];
  const common = { label: name, stroke, dash, show: !hidden.has(`${chart.data.title} ${name}`) };
  const drawn = { ...common, width: 2, points, alpha: isLast ? 1 : 0.6 };
  return faint ? [{ ...common, width: 1, points: { show: false }, alpha: 0.45 }, drawn] : [drawn];
}

function optionsOf(chart) {
  const { axis, isLog } = chart;
  const quiet = () => colourOf(chart, ".at");
  const faint = { stroke: () => quiet().replace("rgb(", "rgba(").replace(")", ", 0.2)"), width: 1 };
  const style = { stroke: quiet, grid: faint, ticks: faint, values: (_plot, values) => tickTexts(values) };
  const isWhole = () => axis !== "time" && chart.xs.every(Number.isInteger);
  return {
    width: chart.figure.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    scales: {
      x: { time: false, range: (_plot, low, high) => zooms.get(axis) ?? [low, high] },
      y: {
        distr: isLog ? 3 : 1,
        range: (_plot, low, high) => {
          if (low === null) return [1, 10];
          return isLog ? [low / 1.1, high * 1.1] : (chart.data.fixed ?? uPlot.rangeNum(low, high, 0.1, true));
        },
      },
    },
    axes: [
      {
        ...style,
        label: nameOf(axis),
        labelSize: 20,
        size: 30,
        splits: (plot, _index, low, high) => ticks(low, high, Math.max(2, plot.width / 80), isWhole()),
      },
      {
        ...style,
        splits: (_plot, _index, low, high) => (isLog ? logTicks(low, high, 6) : ticks(low, high, 6)),
        filter: (_plot, values) => values, // all of those on a logarithmic axis, too
        size: (_plot, texts) => 20 + 7 * Math.max(3, ...(texts ?? []).map((text) => text.length)),
      },
    ],
    series: [{}, ...chart.lines.flatMap((_, place) => seriesOf(chart, place))],
    cursor: {
      y: false,
      move: (_plot, left, top) => [left + 0.01, top], // not midway between two values, where rounding would choose one
      drag: { x: true, y: false, setScale: false },
      sync: { key: axis, setSeries: false, scales: ["x", null] },
      bind: { dblclick: () => () => zoomBy(axis, Infinity) },
    },
    hooks: {
      draw: [() => drawMarks(chart)],
      setCursor: [() => chart.plot && showValues(chart)],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < 4) return;
          plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          view(axis, plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
        },
      ],
    },
  };
}

// Draws a chart, or gives the one that is there its new values.
function draw(figure, data, axis, old) {
  const all = data.series.flatMap(({ values }) => values).filter((value) => value !== null);
  const lost = all.filter((value) => value <= 0).length;
  const isLog = log.checked && lost < all.length;
  const note = figure.querySelector(".lost");
  note.hidden = !log.checked || lost === 0;
  note.textContent = isLog ? `Not positive, so without a place on a logarithmic axis: ${lost}.` : "This chart stays linear: it has no positive value.";
  const { xs, lines } = linesOf(data, axis, Number(smooth.value), isLog);
  const names = lines.map((line) => `${data.title} ${data.series[line.index].name}`);
  const identity = JSON.stringify([axis, isLog, smooth.value > 0, names, names.map((name) => hidden.has(name))]);
  const chart = old?.identity === identity ? old : { identity, axis, isLog, lines: [] };
  Object.assign(chart, { figure, data, xs });
  chart.lines.splice(0, Infinity, ...lines);
  const columns = [xs, ...lines.flatMap((line) => (line.faint ? [line.faint, line.drawn] : [line.drawn]))];
  const box = figure.querySelector(".plot");
  for (const check of figure.querySelectorAll(".legend input")) Object.assign(check, { hidden: false, checked: !hidden.has(check.value) });
  if (chart === old) {
    if (box !== chart.box) box.replaceWith(chart.box);
    chart.plot.setData(columns);
    return chart;
  }
  old?.plot.destroy();
  box.hidden = false;
  chart.box = box;
  chart.plot = new uPlot(optionsOf(chart), columns, box);
  box.addEventListener("keydown", (event) => press(chart, event));
  return chart;
}

function press({ plot, axis }, event) {
  const place = plot.cursor.idx;
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const factor = { "+": 0.5, "-": 2, 0: Infinity }[event.key];
  if (factor) zoomBy(axis, factor, plot.data[0][place]);
  else if (!by) return;
  else if (event.shiftKey) moveBy(axis, by / 5);
  else {
    const [first, last] = plot.series[0].idxs;
    const next = Math.min(Math.max((place ?? (by > 0 ? first - 1 : last + 1)) + by, first), last);
    plot.setCursor({ left: plot.valToPos(plot.data[0][next], "x"), top: 0 }, true, true);
  }
  event.preventDefault();
  event.stopPropagation();
}

function drawCharts() {
  const found = [...document.querySelectorAll("figure[data-chart]")].map((figure) => [figure, JSON.parse(figure.dataset.chart)]);
  const axes = [...new Set(found.flatMap(([, data]) => (data.axes.length > 1 ? data.axes : [])))];
  const chosen = axes.includes(wanted) ? wanted : axes[0];
  const old = charts;
  charts = found.map(([figure, data], place) => draw(figure, data, data.axes.includes(chosen) ? chosen : data.axes[0], old[place]));
  for (const { plot } of old.slice(charts.length)) plot.destroy();
  axesInUse().forEach(alignCursors);
  tools.hidden = found.length === 0;
  across.parentElement.hidden = axes.length < 2;
  if (document.activeElement === across) return; // its list may be open
  across.replaceChildren(...axes.map((axis) => new Option(nameOf(axis), axis, false, axis === chosen)));
}

smooth.value = address.searchParams.get("smooth") ?? 0;
log.checked = address.searchParams.has("log");
weight.value = smooth.value;
tools.addEventListener("input", () => {
  wanted = across.value;
  weight.value = smooth.value;
  address.searchParams.delete("log");
  for (const [name, value] of new FormData(tools)) address.searchParams.set(name, value);
  history.replaceState(null, "", address);
  drawCharts();
});
tools.addEventListener("submit", (event) => event.preventDefault());
tools.addEventListener("click", ({ target }) => {
  const change = { zoom: zoomBy, move: moveBy }[target.name];
  if (change) for (const axis of axesInUse()) change(axis, Number(target.value));
});
document.addEventListener("change", ({ target }) => {
  if (!target.matches(".legend input")) return;
  if (target.checked) hidden.delete(target.value);
  else hidden.add(target.value);
  drawCharts();
});
document.addEventListener("replaced", drawCharts);
drawCharts();

addEventListener("resize", () => {
  for (const { plot, figure } of charts) plot.setSize({ width: figure.clientWidth, height: HEIGHT });
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach(({ plot }) => plot.redraw(false)));
