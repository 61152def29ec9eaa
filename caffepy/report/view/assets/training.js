// The trainings: their curves over one another, their last numbers, the warnings of their logs.

// told apart by colour-blind readers as well (Okabe and Ito)
const COLORS = [
  "#0072B2",
  "#D55E00",
  "#009E73",
  "#CC79A7",
  "#E69F00",
  "#56B4E9",
  "#6b4c9a",
  "#7f7f7f",
];
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "4 4"];
const PANELS = { loss: "Loss", accuracy: "Accuracy", rate: "Learning rate", speed: "Speed" };
const MUCH = 30;

class Training {
  constructor(place) {
    Object.assign(this, {
      place,
      state: { range: null, byTime: false, smooth: 0, log: {}, toggled: new Set() },
      charts: {},
    });
    this.controls = element("div", { id: "controls" });
    this.panels = element("div", { id: "panels" });
    this.words = element("div", { id: "words" });
    place.append(this.controls, this.panels, this.words);
    for (const [panel, title] of Object.entries(PANELS)) {
      this.charts[panel] = new Chart(
        title,
        (x) => this.point(x),
        (range) => this.change({ range }),
      );
      this.panels.append(this.charts[panel].place);
    }
    new ResizeObserver(() => this.render()).observe(this.panels);
  }

  show(runs) {
    this.runs = runs;
    this.control();
    this.render();
    this.words.replaceChildren(...this.numbers(), ...this.warnings());
  }

  change(more) {
    Object.assign(this.state, more);
    this.render();
  }

  point(x) {
    for (const chart of Object.values(this.charts)) if (chart.curves?.length) chart.point(x);
  }

  control() {
    const check = (text, id, checked, changed, able = true) => {
      const box = element("input", { type: "checkbox", id, checked, disabled: !able });
      box.addEventListener("change", () => changed(box.checked));
      return element("label", {}, box, ` ${text}`);
    };
    const slider = element("input", {
      type: "range",
      id: "smooth",
      min: 0,
      max: 0.98,
      step: 0.02,
      value: this.state.smooth,
    });
    slider.addEventListener("input", () => this.change({ smooth: Number(slider.value) }));
    const timed = this.runs.some((run) => run.seconds.x.length > 1);
    this.controls.replaceChildren(
      check(
        "over time",
        "by-time",
        this.state.byTime,
        (byTime) => this.change({ byTime, range: null }),
        timed,
      ),
      check("losses on a logarithmic scale", "log-loss", this.logarithmic("loss"), (on) =>
        this.change({ log: { ...this.state.log, loss: on } }),
      ),
      element("label", {}, "smoother ", slider),
      element(
        "span",
        { className: "soft" },
        "drag over a chart to look closer, double-click for all",
      ),
    );
  }

  // As chosen by the user, or else where values are far apart.
  logarithmic(panel) {
    if (this.state.log[panel] !== undefined) return this.state.log[panel];
    const values = this.runs
      .flatMap((run) => run.curves.filter((c) => c.panel === panel && c.shown).flatMap((c) => c.y))
      .filter((y) => y !== null);
    const sorted = values.filter((y) => y > 0).sort((a, b) => a - b);
    if (!sorted.length || values.some((y) => y < 0)) return false;
    if (panel === "rate") return sorted[sorted.length - 1] > MUCH * sorted[0];
    return (
      panel === "loss" && sorted[sorted.length - 1] > MUCH * sorted[Math.floor(sorted.length / 2)]
    );
  }

  render() {
    if (!this.runs) return;
    const { byTime, smooth } = this.state;
    const all = Object.keys(PANELS).map((panel) => [panel, this.curvesOf(panel)]);
    const range =
      this.state.range ??
      wholeRange(all.flatMap(([, curves]) => curves).filter((curve) => !curve.hidden));
    for (const [panel, curves] of all) {
      const chart = this.charts[panel];
      chart.place.hidden = !curves.length;
      if (!curves.length) continue;
      const units = new Set(curves.map((curve) => curve.unit));
      chart.head.textContent =
        panel === "speed" ? `Speed, ${[...units].join(" and ")}` : PANELS[panel];
      chart.render(curves, {
        range,
        byTime,
        smooth: panel === "rate" ? 0 : smooth,
        log: this.logarithmic(panel),
      });
    }
  }

