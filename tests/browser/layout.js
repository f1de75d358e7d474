// What is wrong with the layout of a page at its width: things outside the window, over each other, or cut off.
async (mayScroll) => {
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame); // charts get their width
  const width = document.documentElement.clientWidth;
  const found = [];
  const say = (fault, element) => {
    const text = (element.textContent || element.value || "").trim().replace(/\s+/g, " ").slice(0, 40);
    found.push(`${fault}: <${element.tagName.toLowerCase()} class="${element.getAttribute("class") ?? ""}"> ${text}`);
  };
  const hidden = ".hidden, .skip, [hidden], svg, canvas, .u-wrap, option, dialog:not([open])";
  const regions = ".scroll, pre";
  const styleOf = new Map();
  const style = (element) => styleOf.get(element) ?? styleOf.set(element, getComputedStyle(element)).get(element);
  const isShown = (element) => !element.closest(hidden) && element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
  const isClipped = (element) => element !== document.body && (style(element).overflowX !== "visible" || (element.parentElement && isClipped(element.parentElement)));

  if (document.documentElement.scrollWidth > width) found.push(`the page is ${document.documentElement.scrollWidth} wide on a screen of ${width}`);
  for (const element of document.querySelectorAll("header, header *, main, main *, dialog[open] *")) {
    if (!isShown(element)) continue;
    const box = element.getBoundingClientRect();
    const region = element.closest(regions);
    if (box.width && !(region && region !== element) && !isClipped(element.parentElement) && (box.left < -0.5 || box.right > width + 0.5))
      say(`from ${Math.round(box.left)} to ${Math.round(box.right)} on a screen of ${width}`, element);
    if (element.clientWidth && element.scrollWidth > element.clientWidth + 1) {
      if (element.matches("input, select")) continue;
      if (style(element).overflowX === "visible" && style(element).display !== "inline") say(`${element.scrollWidth} wide in a box of ${element.clientWidth}`, element);
      else if (element.matches(".scroll") && !mayScroll) say(`is scrolled sideways, ${element.scrollWidth} in ${element.clientWidth}`, element);
    }
    const lines = Number.parseInt(style(element).webkitLineClamp, 10);
    const isCut = lines && element.scrollHeight > element.clientHeight + 1;
    if (isCut && !element.closest("summary")) say("is cut off without a way to see the whole", element);
    if (element.matches(".why") && !element.open && box.height > 2.5 * Number.parseFloat(style(element).lineHeight)) say(`has ${Math.round(box.height)} pixels, more than two lines`, element);
    if (element.matches("main a") && element.textContent && box.width < 4) say("is a link that nobody can see", element);
  }

  // Texts of different elements do not lie on each other.
  const rows = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const bidi = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/u;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest("script, style, noscript, .log, pre, textarea") || !isShown(parent)) continue;
    if (bidi.test(node.data)) {
      let block = parent;
      while (style(block).display.startsWith("inline") && !/isolate|plaintext/.test(style(block).unicodeBidi)) block = block.parentElement;
      if (!/isolate|plaintext/.test(style(block).unicodeBidi) && block.textContent.trim() !== node.data.trim()) say("is not isolated from the text around it", parent);
    }
    let frame = { left: 0, top: -1e9, right: 1e9, bottom: 1e9 };
    for (let each = parent; each && each !== document.body; each = each.parentElement) {
      if (style(each).overflowX === "visible" && style(each).overflowY === "visible") continue;
      const box = each.getBoundingClientRect();
      frame = { left: Math.max(frame.left, box.left), top: Math.max(frame.top, box.top), right: Math.min(frame.right, box.right), bottom: Math.min(frame.bottom, box.bottom) };
    }
    const range = document.createRange();
    range.selectNodeContents(node);
    const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
    if (tops.size > 1 && /^[\w.,:%+-]{1,10}$/.test(node.data.trim())) say(`is a short word on ${tops.size} lines`, parent);
    for (const box of range.getClientRects()) {
      const row = { node, left: Math.max(box.left, frame.left), top: Math.max(box.top, frame.top), right: Math.min(box.right, frame.right), bottom: Math.min(box.bottom, frame.bottom) };
      if (row.right - row.left > 3 && row.bottom - row.top > 3) rows.push(row);
    }
  }
  rows.sort((a, b) => a.top - b.top);
  const open = [];
  for (const row of rows) {
    for (let place = open.length - 1; place >= 0; place--) {
      const other = open[place];
      if (other.bottom <= row.top) open.splice(place, 1);
      else if (
        other.node !== row.node &&
        Math.min(other.right, row.right) - Math.max(other.left, row.left) > 3 &&
        Math.min(other.bottom, row.bottom) - row.top > 0.45 * Math.min(other.bottom - other.top, row.bottom - row.top)
      )
        say(`lies over "${other.node.data.trim().slice(0, 30)}"`, row.node.parentElement);
    }
    open.push(row);
  }

  const foreign = document.querySelector("main :is(img, script, iframe, style, form[action^='http'], [onload], [onerror])");
  if (foreign || window.pwned) say("came from a text", foreign ?? document.body);
  return [...new Set(found)];
}
