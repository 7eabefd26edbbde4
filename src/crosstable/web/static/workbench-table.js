// The editable crosstable of one section, and the results that stand in it.
import { locale, phrase } from "./words.js";

const POINTS = { W: 1, D: 0.5, N: 1, R: 0.5, X: 1, Y: 0.5, B: 1, H: 0.5 };
const FROM = { office: phrase("this office"), "pairing rating": phrase("pairing rating"), "by hand": phrase("by hand") };
const SYSTEMS = { OTBR: phrase("Regular"), OTBQ: phrase("Quick"), OTBB: phrase("Blitz"), OLR: phrase("Online Regular"), OLQ: phrase("Online Quick"), OLB: phrase("Online Blitz") };
const KINDS = {
  ...{ swiss: phrase("Swiss"), round_robin: phrase("Round robin"), match: phrase("Match") },
  ...{ foreign_fide: phrase("Foreign FIDE event"), foreign_fide_youth: phrase("Foreign FIDE youth event") },
};

export function element(name, given = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (key === "data") Object.assign(made.dataset, value);
    else if (key === "role" || key.startsWith("aria-")) made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

export function button(label, act, spoken = "") {
  const made = element("button", { type: "button", className: "plain" }, label);
  if (spoken && spoken !== label) made.ariaLabel = spoken;
  made.addEventListener("click", act);
  return made;
}

export function field(label, value, act, given = {}) {
  const { className = "", ...more } = given;
  const box = element("input", { value: value ?? "", ...more });
  box.addEventListener("change", () => act(box.value.trim()));
  return element("p", { className }, element("label", {}, `${label} `, box));
}

export function sectionTable(draft, at, edit, drop, look) {
  const section = draft.event.sections[at];
  const title = section.name || phrase("Section {number}", { number: section.number ?? at + 1 });
  const made = element("section", { className: "bench", data: { section: at } });
  const heading = element("h2", { id: `section-${at}` }, title);
  made.setAttribute("aria-labelledby", heading.id);
  made.append(heading, facts(draft, at, edit, drop));
  const rounds = Math.max(0, ...section.players.map((player) => (player.rounds ?? []).length));
  const head = [phrase("No."), phrase("Name and member ID"), phrase("Rating before"), ...Array.from({ length: rounds }, (_, round) => `${round + 1}`), phrase("Points")];
  const table = element("table", { className: "wall editable" });
  const titles = element("tr", {}, ...head.map((word, column) => element("th", { scope: "col", className: column > 2 ? "r" : column === 2 ? "before" : "" }, word)));
  const body = element("tbody");
  section.players.forEach((player, row) => body.append(rowOf(player, at, row, rounds, edit)));
  table.append(element("caption", { className: "unseen" }, phrase("Crosstable of {title}", { title })), element("thead", {}, titles), body);
  table.addEventListener("focusin", (event) => look(event.target));
  table.addEventListener("keydown", walk);
  made.append(element("div", { className: "scroll", role: "region", "aria-label": phrase("Crosstable of {title}", { title }), tabIndex: 0 }, table));
  return made;
}

function facts(draft, at, edit, drop) {
  const section = draft.event.sections[at];
  const set = (name) => (value) => edit(["event", "sections", at, name], value);
  const control = Array.isArray(section.time_control) ? section.time_control.join(", ") : section.time_control;
  const line = element("div", { className: "fields noprint" });
  const kinds = element("select", { data: { at: `${at}/type` } }, ...Object.entries(KINDS).map(([value, word]) => element("option", { value, selected: value === (section.type ?? "swiss") }, word)));
  kinds.addEventListener("change", () => set("type")(kinds.value));
  line.append(
    field(phrase("Section"), section.name, set("name")),
    field(phrase("Time control"), control, set("time_control"), { placeholder: "G/60;d5", size: 10 }),
    field(phrase("First day"), section.start_date, set("start_date"), { type: "date" }),
    field(phrase("Last day"), section.end_date, set("end_date"), { type: "date" }),
    element("p", {}, element("label", {}, `${phrase("Type")} `, kinds)),
    button(phrase("Leave this section out"), () => drop(at), phrase("Leave {name} out", { name: section.name || phrase("section {number}", { number: at + 1 }) })),
  );
  for (const [name, which] of [["time_control", 1], ["start_date", 2], ["end_date", 3]]) {
    line.children[which].querySelector("input").dataset.at = `${at}/${name}`;
  }
  const days = [section.start_date ?? draft.event.event.start_date, section.end_date ?? draft.event.event.end_date];
  const known = [control, ...new Set(days.filter(Boolean).map(american)), KINDS[section.type ?? "swiss"]].filter(Boolean);
  const summary = element("summary", {}, `${known.join(" · ")} `, element("span", { className: "quiet noprint" }, phrase("(change)")));
  return element("details", { open: !control || !days[0] || !days[1] }, summary, line);
}

function american(day) {
  return new Date(`${day}T12:00`).toLocaleDateString(locale, { dateStyle: "long" });
}

function rowOf(player, at, row, rounds, edit) {
  const who = player.name || phrase("player {number}", { number: player.number ?? row + 1 });
  const path = ["event", "sections", at, "players", row];
  const box = (name, value, label, size, act) => {
    const made = element("input", { value: value ?? "", size, ariaLabel: label, spellcheck: false, autocomplete: "off", data: { at: `${at}/${row}/${name}` } });
    made.addEventListener("change", () => act(made.value.trim()));
    return made;
  };
  const given = Object.values(player.ratings ?? {})[0]?.rating ?? player.pairing_rating;
  const rating = box("rating", player.hand, phrase("Rating of {who} before the event", { who }), 7, (value) => edit([...path, "hand"], value));
  const made = element("tr", { data: { number: player.number ?? "" } });
  made.append(
    element("td", { className: "n" }, `${player.number ?? ""}`),
    element(
      "th",
      { scope: "row" },
      box("name", player.name, phrase("Name of {who}", { who }), 20, (value) => edit([...path, "name"], value)),
      box("member_id", player.member_id, phrase("Member ID of {who}", { who }), 9, (value) => edit([...path, "member_id"], value)),
    ),
    element("td", { className: "before", data: { given: given ? `${Math.round(given)}` : "" } }, rating, element("small", {})),
  );
  const total = element("td", { className: "n points" }, points(player));
  for (let round = 0; round < rounds; round++) {
    const cell = box(round, (player.rounds ?? [])[round], phrase("Round {round} of {who}", { round: round + 1, who }), 4, (value) => {
      edit([...path, "rounds", round], value.toUpperCase().replace(/[WB]$/, (color, where) => (where ? color.toLowerCase() : color)));
      total.textContent = points(player);
    });
    made.append(element("td", { className: "r" }, cell));
  }
  made.append(total);
  return made;
}

function points(player) {
  const sum = (player.rounds ?? []).reduce((all, cell) => all + (POINTS[`${cell ?? ""}`[0]?.toUpperCase()] ?? 0), 0);
  return sum.toFixed(1);
}

// Up, down and Enter walk through a column, as in a spreadsheet.
function walk(event) {
  const step = { ArrowUp: -1, ArrowDown: 1, Enter: 1 }[event.key];
  const cell = event.target.closest("td, th");
  if (!step || event.target.tagName !== "INPUT") return;
  const row = step < 0 ? cell.parentElement.previousElementSibling : cell.parentElement.nextElementSibling;
  event.preventDefault();
  const which = [...cell.querySelectorAll("input")].indexOf(event.target);
  row?.children[cell.cellIndex]?.querySelectorAll("input")[which]?.focus();
}

// The results of each section of the draft, in its order.
export function bySection(draft, reply) {
  return draft.event.sections.map((_, at) => reply.sections[at] ?? { systems: {} });
}

export function showResults(bench, at, results) {
  const table = bench.querySelector(`section[data-section="${at}"] table`);
  const tag = results.tag ?? "";
  if (!table || (tag && table.dataset.tag === tag)) return;
  table.dataset.tag = tag;
  const systems = Object.entries(results.systems);
  const titles = table.tHead.rows[0];
  for (const old of table.querySelectorAll(".result")) old.remove();
  const title = (word) => element("th", { scope: "col", className: "result n" }, word);
  titles.querySelector(".before").after(...systems.map(([name]) => title(phrase("{system} after", { system: SYSTEMS[name] }))));
  const found = systems.map(([, one]) => new Map(one.players.map((player) => [`${player.number}`, player])));
  for (const row of table.tBodies[0].rows) {
    const own = found.map((players) => players.get(row.dataset.number));
    before(row, own);
    // beside the rating before, so that a phone shows them without a push to the side
    row.querySelector(".before").after(...own.map((player) => after(player)));
  }
}

function before(row, own) {
  const known = own.filter((player) => player?.pre !== null && player !== undefined);
  const box = row.querySelector(".before input");
  const words = known.map(
    (player) => `${Math.round(player.pre)}${player.games_before !== null && player.games_before < 26 ? `P${Math.round(player.games_before)}` : ""}`,
  );
  box.placeholder = known.length ? [...new Set(words)].join(" / ") : own[0] ? phrase("unrated") : box.parentElement.dataset.given;
  box.size = Math.max(7, box.placeholder.length - 1);
  const from = own[0]?.rating_from;
  row.querySelector(".before small").textContent = own[0] ? (FROM[from] ?? from ?? (known.length ? phrase("file") : "")) : "";
}

function after(player) {
  const made = element("td", { className: "result n" });
  if (player?.post === null || player === undefined) return made;
  const [least, most] = (player.range ?? [player.post, player.post]).map(Math.round);
  made.append(element("b", {}, least === most ? `${player.rounded}` : `${least}–${most}`));
  if (player.pre !== null && least === most) made.append(" ", moved(player.rounded - Math.round(player.pre)));
  if (least !== most) made.append(element("small", {}, phrase("one of these: see what is assumed")));
  if (!player.assumed.length) made.append(element("small", {}, player.post.toFixed(2)));
  if (player.assumed.length) made.title = phrase("Assumed: {what}", { what: player.assumed.join("; ") });
  if (player.norm) made.append(element("span", { className: "tag" }, phrase("norm {norm}", { norm: player.norm })));
  if (player.floor) made.append(element("span", { className: "tag" }, phrase("floor")));
  return made;
}

function moved(change) {
  return element("span", { className: change > 0 ? "up" : change < 0 ? "down" : "quiet" }, change > 0 ? `+${change}` : `${change}`.replace("-", "−"));
}
