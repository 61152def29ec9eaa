// One panel of curves. All panels share the range of iterations in sight and the pointer's place.

const HIGH = 270;
const LEFT = 58;
const RIGHT = 12;
const TOP = 8;
const BOTTOM = 24;
const FEW_POINTS = 30;
const DOT_PX = 2.4;
const TICKS = 6;

// A round step that gives about so many ticks.
function roundStep(range, ticks) {
  const rough = range / ticks;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((digit) => digit * power >= rough) ?? 10);
}

function linearTicks(low, high, whole) {
  let step = roundStep(high - low || 1, TICKS);
  if (whole) step = Math.max(1, Math.round(step));
  const found = [];
  for (let i = Math.ceil(low / step); i * step <= high + step * 1e-9; i += 1)
    found.push(Number((i * step).toPrecision(12)));
  return found;
}

function logTicks(low, high) {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const digits = last - first > 4 ? [1] : [1, 2, 5];
  const found = [];
  const every = Math.max(1, Math.ceil((last - first) / 8));
  for (let power = first; power <= last; power += every)
    found.push(...digits.map((digit) => Number((digit * 10 ** power).toPrecision(3))));
  return found.filter((value) => value >= low && value <= high);
}

function clockText(seconds) {
  const [size, unit] = seconds < 120 ? [1, "s"] : seconds < 7200 ? [60, "min"] : [3600, "h"];
  return `${short(Number((seconds / size).toPrecision(3)))} ${unit}`;
}

// An exponential moving average, of which the share `keep` stays at each point.
function smoothed(values, keep) {
  let mean = null;
  return values.map((value) => {
    if (value === null) return null;
    mean = mean === null ? value : keep * mean + (1 - keep) * value;
    return mean;
  });
}

class Chart {
  // `moved(x)`: the pointer is at x, or outside (null). `zoomed(range)`: a range was chosen, null: all.
  constructor(title, moved, zoomed) {
    this.title = title;
    this.moved = moved;
    this.zoomed = zoomed;
    this.frame = svg("svg", {});
    this.legend = element("div", { className: "legend" });
    this.head = element("h3", {}, title);
    this.place = element("div", { className: "chart" }, this.head, this.frame, this.legend);
    this.listen();
  }

  // `curves`: {label, x, y, color, dash, faint, hidden, toggle}.
  // `options`: {range, log, smooth, byTime}.
  render(curves, options) {
    Object.assign(this, { curves, options });
    const wide = this.frame.clientWidth || 600;
    this.wide = wide;
    const seen = curves.filter((curve) => !curve.hidden);
    this.range = options.range;
    this.setHeights(seen);
    this.frame.setAttribute("viewBox", `0 0 ${wide} ${HIGH}`);
    // an SVG of its own cuts what lies outside the frame, dots on its edge excepted
    const [x, y] = [LEFT - DOT_PX, TOP - DOT_PX];
    const [width, height] = [wide - RIGHT + DOT_PX - x, HIGH - BOTTOM + DOT_PX - y];
    const inside = svg("svg", { x, y, width, height, viewBox: `${x} ${y} ${width} ${height}` });
    inside.append(...seen.flatMap((curve) => this.paths(curve)));
    this.frame.replaceChildren(...this.axes(), inside);
    this.hair = svg("line", { class: "hair", y1: TOP, y2: HIGH - BOTTOM, visibility: "hidden" });
    this.shade = svg("rect", {
      class: "drag",
      y: TOP,
      height: HIGH - TOP - BOTTOM,
      visibility: "hidden",
    });
    this.frame.append(this.hair, this.shade);
    this.entries();
  }

  // The range of values of what is in sight.
  setHeights(seen) {
    let low = Infinity;
    let high = -Infinity;
    for (const curve of seen) {
      curve.y.forEach((value, i) => {
        if (
          value === null ||
          curve.x[i] < this.range[0] ||
          curve.x[i] > this.range[1] ||
          (this.options.log && value <= 0)
        )
          return;
        low = Math.min(low, value);
        high = Math.max(high, value);
      });
    }
    if (low > high) [low, high] = this.options.log ? [0.1, 1] : [0, 1];
    if (this.options.log)
      this.heights =
        low === high
          ? [low / 2, high * 2]
          : [low * (low / high) ** 0.04, high * (high / low) ** 0.04];
    else if (low === high)
      this.heights = low ? [low - Math.abs(low) / 2, low + Math.abs(low) / 2] : [-1, 1];
    else this.heights = [low - (high - low) * 0.04, high + (high - low) * 0.04];
  }

  px(x) {
    return (
      LEFT + ((x - this.range[0]) / (this.range[1] - this.range[0])) * (this.wide - LEFT - RIGHT)
    );
  }

  py(y) {
    const [low, high] = this.heights;
    const share = this.options.log
      ? Math.log(y / low) / Math.log(high / low)
      : (y - low) / (high - low);
    return HIGH - BOTTOM - share * (HIGH - TOP - BOTTOM);
  }

