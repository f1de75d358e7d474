// Times that pass: the page has what had passed by the service's clock when it was made, and they are counted on from there.
export function lasted(seconds) {
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)} h ${two((seconds % 3600) / 60)} min`;
  if (seconds >= 60) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds)} s`;
}

let shownAt = performance.now();

// They stand while the service's clock does, and while nobody knows what it says.
export function showTimes() {
  const now = performance.now();
  const passed = (now - shownAt) / 1000;
  shownAt = now;
  if (document.querySelector("[data-still], [data-live]:not([data-state])")) return;
  for (const element of document.querySelectorAll("[data-passed]")) {
    element.dataset.passed = Number(element.dataset.passed) + passed;
    element.textContent = lasted(Number(element.dataset.passed));
  }
}
