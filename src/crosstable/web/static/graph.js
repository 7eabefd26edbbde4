// The graph of a member's ratings, drawn anew so that it answers to pointer, touch and keys.
import { locale, phrase } from "./words.js";

const source = document.querySelector("[data-history]");
const SVG = "http://www.w3.org/2000/svg";
const DAY = 86400000;
const SPANS = [[phrase("All"), 0], [phrase("5 years"), 5], [phrase("2 years"), 2], [phrase("1 year"), 1]];
const MASTERS = { "Senior Master": phrase("Senior Master"), "National Master": phrase("National Master"), Expert: phrase("Expert") };
const className = (title) => MASTERS[title] ?? phrase("Class {letter}", { letter: title.slice("Class ".length) });

function draw(data) {
  const box = source.closest(".graph");
  const full = data.systems.filter((one) => one.points.length);
  const state = { hidden: new Set(full.length > 3 ? full.slice(1) : []), years: 0, at: -1 };
  const make = (name, given = {}, text = "") => {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(given)) node.setAttribute(key, value);
    node.textContent = text;
    return node;
  };
  const svg = make("svg", { class: "chart live", tabindex: 0, role: "application" });
  svg.setAttribute("aria-label", phrase("Graph of ratings. Left and right go from section to section, Enter opens one."));
  const told = document.createElement("p");
  told.className = "told";
  told.setAttribute("aria-live", "polite");
  const bar = document.createElement("p");
  bar.className = "toggles noprint";
  const all = data.systems.flatMap((one) => one.points.map(([day, text, change, at]) => {
    const [what, ...place] = data.places[at];
    return { one, day: day * DAY, text, rating: parseFloat(text), change, what, place: place.length ? place : null };
  }));
  all.sort((a, b) => a.day - b.day);
  let shown = [];

  function button(text, pressed, act, code) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "plain";
    if (code) made.insertAdjacentHTML("beforeend", `<i class="dot ${code}"></i>`);
    made.append(text);
    made.setAttribute("aria-pressed", pressed());
    made.addEventListener("click", () => { act(); paint(); });
    bar.append(made);
    return () => made.setAttribute("aria-pressed", pressed());
  }
  const renew = [
    ...full.map((one) => button(phrase(one.name), () => !state.hidden.has(one), () => {
      if (!state.hidden.delete(one)) state.hidden.add(one);
    }, one.code)),
    ...SPANS.map(([text, years]) => button(text, () => state.years === years, () => { state.years = years; })),
  ];

  function paint() {
    renew.forEach((one) => one());
    const width = Math.max(280, box.clientWidth), height = width < 480 ? 260 : 330, left = 40, right = 12, top = 14, low = height - 26;
    const last = Math.max(...all.map((one) => one.day));
    const from = state.years ? last - state.years * 365.25 * DAY : -Infinity;
    shown = all.filter((one) => !state.hidden.has(one.one) && one.day >= from);
    state.at = -1;
    told.textContent = shown.length ? phrase("Point at the line, tap it, or use the arrow keys.") : phrase("Nothing to show: choose a system or a longer time.");
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    if (!shown.length) return;
    const values = shown.map((one) => one.rating);
    const step = [25, 50, 100, 200, 500].find((one) => (Math.max(...values) - Math.min(...values)) / one <= 6) ?? 500;
    const bottom = Math.floor(Math.min(...values) / step) * step;
    const ceiling = Math.max(bottom + step, Math.ceil(Math.max(...values) / step) * step);
    const first = shown[0].day, span = Math.max(shown.at(-1).day - first, 30 * DAY);
    const x = (day) => left + (day - first) / span * (width - left - right);
    const y = (rating) => low - (rating - bottom) / (ceiling - bottom) * (low - top);
    data.classes.forEach(([lowest, title], at) => {
      const upper = Math.min(at ? data.classes[at - 1][0] : Infinity, ceiling), lower = Math.max(lowest, bottom);
      if (upper <= lower) return;
      if (at % 2) svg.append(make("rect", { class: "band", x: left, y: y(upper), width: width - left - right, height: y(lower) - y(upper) }));
      if (y(lower) - y(upper) > 22) svg.append(make("text", { class: "tick", x: width - right - 4, y: y(upper) + 14, "text-anchor": "end" }, className(title)));
    });
    for (let level = bottom; level <= ceiling; level += step) {
      svg.append(make("line", { class: "grid", x1: left, x2: width - right, y1: y(level), y2: y(level) }));
      svg.append(make("text", { class: "tick", x: left - 6, y: y(level) + 4, "text-anchor": "end" }, level));
    }
    const marks = width < 480 ? 2 : 4;
    for (let at = 0; at <= marks; at++) {
      const day = new Date(first + span * at / marks).toLocaleDateString(locale, { month: "short", year: "numeric", timeZone: "UTC" });
      svg.append(make("text", { class: "tick", x: left + (width - left - right) * at / marks, y: height - 8,
        "text-anchor": at === 0 ? "start" : at === marks ? "end" : "middle" }, day));
    }
    for (const one of data.systems) {
      const own = shown.filter((point) => point.one === one);
      if (!own.length) continue;
      const group = make("g", { class: one.code });
      if (one.floor > bottom && one.floor < ceiling) {
        group.append(make("line", { class: "floor", x1: left, x2: width - right, y1: y(one.floor), y2: y(one.floor) }));
      }
      group.append(make("polyline", { class: "line", points: own.map((p) => `${x(p.day).toFixed(1)},${y(p.rating).toFixed(1)}`).join(" ") }));
      const peak = own.reduce((a, b) => (b.rating > a.rating ? b : a));
      for (const point of own) {
        [point.x, point.y] = [x(point.day), y(point.rating)];
        if (own.length < 90 || point === peak) group.append(make("circle", { cx: point.x, cy: point.y, r: point === peak ? 5 : 3 }));
      }
      svg.append(group);
    }
    svg.append(make("circle", { class: "cursor", r: 7, cx: -20, cy: -20 }));
  }

  function tell(at) {
    if (!shown.length) return;
    state.at = Math.max(0, Math.min(shown.length - 1, at));
    const point = shown[state.at];
    const cursor = svg.querySelector(".cursor");
    cursor.setAttribute("cx", point.x);
    cursor.setAttribute("cy", point.y);
    const day = new Date(point.day).toLocaleDateString(locale, { month: "long", day: "numeric", year: "numeric", timeZone: "UTC" });
    const change = point.change === null ? "" : ` (${point.change > 0 ? "+" : point.change < 0 ? "−" : "±"}${Math.abs(point.change)})`;
    told.replaceChildren(`${day}: ${phrase(point.one.name)} ${point.text}${change}, `);
    const link = document.createElement(point.place ? "a" : "span");
    if (point.place) link.href = address(point);
    link.textContent = point.what;
    told.append(link);
  }
  const address = ({ place: [event, section] }) => `/events/${encodeURIComponent(event)}/sections/${section}`;
  function nearest(event) {
    const frame = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / frame.width;
    const px = (event.clientX - frame.left) * scale, py = (event.clientY - frame.top) * scale;
    let best = -1, least = Infinity;
    shown.forEach((point, at) => {
      const far = (point.x - px) ** 2 + (point.y - py) ** 2 / 4;
      if (far < least) [best, least] = [at, far];
    });
    return best;
  }
  svg.addEventListener("pointermove", (event) => { if (event.pointerType === "mouse") tell(nearest(event)); });
  svg.addEventListener("click", (event) => {
    const at = nearest(event), same = at === state.at;
    tell(at);
    if (same && event.detail > 0 && shown[at]?.place && matchMedia("(hover: hover)").matches) location.href = address(shown[at]);
  });
  svg.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: state.at < 0 ? shown.length - 1 : state.at - 1, ArrowRight: state.at + 1, Home: 0, End: shown.length - 1 }[event.key];
    if (to !== undefined) { event.preventDefault(); tell(to); }
    if (event.key === "Enter" && shown[state.at]?.place) location.href = address(shown[state.at]);
  });
  box.querySelectorAll("svg, .legend, .noscript").forEach((one) => one.remove());
  source.before(bar, svg, told);
  paint();
  new ResizeObserver(() => paint()).observe(box);
}

if (source) draw(JSON.parse(source.textContent));
