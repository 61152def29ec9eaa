// The panel beside the graph: the whole net, or the layers of one box.

class Panel {
  // `choose(layer)` is called with the index of a layer that is named here and was clicked.
  constructor(place, net, choose) {
    Object.assign(this, { place, net, choose });
    this.makers = new Map();
    net.layers.forEach((layer, index) => {
      for (const [blob] of layer.tops) if (!this.makers.has(blob)) this.makers.set(blob, index);
    });
  }

  fill(...parts) {
    this.place.replaceChildren(
      ...parts.flat(Infinity).filter((part) => part !== null && part !== undefined),
    );
    this.place.scrollTop = 0;
  }

  overview() {
    const { net } = this;
    this.fill(
      element("h2", {}, net.name),
      element("p", { className: "soft" }, `${net.phase} phase, ${net.layers.length} layers`),
      net.notes.map((text) => note(text)),
      net.totals.map((text) => element("p", {}, text)),
      this.deadLayers(),
      this.seen(),
      element("h3", {}, "Layers"),
      this.list(net.layers.map((_, index) => index)),
    );
  }

  list(indices) {
    const rows = indices.map((index) => {
      const layer = this.net.layers[index];
      return [
        layer.name,
        layer.type,
        layer.tops.map(([, shape]) => shape).join("\n"),
        si(layer.parameters),
        si(layer.flops),
      ];
    });
    const made = table(["name", "type", "output", "params", "FLOPs"], rows, [3, 4], [0], [2]);
    made.querySelectorAll("tbody tr").forEach((row, i) => {
      row.className = "link";
      row.addEventListener("click", () => this.choose(indices[i]));
    });
    return made;
  }

  deadLayers() {
    const found = this.net.layers
      .map((_, index) => index)
      .filter((index) => this.dead(index).length);
    if (!found.length) return [];
    const lines = found.map((index) => {
      const link = element("a", {}, this.net.layers[index].name);
      link.addEventListener("click", () => this.choose(index));
      return element(
        "div",
        {},
        link,
        `: ${this.dead(index).length} of ${this.net.weights[index].dead.of}`,
      );
    });
    return [element("h3", {}, "Dead channels"), element("div", { className: "note" }, ...lines)];
  }

  dead(index) {
    return this.net.weights?.[index].dead?.channels ?? [];
  }

  seen() {
    const found = this.net.activations;
    if (!found) return [];
    const picture = found.picture
      ? element("img", { src: found.picture, alt: found.title, id: "picture" })
      : null;
    if (picture) picture.style.width = "224px";
    const outputs = found.classes.map(({ blob, how, best }) => {
      const most = Math.max(...best.map(([, score]) => score), 0);
      const bars = best.flatMap(([name, score]) => {
        const bar = element("div");
        bar.style.width = `${score > 0 ? (100 * score) / most : 0}%`;
        return [element("span", { title: name }, name), bar, element("span", {}, short(score))];
      });
      return [
        element(
          "h3",
          {},
          how === "score" ? `Largest values of ${blob}` : `Likeliest classes by ${blob}`,
        ),
        element("div", { className: "bars" }, ...bars),
      ];
    });
    return [
      element("h3", {}, `What it makes of ${found.title}`),
      picture,
      found.notes.map((text) => element("p", { className: "soft" }, text)),
      outputs,
    ];
  }

  box(index, layer) {
    const { layers, repeats } = this.net.boxes[index];
    const shown = repeats === null ? layers : this.net.boxes[repeats].layers;
    const back = element("a", { id: "all" }, "← all layers");
    back.addEventListener("click", () => this.choose(null));
    this.fill(
      element("p", {}, back),
      shown.map((each) => this.layer(each)),
    );
    if (layer !== undefined && layer !== shown[0]) byId(`layer-${layer}`)?.scrollIntoView();
  }

  layer(index) {
    const layer = this.net.layers[index];
    const known = this.net.weights?.[index] ?? {};
    const made = this.net.activations?.layers[index] ?? {};
    const costs = [
      layer.parameters ? `${grouped(layer.parameters)} parameters` : "",
      layer.flops ? `${si(layer.flops)} FLOPs` : "",
      layer.bytes ? `output ${si(layer.bytes, "B")}` : "",
      layer.inPlace ? "in place" : "",
    ].filter(Boolean);
    return element(
      "article",
      { id: `layer-${index}` },
      element("h2", {}, layer.name),
      element("p", { className: "soft" }, layer.type),
      element("p", {}, costs.join(", ")),
      layer.where ? element("p", {}, element("code", {}, layer.where)) : null,
      element("h3", {}, "Shapes"),
      this.shapes(layer),
      ...(layer.params.length ? [element("h3", {}, "Parameters"), this.params(layer)] : []),
      ...this.weights(layer, known),
      ...this.maps(layer, made),
      element("h3", {}, "Fields"),
      element("pre", {}, layer.fields),
    );
  }

  shapes(layer) {
    const bottoms = layer.bottoms.map(([name, shape]) => ["bottom", this.link(name), shape]);
    const tops = layer.tops.map(([name, shape]) => ["top", name, shape]);
    return table(["", "blob", "shape"], [...bottoms, ...tops], [], [1, 2]);
  }

  link(blob) {
    const maker = this.makers.get(blob);
    if (maker === undefined) return blob;
    const made = element("a", {}, blob);
    made.addEventListener("click", () => this.choose(maker));
    return made;
  }

  params(layer) {
    const rows = layer.params.map((p, i) => [
      p.name || String(i),
      p.shape,
      grouped(p.count),
      p.shared ? `shared: ${p.shared}` : p.rates,
    ]);
    return table(["", "shape", "values", "rates"], rows, [2], [0, 1, 3]);
  }

  weights(layer, known) {
    const parts = (known.statistics ?? []).flatMap((found, i) => [
      element("h3", {}, `Values of parameter ${i}`),
      ...statistics(found),
    ]);
    if (known.dead?.channels.length) {
      const { channels, of } = known.dead;
      parts.push(
        note(
          `${channels.length} of ${of} channels are dead, their weights all nearly zero: ${numbers(channels)}`,
        ),
      );
    }
    if (known.filters) parts.push(element("h3", {}, "Filters"), mosaic(known.filters, "filter"));
    return parts;
  }

  maps(layer, made) {
    return (made.tops ?? []).flatMap((top, i) => {
      const name = layer.tops[i][0];
      const parts = [element("h3", {}, `What came out: ${name}`), ...statistics(top.statistics)];
      if (top.silent?.length)
        parts.push(
          note(
            `${top.silent.length} of ${top.of} channels are zero everywhere here: ${numbers(top.silent)}`,
          ),
        );
      if (top.maps) {
        const rest = top.maps.shown < top.of ? `; -layer ${layer.name} keeps all` : "";
        parts.push(
          element(
            "p",
            { className: "soft" },
            `${top.maps.shown} of ${top.of} feature maps, each on a scale of its own${rest}`,
          ),
          mosaic(top.maps, "channel"),
        );
      }
      return parts;
    });
  }
}
