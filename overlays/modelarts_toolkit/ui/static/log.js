// The log of a job: its lines as they come, search, the first error, and links to lines.
import { listen } from "./page.js";

const log = document.getElementById("log");
const state = document.getElementById("log-state");
const follow = document.getElementById("follow");
const wanted = document.getElementById("wanted");
const matches = document.getElementById("matches");
const MOST_LINES = 100_000; // in the page; the download has them all
const BLOCK = 500;
// A whole word, or the end of an exception's name, but not the name of a number: mean_error: 0.1, error 0.1, failed=0
const NUMBER = String.raw`(?!["']?\s*[:=]\s*[-+.\d][-+.\de%]*\s*(?:$|[,;|)\]}]|\w+\s*[:=])|\s+[-+]?\d*\.\d)`;
const WORD = new RegExp(String.raw`(?<![\w-])(?:traceback|error|exception|fatal|failed|killed|out of memory)(?![\w-])${NUMBER}`, "i");
const EXCEPTION = new RegExp(String.raw`[a-z](?:Error|Exception)\b${NUMBER}`);
const isError = (line) => WORD.test(line) || EXCEPTION.test(line);
const SEQUENCE = /\x1b\[([\d;]*)([A-Za-z])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1a\x1c-\x1f]/g;

let next = 1; // number of the line that comes next
let waiting = []; // lines that the next frame shows
let block = null;
let isComplete = false;
let phase = "";
let style = new Set();
const unfinished = document.createElement("div"); // a line that has no end yet, below the others
unfinished.className = "unfinished";

// Puts a line into an element as text, coloured as a terminal would.
function write(element, line) {
  if (!/[\x00-\x08\x0b-\x1f]/.test(line)) {
    element.append(line);
    return;
  }
  let place = 0;
  const put = (text) => {
    if (!text) return;
    if (!style.size) return element.append(text);
    const part = document.createElement("span");
    part.className = [...style].join(" ");
    part.append(text);
    element.append(part);
  };
  for (const found of line.matchAll(SEQUENCE)) {
    put(line.slice(place, found.index));
    place = found.index + found[0].length;
    if (found[2] === "m") change(found[1].split(";").map(Number));
  }
  put(line.slice(place));
}

function change(codes) {
  const NAMES = { 1: "bold", 2: "faint", 3: "italic", 4: "underline" };
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index];
    const foreground = code >= 90 && code <= 97 ? code - 90 : code >= 30 && code <= 37 ? code - 30 : null;
    if (code === 0) style = new Set();
    else if (NAMES[code]) style.add(NAMES[code]);
    else if (code === 22) style = new Set([...style].filter((each) => each !== "bold" && each !== "faint"));
    else if (code === 38 || code === 48) index += codes[index + 1] === 5 ? 2 : 4;
    if (foreground !== null || code === 39) {
      style = new Set([...style].filter((each) => !/^c\d$/.test(each)));
      if (foreground !== null) style.add(`c${foreground}`);
    }
  }
}

const emptyLine = document.createElement("div");
emptyLine.append(document.createElement("a"));
emptyLine.firstChild.tabIndex = -1;

function lineElement(line) {
  const element = emptyLine.cloneNode(true);
  element.id = `L${next}`;
  element.firstChild.href = `#L${next}`;
  element.firstChild.append(next);
  write(element, line);
  if (isError(line)) element.className = "error";
  next++;
  return element;
}

// What came since the last frame is shown in one piece, because each look at a scroll position costs a layout.
function add(lines) {
  if (!waiting.length) requestAnimationFrame(show);
  waiting.push(...lines);
}

