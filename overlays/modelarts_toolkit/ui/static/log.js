// The log of a job: its lines as they come, the first error, and links to lines.
import { listen } from "./page.js";
import { addBlock, refresh, removeBlocks, removeFirstBlock, textOf } from "./log_search.js";
import { isError, isTraceback, resetStyle, write, writeUnfinished } from "./log_text.js";

const log = document.getElementById("log");
const state = document.getElementById("log-state");
const follow = document.getElementById("follow");
const reason = document.getElementById("reason"); // why there are no lines
const unfinished = document.getElementById("unfinished"); // a line that has no end yet, below the others
const missing = document.getElementById("missing"); // says which lines are left out
const BLOCK = 500;
const VERDICT_LINES = 1000; // at the end, which a verdict can tell

let next = 1; // number of the line that comes next
let waiting = []; // lines that the next frame shows
const texts = []; // of lines that are being added to the block
let block = null;
let phase = null; // the last one of the job, when no more lines come

const emptyLine = document.createElement("div");
emptyLine.append(document.createElement("a"));
emptyLine.firstChild.tabIndex = -1;

function lineElement(line) {
  const element = emptyLine.cloneNode(true);
  element.id = `L${next}`;
  element.firstChild.href = `#L${next}`;
  element.firstChild.append(next);
  const text = write(element, line);
  if (isError(text)) element.className = "error";
  texts.push(text);
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
  reason.textContent = "";
  for (let place = 0; place < waiting.length; ) {
    if (!block || block.element.childElementCount >= BLOCK) {
      block = addBlock(document.createElement("section"));
      reason.before(block.element);
    }
    const part = waiting.slice(place, place + BLOCK - block.element.childElementCount);
    block.element.append(...part.map(lineElement)); // at once, because each change of the page costs
    block.text += `${texts.splice(0).join("\n")}\n`;
    block.count = null;
    place += part.length;
  }
  while (log.getElementsByTagName("section").length > log.dataset.most / BLOCK) removeFirstBlock();
  const left = log.querySelector("section a")?.textContent - 1;
  missing.hidden = !left;
  missing.firstElementChild.textContent = left;
  waiting = [];
  if (follow.checked) scrollToEnd();
  refresh();
  if (first <= linkedLine() && linkedLine() < next) showLinkedLine();
  say();
}

function say() {
  if (phase) state.textContent = `The job has ended: ${phase}. ${next - 1} lines.`;
}

listen(
  log.dataset.url,
  {
    start(first) {
      log.replaceChildren(reason, unfinished);
      removeBlocks();
      waiting = [];
      block = null;
      next = first;
      resetStyle();
    },
    lines: add,
    empty(text) {
      reason.textContent = block || waiting.length ? "" : text;
    },
    unfinished(text) {
      reason.textContent = "";
      unfinished.replaceChildren();
      if (text) writeUnfinished(unfinished, text);
      if (follow.checked) scrollToEnd();
    },
    problem(text) {
      state.textContent = text;
    },
    end(lastPhase, close) {
      phase = lastPhase;
      close();
      if (!waiting.length) say();
    },
  },
  () => phase === null,
);

// Following: whoever scrolls up stops it, and whoever scrolls to the end starts it again.
let seen = { top: 0, height: 0 };
let hasJumped = false; // to a line, which can be one at the end

function scrollToEnd() {
  log.scrollTop = log.scrollHeight;
}

function setFollow(isWanted) {
  follow.checked = isWanted;
  log.ariaLive = isWanted ? "polite" : "off";
}

function leaveEnd() {
  setFollow(false);
  hasJumped = true;
}

log.addEventListener("scroll", () => {
  const { scrollTop: top, scrollHeight: height, clientHeight } = log;
  if (top + clientHeight > height - 2) setFollow(follow.checked || !hasJumped);
  else if (top < seen.top && height >= seen.height) setFollow(false);
  seen = { top, height };
  hasJumped = false;
});
follow.addEventListener("change", () => {
  setFollow(follow.checked);
  if (follow.checked) scrollToEnd();
});

function jumpTo(line) {
  leaveEnd();
  line.scrollIntoView({ block: "center" });
}

log.addEventListener("jump", (event) => jumpTo(event.detail)); // to a match

const linkedLine = () => Number(/^#L(\d+)$/.exec(location.hash)?.[1] ?? 0);

function showLinkedLine() {
  const line = document.getElementById(location.hash.slice(1));
  if (!line) return;
  location.replace(location.hash); // makes it the target
  jumpTo(line);
}

addEventListener("hashchange", leaveEnd);

// The traceback or line that the verdict tells, else the first traceback, else the first error.
function firstError() {
  const lines = [...log.querySelectorAll("section > div")];
  const told = (document.querySelector(".verdict pre")?.textContent ?? "").split("\n").filter((each) => each.trim());
  const isTold = (line) => told.some((each) => textOf(line).includes(each));
  const last = lines.findLastIndex((line, place) => place >= lines.length - VERDICT_LINES && isTold(line));
  if (last >= 0) {
    const head = lines.slice(0, last).findLast((line) => !/^(?:\[\S+?\]:? ?)?(?:\s|$)/.test(textOf(line)));
    return head && isTraceback(textOf(head)) ? head : lines[last];
  }
  const errors = lines.filter((line) => line.className === "error");
  return errors.find((each) => isTraceback(textOf(each))) ?? errors[0];
}

document.getElementById("first-error").addEventListener("click", () => {
  const line = firstError();
  if (line) location.hash = line.id;
  else state.textContent = "No line shown looks like an error.";
});
