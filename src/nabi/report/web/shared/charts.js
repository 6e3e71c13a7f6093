// Charts as SVG, drawn anew where the width of their place changes, so that letters keep their size.
import { svg } from "./elements.js";
import { share } from "./locale.js";

const MARGIN = { top: 14, right: 26, bottom: 46, left: 68 };

/** A chart in its place; `draw(picture, width)` fills it, and `name` says it in words. */
export function chart(host, name, draw) {
  let last = 0;
  const show = (given) => {
    const width = Math.max(260, Math.min(680, Math.floor(given)));
    if (width === last) return;
    last = width;
    const height = Math.round(Math.max(250, Math.min(340, width * 0.62)));
    const picture = svg("svg", {
      role: "img", "aria-label": name, viewBox: `0 0 ${width} ${height}`, width, height,
    });
    draw(picture, { width, height });
    host.replaceChildren(picture);
  };
  new ResizeObserver((entries) => show(entries[0].contentRect.width)).observe(host);
  show(host.clientWidth || 600);
}

/** The place of a value on an axis from `low` to `high`. */
function scale(low, high, from, to, through = (v) => v) {
  const [a, b] = [through(low), through(high)];
  return (value) => from + ((through(value) - a) / (b - a || 1)) * (to - from);
}

/** Axes with their names, ticks and lines; the two scales. */
export function axes(picture, size, across, up) {
  const { top, right, bottom, left } = MARGIN;
  const [width, height] = [size.width - right, size.height - bottom];
  const x = scale(across.low, across.high, left, width, across.through);
  const y = scale(up.low, up.high, height, top);
  for (const tick of up.ticks) {
    picture.append(svg("line", { class: "rule", x1: left, x2: width, y1: y(tick), y2: y(tick) }),
      svg("text", { class: "tick", x: left - 8, y: y(tick) + 4, "text-anchor": "end" },
        up.text(tick)));
  }
  for (const tick of across.ticks) {
    picture.append(svg("text", {
      class: "tick", x: x(tick), y: height + 18, "text-anchor": "middle",
    }, across.text(tick)));
  }
  picture.append(svg("line", { class: "axis", x1: left, x2: width, y1: height, y2: height }),
    svg("text", {
      class: "name", x: (left + width) / 2, y: size.height - 8, "text-anchor": "middle",
    }, across.name),
    svg("text", {
      class: "name", "text-anchor": "middle",
      transform: `translate(14 ${(top + height) / 2}) rotate(-90)`,
    }, up.name));
  return { x, y };
}

/** An axis of shares. */
export function shares(name, low = 0, high = 1) {
  const step = high - low > 0.5 ? 0.2 : high - low > 0.2 ? 0.1 : high - low > 0.1 ? 0.05 : 0.02;
  const ticks = [];
  for (let i = Math.round(low / step); i * step <= high + 1e-9; i += 1) ticks.push(i * step);
  return { name, low, high, ticks, text: (v) => share(v, 0) };
}

/** A line through points. */
export function line(points, style) {
  return svg("polyline", { class: style, points: points.map((p) => p.join(",")).join(" ") });
}

/** A mark: a circle or a square, so that colour is not all that tells two curves apart. */
export function mark(x, y, style, radius = 4) {
  if (style.includes("against")) return svg("circle", { class: style, cx: x, cy: y, r: radius });
  return svg("rect", {
    class: style, x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius,
  });
}
