// The text of a line: coloured as a terminal would, and whether it tells of an error.
const SEQUENCE = /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-Z\\^-~]|\x1b\[[0-?]*$|[\x00-\x08\x0b-\x1f\x7f]/g;
const NAMES = { 1: "bold", 2: "faint", 3: "italic", 4: "underline" };
const ENDS = { 22: /^(?:bold|faint)$/, 23: /^italic$/, 24: /^underline$/, 39: /^c\d$/ };
let style = new Set(); // of the text that comes next, also on the next line

export const resetStyle = () => (style = new Set());

// Puts a line into an element as text; returns the text without the codes of terminals.
export function write(element, line) {
  if (!/[\x00-\x08\x0b-\x1f\x7f]/.test(line) && !style.size) {
    element.append(line);
    return line;
  }
  let place = 0;
  let shown = "";
  const put = (text) => {
    if (!text) return;
    const part = style.size ? document.createElement("span") : element;
    if (style.size) part.className = [...style].join(" ");
    part.append(text);
    if (style.size) element.append(part);
    shown += text;
  };
  for (const found of line.matchAll(SEQUENCE)) {
    put(line.slice(place, found.index));
    place = found.index + found[0].length;
    if (found[2] === "m") change(found[1].split(";").map(Number));
  }
  put(line.slice(place));
  return shown;
}

// As `write`, for a line that is shown until it is whole.
export function writeUnfinished(element, line) {
  const kept = new Set(style);
  write(element, line);
  style = kept;
}

function change(codes) {
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index];
    const colour = code >= 90 && code <= 97 ? code - 90 : code >= 30 && code <= 37 ? code - 30 : null;
    const ended = colour === null ? ENDS[code] : ENDS[39];
    if (ended) style = new Set([...style].filter((each) => !ended.test(each)));
    if (code === 0) style = new Set();
    else if (NAMES[code]) style.add(NAMES[code]);
    else if (colour !== null) style.add(`c${colour}`);
    else if (code === 38 || code === 48) index += codes[index + 1] === 5 ? 2 : 4;
  }
}

// Not the name of a number or a setting: mean_error: 0.1, error 0.1, failed=0, error: none, ERROR RATE = 2 %
const NONE = String.raw`(?:[-+]?\.?\d[-+.\d_e]*\s?%?|nan|inf|none|null|no|yes|true|false|on|off|enabled|disabled|ok|n/a|\[\]|\{\}|""|'')`;
const MESSAGE = String.raw`(?!["']?(?:\s+(?:rate|count|ratio|total|budget|handling|handler)s?)?\s*[:=]\s*${NONE}\s*(?:$|[,;|)\]}]|\w+\s*[:=])|\s+[-+]?\d*\.\d)`;
const METRIC = String.raw`(?<!\b(?:mean|avg|average|median|train|training|val|valid|validation|test|eval|max|min|abs|absolute|squared|relative|percentage|total|prediction|reconstruction|calibration|quantization)[ _-]+)`;
const DENIED = String.raw`(?<!\b(?:no|not|0|zero|without|any|on|if|ignore|level|to|as|or|than|of)["']?\s*[:=]?\s*["']?)`;
const WORD = String.raw`${DENIED}(?<![\w-])`;
const any = (flags, ...forms) => new RegExp(forms.join("|"), flags);
const TRACEBACK = /Traceback \(most recent call last\)/;
const MAY_BE = /error|exception|fatal|critical|severe|fail|kill|memory|oom|fault|dumped|signal|abort|panic|terminate|corrupt|smash|traceback|interrupt|StatusCode|\bE[\] \d]/i;
const EXACT = any(
  "",
  TRACEBACK.source,
  String.raw`(?<![\w-])(?:\w+\.)*\w*(?:[a-z]Error|Exception|Interrupt)(?=: |:?$)${MESSAGE}`,
  String.raw`(?<![\w-])(?:Key|Index|Value|Type|Runtime|Assertion)Error: `,
  String.raw`${WORD}(?:ERROR|CRITICAL|FATAL|SEVERE)(?=[\])>|:]|\s+\S)${MESSAGE}`,
  String.raw`^(?:\[\S+?\][: ]*)*\[?[EF]\d{4,8} \d\d:\d\d`,
  String.raw`\[E(?:\]| \d| \w+\.(?:cpp|cc|cu|py)\b)|: [EF] \w+/\S+:\d+\]`,
  String.raw`Segmentation fault|Bus error|core dumped|double free or corruption|stack smashing detected|terminate called|Watchdog caught`,
  String.raw`^Killed$|\bKilled process \d|oom-kill|OOMKilled|OOM when|^Aborted|\bpanic: |\bCheck failed: |\bAssertion .*failed`,
  String.raw`[Ss]ignal \d+ \(SIG|received (?:signal )?SIG(?!TERM|INT|CHLD)|Signals\.SIG|StatusCode\.(?!OK)[A-Z]`,
  String.raw`NCCL WARN .*(?:fail|error|timeout)|^FAILED\b`,
);
const LOOSE = any(
  "i",
  String.raw`${METRIC}${WORD}(?:error|exception|fatal)(?: \d+|\s?[(\[][^)\]]*[)\]])?:(?=\s|$)${MESSAGE}`,
  String.raw`${METRIC}${WORD}error (?:while|in|when|during|from|occurred|(?:loading|opening|reading|writing|parsing|creating)\b|(?:code )?[1-9]\d*\b(?!\.))(?!.*[:=]\s*[-+]?\d+\.\d+$)`,
  String.raw`(?:^|[\])>|:-] )failed to [a-z]|${WORD}failed(?: with| \(|:)${MESSAGE}|(?<![.\d])[1-9]\d* failed\b`,
  String.raw`(?:cuda|hip|ran|runs?|:) out of memory|^out of memory: `,
  String.raw`["']?\b(?:level|severity)["']?\s*[:=]\s*["']?(?:error|critical|fatal)\b["']?[, ].*\bm(?:sg|essage)\b`,
);
const HELP = /^\s+--?[a-z][\w-]*(?:[ ,=[]|$)/i; // of an option

export const isTraceback = (text) => TRACEBACK.test(text);
export const isError = (text) => MAY_BE.test(text) && !HELP.test(text) && (EXACT.test(text) || LOOSE.test(text));