  curvesOf(panel) {
    const several = this.runs.length > 1;
    return this.runs.flatMap((run, r) => {
      const own = run.curves.filter((curve) => curve.panel === panel);
      return own
        .map((curve, i) => {
          const key = JSON.stringify([run.name, panel, curve.label]);
          const training = curve.label === "training loss";
          return {
            label: several
              ? own.length > 1
                ? `${run.name}: ${curve.label}`
                : run.name
              : curve.label,
            unit: curve.label,
            x: this.state.byTime ? curve.x.map((at) => secondsAt(run.seconds, at)) : curve.x,
            y: curve.y,
            color: COLORS[(several ? r : i) % COLORS.length],
            dash: several && !training ? DASHES[i % DASHES.length] : "",
            faint: training && own.length > 1 && several,
            hidden: curve.shown === this.state.toggled.has(key),
            toggle: () => {
              if (!this.state.toggled.delete(key)) this.state.toggled.add(key);
              this.render();
            },
          };
        })
        .filter((curve) => !this.state.byTime || run.seconds.x.length > 1);
    });
  }

  numbers() {
    const rows = this.runs.map((run) => {
      const of = (panel) => run.curves.filter((curve) => curve.panel === panel && curve.shown);
      const last = (curve) => (curve ? short(curve.y[curve.y.length - 1]) : "");
      const accuracy = of("accuracy")[0];
      const speed = of("speed")[0];
      const time = run.seconds.y;
      const best = accuracy ? accuracy.y.filter((y) => y !== null) : [];
      const middle = speed ? [...speed.y].sort((a, b) => a - b)[speed.y.length >> 1] : 0;
      return [
        run.name,
        grouped(run.iterations),
        last(of("loss")[0]),
        best.length ? `${last(accuracy)} (best ${short(Math.max(...best))}) ${accuracy.label}` : "",
        last(of("rate")[0]),
        speed ? `${short(Number(middle.toPrecision(3)))} ${speed.label}` : "",
        time.length ? clockText(time[time.length - 1]) : "",
      ];
    });
    const head = [
      "run",
      "iterations",
      "training loss",
      "accuracy",
      "learning rate",
      "speed (median)",
      "time",
    ];
    return [element("h3", {}, "Runs"), table(head, rows, [1, 2, 4], [0])];
  }

  warnings() {
    const several = this.runs.length > 1;
    const rows = this.runs.flatMap((run) =>
      run.warnings.map((found) => [
        ...(several ? [run.name] : []),
        found.iteration === null ? "start" : grouped(found.iteration),
        found.severity,
        found.times > 1 ? `${found.text} (${found.times} times)` : found.text,
      ]),
    );
    const made = [
      element("h3", {}, rows.length ? "What the logs warned of" : "The logs warned of nothing"),
    ];
    if (rows.length)
      made.push(
        element(
          "div",
          { id: "warnings" },
          table(
            [...(several ? ["run"] : []), "iteration", "severity", "message"],
            rows,
            [],
            [several ? 3 : 2],
          ),
        ),
      );
    return made;
  }
}

// From the first to the last point of all curves.
function wholeRange(curves) {
  const ends = curves.flatMap((curve) => [curve.x[0], curve.x[curve.x.length - 1]]);
  if (!ends.length) return [0, 1];
  const low = Math.min(...ends);
  const high = Math.max(...ends);
  return low === high ? [low - 1, high + 1] : [low, high];
}

// The time of an iteration, between those whose times are known.
function secondsAt(known, at) {
  const { x, y } = known;
  if (x.length < 2) return 0;
  let i = nearestIndex(x, at);
  if (x[i] > at && i > 0) i -= 1;
  i = Math.min(i, x.length - 2);
  return y[i] + ((y[i + 1] - y[i]) * (at - x[i])) / (x[i + 1] - x[i]);
}