  axes() {
    const parts = [];
    const [low, high] = this.heights;
    const right = this.wide - RIGHT;
    const bottom = HIGH - BOTTOM;
    for (const value of this.options.log ? logTicks(low, high) : linearTicks(low, high)) {
      const y = this.py(value);
      parts.push(svg("line", { class: "grid", x1: LEFT, x2: right, y1: y, y2: y }));
      parts.push(svg("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, short(value)));
    }
    for (const value of linearTicks(...this.range, !this.options.byTime)) {
      const x = this.px(value);
      const edge = x > right - 14 ? "end" : "middle";
      parts.push(svg("line", { class: "grid", x1: x, x2: x, y1: TOP, y2: bottom }));
      parts.push(
        svg(
          "text",
          { x, y: HIGH - 8, "text-anchor": edge },
          this.options.byTime ? clockText(value) : grouped(value),
        ),
      );
    }
    parts.push(
      svg("rect", { class: "frame", x: LEFT, y: TOP, width: right - LEFT, height: bottom - TOP }),
    );
    return parts;
  }

  paths(curve) {
    const smooth = this.options.smooth && curve.x.length > FEW_POINTS;
    const style = {
      class: "curve",
      stroke: curve.color,
      "stroke-dasharray": curve.dash,
      "stroke-opacity": curve.faint ? 0.55 : 1,
    };
    const parts = smooth
      ? [svg("path", { ...style, "stroke-opacity": 0.22, d: this.line(curve.x, curve.y) })]
      : [];
    parts.push(
      svg("path", {
        ...style,
        d: this.line(curve.x, smooth ? smoothed(curve.y, this.options.smooth) : curve.y),
      }),
    );
    if (curve.x.length <= FEW_POINTS) {
      curve.x.forEach((x, i) => {
        if (this.inSight(x, curve.y[i]))
          parts.push(
            svg("circle", {
              cx: this.px(x),
              cy: this.py(curve.y[i]),
              r: DOT_PX,
              fill: curve.color,
            }),
          );
      });
    }
    // a mark where values become NaN or infinite
    curve.y.forEach((value, i) => {
      if (
        value !== null ||
        (i && curve.y[i - 1] === null) ||
        curve.x[i] < this.range[0] ||
        curve.x[i] > this.range[1]
      )
        return;
      const x = this.px(curve.x[i]);
      const mark = svg("path", { d: `M${x - 5},${TOP + 1}h10l-5,9z`, fill: "#b42318" });
      mark.append(svg("title", {}, `NaN or infinite at ${grouped(curve.x[i])}`));
      parts.push(mark);
    });
    return parts;
  }

  inSight(x, y) {
    return y !== null && x >= this.range[0] && x <= this.range[1] && (!this.options.log || y > 0);
  }

  // A path through the points in sight and the next one on each side.
  line(xs, ys) {
    let path = "";
    let open = false;
    xs.forEach((x, i) => {
      const inside = (xs[i + 1] ?? x) >= this.range[0] && (xs[i - 1] ?? x) <= this.range[1];
      if (!inside || ys[i] === null || (this.options.log && ys[i] <= 0)) {
        open = false;
        return;
      }
      path += `${open ? "L" : "M"}${this.px(x).toFixed(1)},${this.py(ys[i]).toFixed(1)}`;
      open = true;
    });
    return path;
  }

  // The legend: each curve with its last value, or its value at the pointer.
  entries() {
    this.values = this.curves.map(() => element("b"));
    this.legend.replaceChildren(
      ...this.curves.map((curve, i) => {
        const box = element("input", { type: "checkbox", checked: !curve.hidden });
        box.addEventListener("change", curve.toggle);
        const line = svg(
          "svg",
          { viewBox: "0 0 22 8" },
          svg("line", {
            x1: 0,
            x2: 22,
            y1: 4,
            y2: 4,
            stroke: curve.color,
            "stroke-width": 2.5,
            "stroke-dasharray": curve.dash,
          }),
        );
        return element(
          "label",
          { className: curve.hidden ? "off" : "" },
          box,
          line,
          `${curve.label} `,
          this.values[i],
        );
      }),
    );
    this.point(null);
  }

  point(x) {
    this.hair.setAttribute(
      "visibility",
      x === null || x < this.range[0] || x > this.range[1] ? "hidden" : "visible",
    );
    if (x !== null) {
      this.hair.setAttribute("x1", this.px(x));
      this.hair.setAttribute("x2", this.px(x));
    }
    this.curves.forEach((curve, i) => {
      const at = x === null ? curve.x.length - 1 : nearestIndex(curve.x, x);
      this.values[i].textContent = short(curve.y[at]);
    });
  }

  listen() {
    let start = null;
    const at = (event) => {
      const share = (event.offsetX - LEFT) / (this.wide - LEFT - RIGHT);
      return this.range[0] + Math.min(1, Math.max(0, share)) * (this.range[1] - this.range[0]);
    };
    this.frame.addEventListener("pointerdown", (event) => {
      start = at(event);
      this.frame.setPointerCapture(event.pointerId);
    });
    this.frame.addEventListener("pointermove", (event) => {
      const here = at(event);
      this.moved(here);
      if (start === null) return;
      this.shade.setAttribute("visibility", "visible");
      this.shade.setAttribute("x", this.px(Math.min(start, here)));
      this.shade.setAttribute("width", Math.abs(this.px(start) - this.px(here)));
    });
    this.frame.addEventListener("pointerup", (event) => {
      const here = at(event);
      const from = start;
      start = null;
      this.shade.setAttribute("visibility", "hidden");
      if (from !== null && Math.abs(this.px(from) - this.px(here)) > 8)
        this.zoomed([Math.min(from, here), Math.max(from, here)]);
    });
    this.frame.addEventListener("pointerleave", () => this.moved(null));
    this.frame.addEventListener("dblclick", () => this.zoomed(null));
  }
}

function nearestIndex(xs, x) {
  let low = 0;
  let high = xs.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (xs[middle] < x) low = middle;
    else high = middle;
  }
  return Math.abs(xs[low] - x) <= Math.abs(xs[high] - x) ? low : high;
}
