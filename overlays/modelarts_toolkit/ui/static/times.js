// Times that pass.
function lasted(seconds) {
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)} h ${two((seconds % 3600) / 60)} min`;
  if (seconds >= 60) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.max(0, seconds).toFixed(0)} s`;
}

export function showTimes() {
  for (const element of document.querySelectorAll("[data-since]")) {
    const began = Date.parse(element.dataset.since);
    if (began) element.textContent = lasted((Date.now() - began) / 1000);
  }
}
