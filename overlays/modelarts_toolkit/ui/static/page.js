// What lives on every page: parts that change, things that can be done, times that pass, and keys.
import { showTimes } from "./times.js";

const RETRY_MS = 2000;
const SESSION_ENDED = "The session has ended: open the address that modelarts ui printed last.";
const NO_SERVER = "The page's server does not respond: start modelarts ui again, and open the address that it prints.";
const main = document.getElementById("main");
const problem = document.getElementById("problem");
const pageKey = document.querySelector('meta[name="page-key"]').content;
let isGone = false; // the job of this page was deleted
let isSilent = false; // the page's server does not respond

// Says why an action failed, until the next one; `place` is another one for what a stream says.
export function say(text, place = document.getElementById("said")) {
  const paragraph = document.createElement("p");
  paragraph.className = "problem";
  paragraph.textContent = text;
  place.replaceChildren(...(text ? [paragraph] : []));
}

// The job was deleted: nothing on its page goes on, and nothing can be done with it.
function showGone() {
  isGone = true;
  main.dataset.state = "gone";
  problem.replaceChildren(document.getElementById("gone").content.cloneNode(true));
  enable(main);
}

// Buttons of the HTML wait for this script, which does what they say.
function enable(root) {
  for (const button of root.querySelectorAll("button[data-post], button[data-copy]")) button.disabled = isGone && "post" in button.dataset;
}

// Replaces the content of an element; what was selected or open, or had the focus, stays so.
function replaceContent(element, html) {
  const template = document.createElement("template");
  template.innerHTML = html; // made by our templates, which escape whatever they show
  enable(template.content);
  if (template.innerHTML === element.innerHTML) return; // as the page came
  const boxes = [...element.querySelectorAll('input[type="checkbox"]')].filter((box) => box.checked !== box.defaultChecked);
  const changed = new Map(boxes.map((box) => [box.value, box.checked])); // by the person
  const open = new Map([...element.querySelectorAll("details")].map((each) => [place(each), each.open]));
  const focused = element.contains(document.activeElement) ? describe(document.activeElement) : null;
  showTimes(); // of those that stay: the others are of now
  element.replaceChildren(template.content);
  for (const each of element.querySelectorAll("details")) each.open = open.get(place(each)) ?? each.open;
  for (const box of element.querySelectorAll('input[type="checkbox"]')) box.checked = changed.get(box.value) ?? box.checked;
  document.dispatchEvent(new Event("replaced"));
  if (focused) focusLike(focused, element);
}

// What had the focus may have been replaced.
function focusLike(description, root) {
  const found = [...root.querySelectorAll("a, button, input, summary, [tabindex]")].find((each) => describe(each) === description);
  found?.focus({ preventScroll: true });
}

// Where details are, such as the first of a row: rows come and go.
function place(details) {
  const owner = details.closest("[id]");
  return `${owner.id} ${[...owner.querySelectorAll("details")].indexOf(details)}`;
}

const describe = (element) => `${element.tagName} ${element.getAttribute("href") ?? element.value ?? ""} ${element.ariaLabel ?? element.textContent}`;

// One stream for a tab; it is closed while nobody sees the tab, and goes on where it was.
export function listen(url, handlers, shouldListen = () => true) {
  let source = null;
  let lastId = "";
  const open = () => {
    if (source || isGone || document.hidden || !shouldListen()) return;
    source = new EventSource(lastId ? `${url}${url.includes("?") ? "&" : "?"}after=${encodeURIComponent(lastId)}` : url);
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => {
        if (event.lastEventId) lastId = event.lastEventId;
        handle(JSON.parse(event.data), () => close());
      });
    }
    source.addEventListener("gone", showGone);
    source.onopen = () => {
      main.dataset.state = "live";
      if (isSilent) say("", problem);
      isSilent = false;
    };
    source.onerror = () => {
      close();
      if (isGone) return;
      delete main.dataset.state;
      fetch(location.href, { method: "HEAD" }).then(
        (response) => {
          if (response.status === 401) say(SESSION_ENDED, problem);
          else if (response.status === 404) showGone();
          else setTimeout(open, RETRY_MS);
        },
        () => {
          isSilent = true;
          say(NO_SERVER, problem);
          setTimeout(open, RETRY_MS);
        },
      );
    };
  };
  const close = () => {
    source?.close();
    source = null;
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  open();
}

const newParts = {};
let isPressed = false; // what is replaced before it is released is not clicked

function showParts() {
  for (const [id, html] of Object.entries(isPressed ? {} : newParts)) {
    const element = document.getElementById(id);
    if (element) replaceContent(element, html);
    delete newParts[id];
  }
}

function press({ type }) {
  isPressed = type === "pointerdown";
  setTimeout(showParts); // after the click
}

for (const type of ["pointerdown", "pointerup", "pointercancel"]) addEventListener(type, press);

enable(main);
if (main.dataset.live) {
  listen(main.dataset.live, {
    parts(parts) {
      Object.assign(newParts, parts);
      showParts();
    },
  });
}

// Asks before something is done; the button that does it is called what it does, such as "Delete 1 job".
export async function ask(question, verb) {
  const dialog = document.getElementById("question");
  const button = dialog.querySelector('[value="yes"]');
  button.textContent = verb;
  button.className = verb.startsWith("Delete") ? "danger" : "";
  document.getElementById("asked").textContent = question;
  const focused = document.activeElement;
  dialog.returnValue = "no";
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  if (!focused.isConnected) focusLike(describe(focused), main);
  return dialog.returnValue === "yes";
}

export async function post(path) {
  const response = await fetch(path, { method: "POST", headers: { "x-page-key": pageKey } }).catch(() => {
    throw new Error(NO_SERVER);
  });
  if (response.status === 401) throw new Error(SESSION_ENDED);
  const text = await response.text();
  if (!response.headers.get("content-type")?.includes("json")) throw new Error(text);
  const { problem: fact, location: target } = JSON.parse(text);
  if (fact) throw new Error(fact);
  return target;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.copy) {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
    return;
  }
  const { post: path, question, verb } = button.dataset;
  if (!path) return;
  event.preventDefault();
  if (question && !(await ask(question, verb ?? button.textContent))) return;
  say("");
  try {
    const target = await post(path);
    if (target === location.pathname) location.reload();
    else location.assign(target);
  } catch (error) {
    say(error.message);
  }
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) event.target.form.submit();
});

let first = "";
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input:not([type="checkbox"]), select, textarea')) return;
  const rows = [...document.querySelectorAll("tbody tr")].filter((row) => row.querySelector("th a"));
  const at = rows.findIndex((row) => row.contains(document.activeElement) || row.matches(".at"));
  const go = (index) => {
    for (const row of rows) row.classList.remove("at");
    rows[index]?.classList.add("at");
    rows[index]?.querySelector("th a").focus();
  };
  const element = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (element) element.matches('[type="checkbox"]') ? element.click() : element.focus();
  else if (first === "g" && event.key === "j") location.assign("/");
  else if (event.key === "j") go(Math.min(at + 1, rows.length - 1));
  else if (event.key === "k") go(Math.max(at - 1, 0));
  else if (event.key === "x") rows[at]?.querySelector('[name="job"]')?.click();
  else if (event.key === "?") document.getElementById("keys").showModal();
  else {
    first = event.key;
    return;
  }
  first = "";
  event.preventDefault();
});

showTimes();
setInterval(showTimes, 1000);
