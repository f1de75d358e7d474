// Search in the log: all matches are counted, some blocks of lines at a time; those in view are marked.
const SLICE_MS = 10; // of counting, after which the page can do other things
const log = document.getElementById("log");
const wanted = document.getElementById("wanted");
const matches = document.getElementById("matches");

const blocks = []; // of lines, the oldest first
let pattern = null;
let current = -1; // the number of the match that was jumped to, from 0
let steps = 0; // that wait until all is counted
let isCounting = false;

export const textOf = (line) => line.textContent.slice(line.firstElementChild.textContent.length);

// The lines of one element; `count` is that of its matches, null until they are counted.
export function addBlock(element) {
  const block = { element, text: "", count: null };
  blocks.push(block);
  return block;
}

export function removeFirstBlock() {
  const block = blocks.shift();
  if (current >= 0) current = Math.max(-1, current - (block.count ?? countOf(block)));
  block.element.remove();
}

export function removeBlocks() {
  blocks.length = 0;
  current = -1;
}

function countOf(block) {
  let count = 0;
  for (pattern.lastIndex = 0; pattern.test(block.text); ) count++;
  return count;
}

// Counts what is new, and marks what is in view.
export async function refresh() {
  mark();
  if (isCounting) return; // by a call that takes the new pattern and the new lines, too
  isCounting = true;
  let began = performance.now();
  for (let block; pattern && (block = blocks.find((each) => each.count === null)); ) {
    block.count = countOf(block);
    if (performance.now() - began < SLICE_MS) continue;
    matches.textContent = "counting";
    await new Promise((resolve) => setTimeout(resolve));
    began = performance.now();
  }
  isCounting = false;
  if (steps) step(steps);
  else say();
}

const total = () => blocks.reduce((sum, each) => sum + each.count, 0);
const place = () => `${current + 1}/${total()}${document.getElementById("missing").hidden ? "" : " in the lines shown"}`;
const say = () => (matches.textContent = pattern ? place() : "");

function* linesInView() {
  const view = log.getBoundingClientRect();
  const [top, bottom] = [view.top - view.height, view.bottom + view.height]; // what a small movement brings into view
  const visible = function* (elements) {
    let [low, high] = [0, elements.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (elements[middle].getBoundingClientRect().bottom < top) low = middle + 1;
      else high = middle;
    }
    for (; low < elements.length && elements[low].getBoundingClientRect().top < bottom; low++) yield elements[low];
  };
  for (const section of visible(log.getElementsByTagName("section"))) yield* visible(section.children);
}

// A part of a line's text; it can begin and end in different elements, which have colours.
function rangeOf(line, start, end) {
  const nodes = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const range = {};
  let place = -nodes.nextNode().length; // the number of the line
  for (let node = nodes.currentNode; node && place < end; place += node.length, node = nodes.nextNode()) {
    if (place <= start) Object.assign(range, { startContainer: node, startOffset: start - place });
    Object.assign(range, { endContainer: node, endOffset: Math.min(end - place, node.length) });
  }
  return new StaticRange(range);
}

function mark() {
  if (!window.Highlight || !pattern) return;
  const found = new Highlight();
  for (const line of linesInView()) {
    for (const match of textOf(line).matchAll(pattern)) found.add(rangeOf(line, match.index, match.index + match[0].length));
  }
  CSS.highlights.set("found", found);
}

function step(by) {
  steps = isCounting ? steps + by : 0;
  const count = total();
  if (isCounting || !count) return;
  current = (Math.max(current, by < 0 ? 0 : -1) + (by % count) + count) % count;
  let index = 0;
  let nth = current;
  while (nth >= blocks[index].count) nth -= blocks[index++].count;
  const { element, text } = blocks[index];
  const match = [...text.matchAll(pattern)][nth];
  const above = text.slice(0, match.index).split("\n");
  const line = element.children[above.length - 1];
  const range = rangeOf(line, above.at(-1).length, above.at(-1).length + match[0].length);
  log.dispatchEvent(new CustomEvent("jump", { detail: range.startContainer.parentElement }));
  if (window.Highlight) CSS.highlights.set("current", Object.assign(new Highlight(range), { priority: 1 }));
  say();
}

function search() {
  const text = wanted.value.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  pattern = text ? new RegExp(text, "giu") : null;
  current = -1;
  steps = 0;
  for (const block of blocks) block.count = null;
  CSS.highlights?.clear();
  refresh();
}

wanted.addEventListener("input", search);
wanted.form.addEventListener("submit", (event) => event.preventDefault());
wanted.addEventListener("keydown", (event) => {
  if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
  if (event.key === "Escape") {
    wanted.value = "";
    search();
    log.focus();
  }
});
log.addEventListener("scroll", mark);
addEventListener("resize", mark);
