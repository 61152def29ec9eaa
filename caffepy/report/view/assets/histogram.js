// Numbers about many values: a histogram and a line of words.

function histogram(found) {
  const width = 400;
  const height = 64;
  const bars = found.histogram;
  const most = Math.max(...bars);
  const step = width / bars.length;
  const drawn = svg("svg", { viewBox: `0 0 ${width} ${height + 14}`, class: "histogram" });
  bars.forEach((count, i) => {
    // a bar of few values is seen beside one of many
    const high = count ? Math.max(1.5, (count / most) * height) : 0;
    const bar = svg("rect", {
      x: i * step,
      y: height - high,
      width: step * 0.9,
      height: high,
      fill: "#4c8dd6",
    });
    const low = found.min + ((found.max - found.min) * i) / bars.length;
    bar.append(svg("title", {}, `${grouped(count)} values from ${short(low)}`));
    drawn.append(bar);
  });
  if (found.min < 0 && found.max > 0) {
    const zero = (-found.min / (found.max - found.min)) * width;
    drawn.append(
      svg("line", {
        x1: zero,
        x2: zero,
        y1: 0,
        y2: height,
        stroke: "#57606a",
        "stroke-dasharray": "2 3",
      }),
    );
  }
  const label = (x, anchor, text) =>
    svg(
      "text",
      { x, y: height + 12, "text-anchor": anchor, "font-size": 11, fill: "#57606a" },
      text,
    );
  drawn.append(label(0, "start", short(found.min)), label(width, "end", short(found.max)));
  return drawn;
}

function inWords(found) {
  if (found.min === undefined) return `none of ${grouped(found.count)} values is finite`;
  const zeros = found.zeros ? `, ${short((100 * found.zeros) / found.count)} % zero` : "";
  const lost = found.notFinite ? `, ${grouped(found.notFinite)} NaN or infinite` : "";
  return `mean ${short(found.mean)}, standard deviation ${short(found.std)}${zeros}${lost}`;
}

function statistics(found) {
  const words = element("p", { className: "soft" }, inWords(found));
  return found.histogram ? [histogram(found), words] : [words];
}

// Pixels of a picture's width that are filled by pictures enlarged a whole number of times.
const MOSAIC_PX = 500;

// Pictures side by side; pointing at one tells its number.
function mosaic(found, what) {
  const tiles = element("img", { src: found.address, alt: `${found.shown} ${what}s` });
  const wide = found.columns * found.cell_w;
  tiles.style.width = `${wide * Math.max(1, Math.floor(MOSAIC_PX / wide))}px`;
  tiles.addEventListener("mousemove", (event) => {
    const column = Math.floor((event.offsetX / tiles.clientWidth) * found.columns);
    const number =
      Math.floor((event.offsetY / tiles.clientHeight) * found.rows) * found.columns + column;
    tiles.title = number < found.shown ? `${what} ${number}` : "";
  });
  return tiles;
}

// 0, 3-5, 9
function numbers(list) {
  const parts = [];
  for (let i = 0; i < list.length; i += 1) {
    const first = list[i];
    while (list[i + 1] === list[i] + 1) i += 1;
    parts.push(first === list[i] ? String(first) : `${first}–${list[i]}`);
  }
  return parts.length > 40 ? `${parts.slice(0, 40).join(", ")}, …` : parts.join(", ");
}
