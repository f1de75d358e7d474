// Numbers of charts: texts, ticks, smoothing, and lines over one x axis. Of values, null is a gap.

// All digits; very large and very small numbers have an exponent.
function allDigits(value) {
  const size = Math.abs(value);
  return value === 0 || (size >= 1e-4 && size < 1e6) ? String(value) : value.toExponential().replace("e+", "e");
}

// The number with four digits, as in tables.
export function numberText(value) {
  const size = Math.abs(value);
  return allDigits(Number(size >= 9999.5 && size < 999999.5 ? value.toFixed(0) : value.toPrecision(4)));
}

// Round numbers between these two, at most `most` and one; whole ones only, if `isWhole`.
export function ticks(low, high, most, isWhole = false) {
  const least = (high - low) / most;
  const base = 10 ** Math.floor(Math.log10(least));
  let step = base * [1, 2, 5, 10].find((factor) => factor * base >= least * 0.999999);
  if (isWhole) step = Math.max(1, Math.round(step));
  const found = new Set();
  if (!(step > 0 && step < Infinity)) return [low];
  for (let place = Math.ceil(low / step); place <= high / step && found.size <= most; place++) {
    const value = Number((place * step).toPrecision(15));
    if (found.has(value)) break; // the range is narrower than numbers are exact
    found.add(value);
  }
  return [...found];
}

// Powers of ten, unless they are too few.
export function logTicks(low, high, most) {
  const first = Math.ceil(Math.log10(low));
  const count = Math.floor(Math.log10(high)) - first + 1;
  if (count < 2) return ticks(low, high, most).filter((value) => value > 0);
  const step = Math.ceil(count / most);
  return Array.from({ length: Math.ceil(count / step) }, (_, place) => Number(`1e${first + place * step}`));
}

// Ticks are round already.
export const tickTexts = (values) => values.map(allDigits);

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

// The lines of a chart over one x axis, a line for each run from a restart to the next: undefined where it has no value.
export function linesOf(chart, axis, weight, isLog) {
  const lines = chart.series.flatMap(({ axes, values, restarts }, index) => {
    const starts = [0, ...restarts];
    return starts.map((start, run) => {
      let before = -Infinity;
      const places = axes[axis].slice(start, starts[run + 1]).map((x) => (before = x > before ? x : before + 1e-6)); // equal times
      return { index, run, isLast: run === restarts.length, places, values: values.slice(start, starts[run + 1]) };
    });
  });
  const xs = [...new Set(lines.flatMap((line) => line.places))].sort((one, other) => one - other);
  const placeOf = new Map(xs.map((x, place) => [x, place]));
  for (const line of lines) {
    const spread = (values) => {
      const column = new Array(xs.length).fill(undefined);
      line.places.forEach((x, place) => (column[placeOf.get(x)] = values[place]));
      return column;
    };
    const positive = (values) => spread(isLog ? values.map((value) => (value > 0 ? value : null)) : values);
    line.said = spread(line.values);
    line.drawn = positive(smoothed(line.values, weight));
    line.faint = weight > 0 ? positive(line.values) : null;
    const known = line.places.map((x) => placeOf.get(x));
    const isGap = (place) => (line.drawn[known[place]] ?? null) === null;
    line.alone = known.filter((_, place) => !isGap(place) && isGap(place - 1) && isGap(place + 1));
  }
  return { xs, lines };
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
