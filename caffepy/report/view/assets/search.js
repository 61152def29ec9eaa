// Searching the layers by name, type or blob.

const MOST_HITS = 200;

class Search {
  // `choose(layer)`: an answer was taken; `mark(layers)`: what is found so far.
  constructor(field, list, net, choose, mark) {
    Object.assign(this, { field, list, net, choose, mark, found: [], at: 0 });
    this.texts = net.layers.map((layer) =>
      [layer.name, layer.type, ...layer.tops.map(([blob]) => blob)].join("\n").toLowerCase(),
    );
    field.addEventListener("input", () => this.look());
    field.addEventListener("focus", () => this.look());
    field.addEventListener("blur", () => {
      list.hidden = true;
    });
    field.addEventListener("keydown", (event) => this.key(event));
  }

  look() {
    const words = this.field.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.found = [];
    this.at = 0;
    if (words.length) {
      this.texts.forEach((text, index) => {
        if (words.every((word) => text.includes(word))) this.found.push(index);
      });
      // the layer of this very name first, then those that begin so
      const rank = (index) =>
        this.texts[index].startsWith(`${words[0]}\n`)
          ? 0
          : this.texts[index].startsWith(words[0])
            ? 1
            : 2;
      this.found.sort((one, other) => rank(one) - rank(other) || one - other);
    }
    this.mark(this.found);
    const items = this.found.slice(0, MOST_HITS).map((index) => {
      const layer = this.net.layers[index];
      const item = element(
        "li",
        {},
        element("span", { className: "type" }, layer.type),
        layer.name,
      );
      item.addEventListener("mousedown", (event) => {
        event.preventDefault();
        this.take(index);
      });
      return item;
    });
    const more = this.found.length - items.length;
    if (words.length && !items.length)
      items.push(element("li", { className: "soft" }, "nothing found"));
    if (more > 0) items.push(element("li", { className: "soft" }, `and ${more} more`));
    this.list.replaceChildren(...items);
    this.list.hidden = !words.length;
    this.light();
  }

  light() {
    [...this.list.children].forEach((item, i) =>
      item.classList.toggle("on", i === this.at && i < this.found.length),
    );
    this.list.querySelector(".on")?.scrollIntoView({ block: "nearest" });
  }

  key(event) {
    const last = Math.min(this.found.length, MOST_HITS) - 1;
    if (event.key === "ArrowDown") this.at = Math.min(this.at + 1, Math.max(last, 0));
    else if (event.key === "ArrowUp") this.at = Math.max(this.at - 1, 0);
    else if (event.key === "Enter" && this.found.length) this.take(this.found[this.at]);
    else if (event.key === "Escape") {
      this.field.value = "";
      this.look();
      this.field.blur();
    } else return;
    event.preventDefault();
    this.light();
  }

  take(index) {
    this.list.hidden = true;
    this.choose(index);
  }
}
