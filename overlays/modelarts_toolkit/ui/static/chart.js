// Draws each table of a chart as curves; the table stays for those who read it.
const COLOURS = ["--accent", "--bad", "--good", "--warn"];
const HEIGHT = 240;
const DASHES = [[], [6, 4], [2, 3]];

function numbersOf(table) {
  const rows = [...table.tBodies[0].rows].map((row) =>
    [...row.cells].map((cell) => (cell.textContent === "" ? undefined : cell.textContent === "–" ? null : Number(cell.textContent))),
  );
  return [...table.tHead.rows[0].cells].map((_, column) => rows.map((row) => row[column]));
}

// As many digits as tell neighbouring ticks apart; very large and very small numbers have an exponent.
function ticks(values, step) {
  const most = Math.max(...values.map(Math.abs));
  const digits = Math.min(Math.max(1, Math.ceil(Math.log10(most / step)) + 1), 15);
  return values.map((value) => {
    const text = Number(value.toPrecision(digits));
    return most >= 1e6 || most < 1e-3 ? text.toExponential().replace("e+", "e").replace("0e0", "0") : String(text);
  });
}

const isWhole = (values) => values.every(Number.isInteger);
const WHOLE = Array.from({ length: 30 }, (_, place) => [1, 2, 5][place % 3] * 10 ** Math.floor(place / 3));

function draw(figure) {
  const table = figure.querySelector("table");
  const plot = figure.querySelector(".plot");
  const data = numbersOf(table);
  if (data[0].length < 2) return;
  plot.hidden = false;
  const style = getComputedStyle(document.documentElement);
  const probe = document.createElement("i");
  plot.append(probe);
  const colour = (name) => {
    probe.style.color = style.getPropertyValue(name);
    return getComputedStyle(probe).color;
  };
  const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } };
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const options = {
    width: plot.clientWidth,
    height: HEIGHT,
    scales: { x: { time: false } },
    axes: [
      { ...axis, label: names[0], labelSize: 20, ...(isWhole(data[0]) ? { incrs: WHOLE } : {}) },
      {
        ...axis,
        label: figure.querySelector("figcaption").textContent,
        labelSize: 20,
        values: (_plot, values, _axis, _space, step) => ticks(values, step),
        size: (_plot, values) => Math.max(60, 20 + 8 * Math.max(0, ...(values ?? []).map((text) => text.length))),
      },
    ],
    series: names.map((label, index) =>
      index === 0
        ? { label }
        : {
            label,
            stroke: colour(COLOURS[(index - 1) % COLOURS.length]),
            dash: DASHES[Math.floor((index - 1) / COLOURS.length) % DASHES.length],
            width: 2,
            points: { show: data[0].length < 40 },
          },
    ),
  };
  plot.replaceChildren();
  new uPlot(options, data, plot);
}

function drawCharts(root) {
  for (const figure of root.querySelectorAll("figure.chart")) draw(figure);
}

document.addEventListener("replaced", (event) => drawCharts(event.detail));
drawCharts(document);

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) drawCharts(document);
  width = innerWidth;
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawCharts(document));
