// The list of jobs: what is selected, and what is done with it.
import { ask, post, say } from "./page.js";

const selectedRows = () => [...document.querySelectorAll('#rows input[name="job"]:checked')].map((box) => box.closest("tr"));

function showSelection() {
  const count = selectedRows().length;
  for (const button of document.querySelectorAll(".needs-one")) button.disabled = count < 1;
  for (const button of document.querySelectorAll(".needs-two")) button.disabled = count < 2;
  document.getElementById("selected").textContent = count ? `${count} selected` : "";
}

document.addEventListener("click", async (event) => {
  const { action, question } = event.target.closest("button")?.dataset ?? {};
  if (!action || !(await ask(question))) return;
  say("");
  try {
    for (const row of selectedRows()) await post(`${row.querySelector("th a").getAttribute("href")}/${action}`);
    location.reload();
  } catch (error) {
    say(error.message);
  }
});

document.addEventListener("change", showSelection);
document.addEventListener("replaced", showSelection);
showSelection();
