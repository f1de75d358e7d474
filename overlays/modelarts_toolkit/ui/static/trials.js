// A trial that is pointed at, or whose row has the focus, stands out in the drawing and in the table.
function mark(event) {
  const trial = event.target.closest?.("[data-trial]")?.dataset.trial;
  for (const each of document.querySelectorAll("[data-trial]")) each.classList.toggle("at", each.dataset.trial === trial);
}

document.addEventListener("pointerover", mark);
document.addEventListener("focusin", mark);
