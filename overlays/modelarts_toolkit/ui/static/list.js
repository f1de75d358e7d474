// The list of jobs: what is selected, also of jobs that a filter hides, and what is done with it.
import { ask, post, say } from "./page.js";

const MOST_COMPARED = 10;
const form = document.getElementById("selection");
const bar = document.getElementById("bar");
const menu = document.querySelector(".columns");
const store = `selected ${form.getAttribute("action")}`;
const selected = new Map(JSON.parse(sessionStorage.getItem(store) ?? "[]")); // names by the keys of the jobs
let newest = ""; // the key of the job that was selected last, where a range begins

const boxes = () => [...form.querySelectorAll('[name="job"]')];
const rowOf = (key) => document.querySelector(`tr:has([name="job"][value="${CSS.escape(key)}"])`);
const jobs = (count) => `${count} job${count === 1 ? "" : "s"}`;

function choose(box, isChosen) {
  if (isChosen) selected.set(box.value, box.closest("tr").querySelector("a").textContent);
  else selected.delete(box.value);
}

function show() {
  sessionStorage.setItem(store, JSON.stringify([...selected]));
  for (const box of boxes()) box.checked = selected.has(box.value);
  const shown = boxes().filter((box) => box.checked).length;
  const all = document.getElementById("all");
  if (all) all.checked = shown === boxes().length;
  if (all) all.indeterminate = shown > 0 && !all.checked;
  const hidden = selected.size - shown;
  const most = selected.size > MOST_COMPARED ? `, ${MOST_COMPARED} can be compared` : "";
  document.getElementById("selected").textContent = `${selected.size} selected${hidden ? `, ${hidden} not in this list` : ""}${most}`;
  bar.hidden = !selected.size;
  bar.querySelector(".needs-two").disabled = selected.size < 2 || selected.size > MOST_COMPARED;
  const stop = bar.querySelector('[data-action="stop"]');
  if (stop) stop.disabled = !targets("stop").length;
}

// What an action is for: a job that has ended cannot be stopped.
const targets = (action) => [...selected].filter(([key]) => action !== "stop" || rowOf(key)?.dataset.ended === undefined);

form.addEventListener("click", async ({ target, shiftKey }) => {
  if (target.id === "all") for (const box of boxes()) choose(box, target.checked);
  else if (target.id === "none") selected.clear();
  else if (target.name === "job") {
    const all = boxes();
    const ends = [all.indexOf(target), all.findIndex((box) => shiftKey && box.value === newest)].filter((place) => place >= 0);
    for (const box of all.slice(Math.min(...ends), Math.max(...ends) + 1)) choose(box, target.checked);
    newest = target.value;
  } else if (target.dataset.action) await act(target);
  else return;
  show();
});

async function act(button) {
  const { action, done } = button.dataset;
  const chosen = targets(action);
  const what = `${button.textContent} ${jobs(chosen.length)}`;
  const names = chosen.map(([, name]) => name).slice(0, 10).join(", ");
  const more = chosen.length > 10 ? ` and ${chosen.length - 10} more` : "";
  if (!(await ask(`${what}: ${names}${more}?${action === "delete" ? " Their outputs stay." : ""}`, what))) return;
  const failed = [];
  bar.inert = true;
  for (const [key, name] of chosen) {
    try {
      await post(`${location.pathname.replace(/\/$|\/jobs$/, "")}/jobs/${key}/${action}`);
      if (action === "delete") selected.delete(key);
    } catch (error) {
      failed.push(`${name}: ${error.message}`);
    }
  }
  bar.inert = false;
  show();
  if (failed.length) say([`${done} ${chosen.length - failed.length} of ${jobs(chosen.length)}.`, ...failed].join("\n"));
  else location.reload();
}

form.addEventListener("formdata", ({ formData }) => {
  formData.delete("job");
  for (const key of selected.keys()) formData.append("job", key);
});
document.addEventListener("replaced", show);
document.addEventListener("click", (event) => menu.contains(event.target) || (menu.open = false));
menu.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
for (const box of boxes()) if (box.checked) choose(box, true); // before this script came
show();
