// Puts the page together from its data, and keeps it up to date where it came from a server.

const POLL_MS = 2000;
const data = JSON.parse(byId("data").textContent);

function showNet(net) {
  const boxOf = new Map();
  net.boxes.forEach((box, index) => box.layers.forEach((layer) => boxOf.set(layer, index)));
  const panel = new Panel(byId("panel"), net, (layer) =>
    layer === null ? choose(null) : find(layer),
  );
  const graph = new Graph(byId("graph"), net, choose);

  function choose(index) {
    graph.mark(index);
    if (index === null) panel.overview();
    else panel.box(index);
  }

  function find(layer) {
    graph.show(boxOf.get(layer));
    panel.box(boxOf.get(layer), layer);
  }

  new Search(byId("search"), byId("hits"), net, find, (layers) =>
    graph.setHits(layers.map((layer) => boxOf.get(layer))),
  );
  byId("closer").addEventListener("click", () => graph.zoomBy(1.25));
  byId("farther").addEventListener("click", () => graph.zoomBy(0.8));
  byId("whole").addEventListener("click", () => graph.fit());
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== byId("search")) {
      event.preventDefault();
      byId("search").focus();
    }
  });
  panel.overview();
  const named = new URLSearchParams(location.hash.slice(1)).get("layer");
  const start = net.layers.findIndex((layer) => layer.name === named);
  if (start >= 0) find(start);
}

function tabs(names) {
  const buttons = names.map((name) =>
    element("button", { id: `tab-${name}` }, name === "net" ? "Net" : "Training"),
  );
  const turn = (chosen) => {
    names.forEach((name, i) => {
      byId(name).hidden = name !== chosen;
      buttons[i].classList.toggle("on", name === chosen);
    });
    byId("finder").hidden = chosen !== "net";
  };
  buttons.forEach((button, i) => button.addEventListener("click", () => turn(names[i])));
  if (names.length > 1) byId("tabs").append(...buttons);
  turn(names.includes(location.hash.slice(1)) ? location.hash.slice(1) : names[0]);
}

// Asks for newer numbers for as long as the server answers.
async function follow(training, version) {
  for (;;) {
    await new Promise((done) => setTimeout(done, POLL_MS));
    try {
      const answer = await fetch(`data?since=${version}`);
      if (answer.status === 200) {
        const newer = await answer.json();
        version = newer.version;
        training.show(newer.training.runs);
      }
      byId("state").textContent =
        answer.ok || answer.status === 204
          ? `live, ${new Date().toLocaleTimeString()}`
          : await answer.text();
    } catch {
      byId("state").textContent = "the server has ended; these are the last numbers";
    }
  }
}

document.title = byId("title").textContent = data.title;
byId("title").title = data.title;
tabs(["net", "training"].filter((name) => data[name]));
if (data.net) showNet(data.net);
if (data.training) {
  const training = new Training(byId("training"));
  training.show(data.training.runs);
  if (data.live) follow(training, data.version);
}
