// The net on a canvas. Only what is in sight is drawn, and no text when far away, so that a large
// net stays fluid.

const FONT = '"DejaVu Sans", Verdana, Helvetica, sans-serif';
const NAME_PX = 12;
const LABEL_PX = 10;
const LINE_PX = 16;
const LEAST_TEXT_PX = 4.5;
const MOST_ZOOM = 4;
const MARGIN = 24;
const INK = "#333333";
const ARROW = "#78828C";
const CHOSEN = "#0b62c4";
const HIT = "#bf3989";

class Graph {
  // `choose(box)` is called with the index of a box that was clicked, or with null.
  constructor(canvas, net, choose) {
    Object.assign(this, {
      canvas,
      net,
      choose,
      chosen: null,
      hits: new Set(),
      view: { x: 0, y: 0, zoom: 1 },
      waiting: false,
    });
    this.context = canvas.getContext("2d");
    this.arrows = net.arrows.map((arrow) => ({ ...arrow, ...extent(arrow.curve) }));
    this.listen();
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
    this.start();
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.canvas;
    this.canvas.width = Math.max(1, Math.round(clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(clientHeight * ratio));
    this.draw();
  }

  // At first all of a small net is shown, or the beginning of a large one.
  start() {
    this.fit();
    if (this.view.zoom >= 0.5) return;
    const { clientWidth } = this.canvas;
    this.view.zoom = Math.min(1, Math.max(0.5, clientWidth / (this.net.width + 2 * MARGIN)));
    const first = this.net.boxes[0];
    this.view.x = first ? clientWidth / 2 - first.x * this.view.zoom : MARGIN;
    this.view.y = MARGIN;
    this.redraw();
  }

  fit() {
    const { clientWidth, clientHeight } = this.canvas;
    const zoom = Math.min(
      clientWidth / (this.net.width + 2 * MARGIN),
      clientHeight / (this.net.height + 2 * MARGIN),
      1.5,
    );
    this.view = {
      zoom,
      x: (clientWidth - this.net.width * zoom) / 2,
      y: (clientHeight - this.net.height * zoom) / 2,
    };
    this.redraw();
  }

  // A point of the canvas stays where it is.
  zoomBy(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const least = Math.min(0.02, this.canvas.clientHeight / (this.net.height + 2 * MARGIN));
    const zoom = Math.min(MOST_ZOOM, Math.max(least, this.view.zoom * factor));
    const change = zoom / this.view.zoom;
    this.view = { zoom, x: x - (x - this.view.x) * change, y: y - (y - this.view.y) * change };
    this.redraw();
  }

  // Moves only where the box is out of sight or too small to read.
  show(index) {
    const box = this.net.boxes[index];
    const zoom = Math.max(this.view.zoom, 0.8);
    const x = box.x * zoom + this.view.x;
    const y = box.y * zoom + this.view.y;
    const seen = x > 0 && y > 0 && x < this.canvas.clientWidth && y < this.canvas.clientHeight;
    if (!seen || zoom !== this.view.zoom)
      this.view = {
        zoom,
        x: this.canvas.clientWidth / 2 - box.x * zoom,
        y: this.canvas.clientHeight / 2 - box.y * zoom,
      };
    this.mark(index);
  }

  mark(index) {
    this.chosen = index;
    this.redraw();
  }

  setHits(boxes) {
    this.hits = new Set(boxes);
    this.redraw();
  }

  boxAt(x, y) {
    const { zoom, x: left, y: top } = this.view;
    const inX = (x - left) / zoom;
    const inY = (y - top) / zoom;
    const found = this.net.boxes.findIndex(
      (box) => Math.abs(inX - box.x) <= box.w / 2 && Math.abs(inY - box.y) <= box.h / 2,
    );
    return found < 0 ? null : found;
  }

  listen() {
    const canvas = this.canvas;
    const fingers = new Map();
    let moved = 0;
    let apart = 0;
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const lines = event.deltaMode === 1 ? 30 : 1;
        this.zoomBy(Math.exp(-event.deltaY * lines * 0.0015), event.offsetX, event.offsetY);
      },
      { passive: false },
    );
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
      moved = apart = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!fingers.has(event.pointerId)) {
        canvas.classList.toggle("over", this.boxAt(event.offsetX, event.offsetY) !== null);
        return;
      }
      const [x, y] = fingers.get(event.pointerId);
      fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
      moved += Math.hypot(event.offsetX - x, event.offsetY - y);
      if (fingers.size > 1) {
        const [one, other] = [...fingers.values()];
        const distance = Math.hypot(one[0] - other[0], one[1] - other[1]);
        if (apart && distance)
          this.zoomBy(distance / apart, (one[0] + other[0]) / 2, (one[1] + other[1]) / 2);
        apart = distance;
        return;
      }
      this.view.x += event.offsetX - x;
      this.view.y += event.offsetY - y;
      this.redraw();
    });
    const end = (event) => {
      if (fingers.delete(event.pointerId) && event.type === "pointerup" && moved < 5)
        this.choose(this.boxAt(event.offsetX, event.offsetY));
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("keydown", (event) => {
      const step = 80;
      const ways = {
        ArrowLeft: [step, 0],
        ArrowRight: [-step, 0],
        ArrowUp: [0, step],
        ArrowDown: [0, -step],
      };
      if (ways[event.key]) {
        this.view.x += ways[event.key][0];
        this.view.y += ways[event.key][1];
        this.redraw();
      } else if (event.key === "+" || event.key === "=") this.zoomBy(1.25);
      else if (event.key === "-") this.zoomBy(0.8);
      else if (event.key === "0") this.fit();
      else return;
      event.preventDefault();
    });
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.waiting = false;
    const { context, canvas } = this;
    const { x, y, zoom } = this.view;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.setTransform(ratio * zoom, 0, 0, ratio * zoom, ratio * x, ratio * y);
    const sight = {
      left: -x / zoom,
      top: -y / zoom,
      right: (canvas.clientWidth - x) / zoom,
      bottom: (canvas.clientHeight - y) / zoom,
    };
    const near = this.chosen;
    const first = this.arrows.filter(
      (arrow) => arrow.from !== near && arrow.to !== near && meets(arrow, sight),
    );
    const own = this.arrows.filter(
      (arrow) => (arrow.from === near || arrow.to === near) && meets(arrow, sight),
    );
    this.drawArrows(first, ARROW, Math.max(1, 0.6 / zoom));
    this.drawArrows(own, CHOSEN, Math.max(2, 1.2 / zoom));
    this.net.boxes.forEach((box, index) => {
      const place = {
        left: box.x - box.w / 2,
        right: box.x + box.w / 2,
        top: box.y - box.h / 2,
        bottom: box.y + box.h / 2,
      };
      if (meets(place, sight)) this.drawBox(box, index, place, zoom);
    });
    if (LABEL_PX * zoom >= LEAST_TEXT_PX) this.drawLabels(sight);
  }

  drawArrows(arrows, color, width) {
    const context = this.context;
    context.strokeStyle = context.fillStyle = color;
    context.lineWidth = width;
    context.beginPath();
    for (const { curve } of arrows) {
      context.moveTo(curve[0], curve[1]);
      for (let i = 2; i + 5 < curve.length; i += 6) context.bezierCurveTo(...curve.slice(i, i + 6));
    }
    context.stroke();
    context.beginPath();
    for (const { curve } of arrows) {
      const [x, y] = curve.slice(-2);
      context.moveTo(x, y);
      context.lineTo(x - 3.5, y - 8);
      context.lineTo(x + 3.5, y - 8);
    }
    context.fill();
  }

  drawBox(box, index, place, zoom) {
    const context = this.context;
    context.beginPath();
    context.roundRect(place.left, place.top, box.w, box.h, box.repeats === null ? 6 : box.h / 2);
    context.fillStyle = box.color;
    context.fill();
    const marked = index === this.chosen;
    const hit = this.hits.has(index);
    context.lineWidth = marked || hit ? Math.max(3, 2 / zoom) : 1;
    context.strokeStyle = marked ? CHOSEN : hit ? HIT : "#33333359";
    context.stroke();
    if (NAME_PX * zoom < LEAST_TEXT_PX) return;
    context.fillStyle = INK;
    context.textAlign = "center";
    context.textBaseline = "middle";
    box.texts.forEach((text, i) => {
      context.font = `${i ? "" : "bold "}${NAME_PX}px ${FONT}`;
      context.fillText(text, box.x, box.y + (i - (box.texts.length - 1) / 2) * LINE_PX, box.w - 8);
    });
  }

  drawLabels(sight) {
    const context = this.context;
    context.font = `${LABEL_PX}px ${FONT}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const [text, x, y] of this.net.labels) {
      if (x < sight.left - 100 || x > sight.right + 100 || y < sight.top || y > sight.bottom)
        continue;
      const width = context.measureText(text).width + 4;
      context.fillStyle = "#ffffffd9";
      context.fillRect(x - width / 2, y - 6, width, 12);
      context.fillStyle = INK;
      context.fillText(text, x, y);
    }
  }
}

function extent(curve) {
  const xs = curve.filter((_, i) => i % 2 === 0);
  const ys = curve.filter((_, i) => i % 2);
  return {
    left: Math.min(...xs),
    right: Math.max(...xs),
    top: Math.min(...ys),
    bottom: Math.max(...ys),
  };
}

function meets(place, sight) {
  return (
    place.right >= sight.left &&
    place.left <= sight.right &&
    place.bottom >= sight.top &&
    place.top <= sight.bottom
  );
}
