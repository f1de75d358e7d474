// Numbers of charts: texts, ticks, smoothing, and lines over one x axis. Of values, null is a gap.

// The number with four digits, as in tables.
export function numberText(value) {
  if (!Number.isFinite(value)) return String(value).toLowerCase().replace("infinity", "inf");
  if (Math.abs(value) >= 9999.5 && Math.abs(value) < 999999.5) return value.toFixed(0);
  const rounded = Number(value.toPrecision(4));
  return rounded !== 0 && (Math.abs(rounded) < 1e-4 || Math.abs(rounded) >= 1e6) ? exponential(rounded) : String(rounded);
}

const exponential = (value) => (value === 0 ? "0" : value.toExponential().replace("e+", "e"));

// Round numbers between these two, `most` of them at most; whole ones only, if `isWhole`.
export function ticks(low, high, most, isWhole = false) {
  const least = (high - low) / most;
  const base = 10 ** Math.floor(Math.log10(least));
  let step = base * [1, 2, 5, 10].find((factor) => factor * base >= least * 0.999999);
  if (isWhole) step = Math.max(1, Math.round(step));
  if (!Number.isFinite(step) || step <= 0) return [low];
  const found = [];
  for (let place = Math.ceil(low / step); place <= high / step && found.length <= most; place++) {
    found.push(Number((place * step).toPrecision(15)));
  }
  return [...new Set(found)];
}

// Powers of ten, unless they are too few.
export function logTicks(low, high, most) {
  const first = Math.ceil(Math.log10(low));
  const count = Math.floor(Math.log10(high)) - first + 1;
  if (count < 2) return ticks(low, high, most).filter((value) => value > 0);
  const step = Math.ceil(count / most);
  return Array.from({ length: Math.ceil(count / step) }, (_, place) => Number(`1e${first + place * step}`));
}

// As few digits as tell the values apart; very large and very small ones have an exponent.
export function tickTexts(values) {
  if (values[0] > 0 && values.length > 1 && values.at(-1) / values[0] >= 10 ** (values.length - 1)) return values.map(numberText); // powers of ten
  const most = Math.max(...values.map(Math.abs));
  const isPlain = most === 0 || (most < 1e6 && most >= 1e-3);
  const closest = Math.min(...values.slice(1).map((value, place) => Math.abs(value - values[place])), most || 1);
  for (let digits = 1; ; digits++) {
    const rounded = values.map((value) => Number(value.toPrecision(digits)));
    if (digits === 17 || rounded.every((value, place) => Math.abs(value - values[place]) <= closest * 1e-3)) {
      return rounded.map((value) => (isPlain ? String(value) : exponential(value)));
    }
  }
}

// The exponential mean of the values so far, without the pull of the first one; gaps stay gaps.
export function smoothed(values, weight) {
  let sum = 0;
  let total = 0;
  return values.map((value) => {
    if (value === null) return null;
    sum = sum * weight + value * (1 - weight);
    total = total * weight + (1 - weight);
    return sum / total;
  });
}

// The runs of a series: its values from a restart to the next, each with its places.
function runsOf(series, axis) {
  const starts = [0, ...series.restarts];
  return starts.map((start, run) => {
    const end = starts[run + 1];
    let before = -Infinity;
    const places = series.axes[axis].slice(start, end).map((x) => (before = x > before ? x : before + 1e-6)); // of equal times
    return { places, values: series.values.slice(start, end) };
  });
}

// All runs over one x axis: undefined where a run has no value. `drawn` are the smoothed ones, `lost` how many values
// have no place on a logarithmic axis.
export function linesOf(chart, axis, weight, isLog) {
  let lost = 0;
  const lines = chart.series.flatMap((series, index) => {
    const runs = runsOf(series, axis);
    return runs.map((run, place) => {
      const positive = (value) => (isLog && value !== null && value <= 0 ? null : value);
      lost += isLog ? run.values.filter((value) => value !== null && value <= 0).length : 0;
      const drawn = weight > 0 ? smoothed(run.values, weight) : run.values;
      return { index, run: place, isLast: place === runs.length - 1, ...run, drawn: drawn.map(positive), raw: run.values.map(positive) };
    });
  });
  const xs = [...new Set(lines.flatMap((line) => line.places))].sort((one, other) => one - other);
  const placeOf = new Map(xs.map((x, place) => [x, place]));
  const spread = (line, values) => {
    const column = new Array(xs.length).fill(undefined);
    line.places.forEach((x, place) => (column[placeOf.get(x)] = values[place]));
    return column;
  };
  for (const line of lines) {
    line.column = spread(line, line.drawn);
    line.faint = weight > 0 ? spread(line, line.raw) : null;
    line.said = spread(line, line.values);
    line.alone = line.places.flatMap((x, place) => {
      const isAlone = line.drawn[place] !== null && (line.drawn[place - 1] ?? null) === null && (line.drawn[place + 1] ?? null) === null;
      return isAlone ? [placeOf.get(x)] : [];
    });
  }
  return { xs, lines, lost };
}

// The place of the value that is nearest to another place, which may be a gap; -1 outside of the line.
export function nearest(column, place) {
  const first = column.findIndex((value) => value !== undefined);
  const last = column.findLastIndex((value) => value !== undefined);
  if (first < 0 || place < first || place > last) return -1;
  for (let distance = 0; ; distance++) {
    if (column[place - distance] !== undefined) return place - distance;
    if (column[place + distance] !== undefined) return place + distance;
  }
}
