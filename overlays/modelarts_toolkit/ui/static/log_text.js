// The text of a line: coloured as a terminal would, and whether it tells of an error.
const SEQUENCE = /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-Z\\^-~]|\x1b\[[0-?]*$|[\x00-\x08\x0b-\x1f\x7f]/g;
const NAMES = { 1: "bold", 2: "faint", 3: "italic", 4: "underline" };
const ENDS = { 22: /^(?:bold|faint)$/, 23: /^italic$/, 24: /^underline$/, 39: /^c\d$/ };
let style = ""; // classes of the text that comes next, also on the next line

export function resetStyle() {
  style = "";
}

// Puts a line into an element as text; returns the text without the codes of terminals.
export function write(element, line) {
  if (!/[\x00-\x08\x0b-\x1f\x7f]/.test(line) && !style) {
    element.append(line);
    return line;
  }
  let place = 0;
  let shown = "";
  const put = (text) => {
    if (!text) return;
    shown += text;
    if (!style) return element.append(text);
    const part = document.createElement("span");
    part.className = style;
    part.append(text);
    element.append(part);
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
  const kept = style;
  write(element, line);
  style = kept;
}

function change(codes) {
  let names = style.split(" ");
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index];
    const colour = code >= 90 && code <= 97 ? code - 90 : code >= 30 && code <= 37 ? code - 30 : null;
    const ended = code === 0 ? /./ : colour === null ? ENDS[code] : ENDS[39];
    if (ended) names = names.filter((each) => !ended.test(each));
    if (NAMES[code]) names.push(NAMES[code]);
    else if (colour !== null) names.push(`c${colour}`);
    else if (code === 38 || code === 48) index += codes[index + 1] === 5 ? 2 : 4;
  }
  style = [...new Set(names)].filter(Boolean).join(" ");
}

// Which lines tell of an error. Names of numbers and of settings do not: mean_error: 0.1, failed=0, error: none
const VALUE = String.raw`(?:[-+]?\.?\d[-+.\d_e]*(?:[a-z]{1,3}|\s?%)?(?:\s*(?:[\w-]+ )?\w+\s*[:=])?|nan|inf|none|null|no|true|false|on|off|enabled|disabled|\[\]|\{\}|""|'')`;
const TOLD = String.raw`(?!["']?(?: (?:rate|handling))?\s*[:=]\s*${VALUE}(?:\s*(?:$|[,;|)\]}])|(?<=[:=]))|\s+[-+]?\d*\.\d)`; // after a word
const ONE = String.raw`(?<![\w-])(?<!\b(?:no|not|0|without|any|on|if|level|to|as|or|of)["']?\s*[:=]?\s*["']?)`; // before it
const MEASURE = String.raw`(?<!\b(?:mean|average|train|val|validation|test|eval|max|absolute|squared|relative|total)[ _-]+)`;
const TRACEBACK = /Traceback \(most recent call last\)/;
const HELP = /^\s+--?[a-z][\w-]*(?:[ ,=[]|$)/i; // of an option
const MAY_BE = /error|exception|fatal|critical|fail|kill|memory|oom|fault|dumped|corrupt|signal|abort|terminate|traceback|interrupt|invalid|StatusCode|\bE[\] \d]/i;
const EXACT = [
  TRACEBACK.source,
  String.raw`(?<![\w-])(?!\w*(?:Squared|Absolute|Percentage)\w*Error)(?:\w+\.)*(?:\w+Error|\w*Exception|\w+Interrupt)(?=: |:?$)${TOLD}`,
  String.raw`(?<![\w-])(?:Key|Index|Value|Type|Runtime|Assertion)Error: `,
  String.raw`${ONE}(?:ERROR|CRITICAL|FATAL)(?=[\])>|:]|\s+\S)(?! RATE)${TOLD}`,
  String.raw`^(?:\[\S+?\][: ]*)*\[?[EF]\d{4,8} \d\d:\d\d|\[E(?:\]| \d| \w+\.(?:cpp|cc|py)\b)|: [EF] \w+/\S+:\d+\]`,
  String.raw`Segmentation fault|Bus error|core dumped|double free|\w\(\): invalid|terminate called|^Aborted|\bCheck failed: |Assertion .*failed`,
  String.raw`^Killed$|\d Killed  |\bKilled process \d|OOM when|exited on signal \d|[Ss]ignal \d+ \(SIG|StatusCode\.(?!OK)[A-Z]|NCCL WARN .*fail`,
];
const LOOSE = [
  String.raw`${MEASURE}${ONE}(?:error|exception|fatal)(?: \d+|\s?[(\[][^)\]]*[)\]])?(?=:(?:\s|$))${TOLD}`,
  String.raw`${MEASURE}${ONE}error (?:while|in|when|during|occurred)(?!.*[:=]\s*[-+]?\d+\.\d+$)`,
  String.raw`\b(?:cuda|nccl|hccl|returned) error\b|(?:^|[\])>|:-] )failed to [a-z]|${ONE}failed(?= with| \(|:)${TOLD}|(?:cuda|:) out of memory|^out of memory: `,
];
const FORMS = [new RegExp(EXACT.join("|")), new RegExp(LOOSE.join("|"), "i")];

export const isTraceback = (text) => TRACEBACK.test(text);
export const isError = (text) => MAY_BE.test(text) && !HELP.test(text) && FORMS.some((each) => each.test(text));
