// Times that pass: the page has what had passed by the service's clock when it was made, and they are counted on from there.
export function lasted(seconds) {
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  if (seconds >= 172800) return `${Math.floor(seconds / 86400)} d ${two((seconds % 86400) / 3600)} h`;
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)} h ${two((seconds % 3600) / 60)} min`;
  if (seconds >= 60) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds)} s`;
}

const AGES = [[172800, "days", 86400], [3600, "h", 3600], [60, "min", 60], [0, "s", 1]]; // from how many seconds on

export function ago(seconds) {
  const [, unit, length] = AGES.find(([least]) => seconds >= least);
  return `${Math.floor(seconds / length)} ${unit} ago`;
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
    element.textContent = ("ago" in element.dataset ? ago : lasted)(Number(element.dataset.passed));
  }
}