function show() {
  const first = next;
  const isAtEnd = follow.checked;
  for (let place = 0; place < waiting.length; ) {
    if (!block || block.childElementCount >= BLOCK) {
      block = document.createElement("section");
      log.append(block);
      if (unfinished.parentElement) log.append(unfinished);
    }
    const part = waiting.slice(place, place + BLOCK - block.childElementCount);
    block.append(...part.map(lineElement)); // at once, because each change of the page costs
    place += part.length;
  }
  while (log.childElementCount > MOST_LINES / BLOCK) {
    log.firstElementChild.remove();
    state.textContent = `Line ${next - MOST_LINES} and on; the download has all.`;
  }
  waiting = [];
  if (isAtEnd) scrollToEnd();
  if (wanted.value) search(false);
  if (first <= linkedLine() && linkedLine() < next) showLinkedLine();
  if (isComplete) say();
}

function say() {
  if (!log.childElementCount) state.textContent = "The log is empty.";
  else if (phase) state.textContent = `The job has ended: ${phase}. ${next - 1} lines.`;
}

const scrollToEnd = () => (log.scrollTop = log.scrollHeight);

listen(
  log.dataset.url,
  {
    start(first) {
      log.replaceChildren();
      waiting = [];
      block = null;
      next = first;
      style = new Set();
    },
    lines: add,
    unfinished(text) {
      const kept = style;
      unfinished.replaceChildren();
      write(unfinished, text);
      style = kept;
      if (text) log.append(unfinished);
      else unfinished.remove();
      if (follow.checked) scrollToEnd();
    },
    problem(text) {
      state.textContent = text;
    },
    end(lastPhase, close) {
      isComplete = true;
      phase = lastPhase;
      close();
      if (!waiting.length) say();
    },
  },
  () => !isComplete,
);

const linkedLine = () => Number(/^#L(\d+)$/.exec(location.hash)?.[1] ?? 0);

function showLinkedLine() {
  const line = document.getElementById(location.hash.slice(1));
  if (!line) return;
  follow.checked = false;
  location.replace(location.hash); // makes it the target
  line.scrollIntoView({ block: "center" });
}

addEventListener("hashchange", () => {
  follow.checked = false;
});
follow.addEventListener("change", () => {
  log.setAttribute("aria-live", follow.checked ? "polite" : "off");
  if (follow.checked) scrollToEnd();
});
log.addEventListener("wheel", (event) => {
  if (event.deltaY < 0) follow.checked = false;
});

document.getElementById("first-error").addEventListener("click", () => {
  const line = log.querySelector("div.error");
  if (line) location.hash = line.id;
  else state.textContent = "No line looks like an error.";
});

// Search: every match is counted and marked; the lines between them stay.
let found = [];
let current = -1;

function search(isNew) {
  found = [];
  const text = wanted.value.toLowerCase();
  if (text) {
    const walker = document.createTreeWalker(log, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node.parentElement.tagName === "A") continue;
      const content = node.data.toLowerCase();
      for (let place = content.indexOf(text); place >= 0; place = content.indexOf(text, place + text.length)) {
        const range = new Range();
        range.setStart(node, place);
        range.setEnd(node, Math.min(place + text.length, node.length));
        found.push(range);
      }
    }
  }
  if (isNew) current = -1;
  mark();
}

function mark() {
  if (!window.Highlight) return;
  CSS.highlights.set("found", new Highlight(...found.slice(0, 10_000)));
  CSS.highlights.set("current", new Highlight(...found.slice(current, current + 1 || undefined)));
  if (current < 0) CSS.highlights.delete("current");
  matches.textContent = wanted.value ? `${current + 1}/${found.length}` : "";
}

function step(by) {
  if (!found.length) return;
  follow.checked = false;
  current = (current + by + found.length) % found.length;
  mark();
  found[current].startContainer.parentElement.closest("div").scrollIntoView({ block: "center" });
}

wanted.addEventListener("input", () => search(true));
wanted.form.addEventListener("submit", (event) => event.preventDefault());
wanted.addEventListener("keydown", (event) => {
  if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
  if (event.key === "Escape") {
    wanted.value = "";
    search(true);
    log.focus();
  }
});
