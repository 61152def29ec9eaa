// Makes elements and texts. Names from the data are only set as text, never as HTML.

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  Object.assign(made, properties);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// `numbers`: columns that stand to the right; `texts`: columns whose lines may be broken anywhere;
// `lines`: those with line breaks of their own.
function table(head, rows, numbers = [], texts = [], lines = []) {
  const side = (i) =>
    numbers.includes(i) ? "number" : texts.includes(i) ? "text" : lines.includes(i) ? "lines" : "";
  const cell = (kind) => (value, i) => element(kind, { className: side(i) }, value);
  return element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ...head.map(cell("th")))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(cell("td"))))),
  );
}

// A number with at most four digits, as people read it.
function short(value) {
  if (value === null || value === undefined) return "not finite";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3)
    return value
      .toExponential(2)
      .replace(/\.?0+e/, "e")
      .replace("e+", "e");
  return Number(value.toPrecision(4)).toLocaleString("en-US", { maximumFractionDigits: 6 });
}

function grouped(count) {
  return count.toLocaleString("en-US");
}

// 1.2 G, 34.5 M
function si(value, unit = "") {
  if (!value) return "";
  const prefixes = ["", "k", "M", "G", "T"];
  let step = 0;
  while (value >= 999.5 && step < prefixes.length - 1) {
    value /= 1000;
    step += 1;
  }
  return `${Number(value.toPrecision(3))} ${prefixes[step]}${unit}`.trim();
}

function note(text, bad = false) {
  return element("div", { className: bad ? "note bad" : "note" }, text);
}
