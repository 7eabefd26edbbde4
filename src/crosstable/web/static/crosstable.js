// A tap on a result shows the game and both rows; a title sorts.
import { phrase } from "./words.js";

const told = document.createElement("p");
told.className = "cellbar noprint";
told.setAttribute("role", "status");
told.hidden = true;
document.body.append(told);

const WON = phrase("{round}: {name} beat {other}{color}."), DREW = phrase("{round}: {name} drew with {other}{color}.");
const LOST = phrase("{round}: {name} lost to {other}{color}.");
const GAMES = {
  ...{ W: WON, L: LOST, D: DREW, N: WON, R: DREW, S: LOST },
  ...{ X: phrase("{round}: {name} won by forfeit against {other}{color}."), F: phrase("{round}: {name} lost by forfeit to {other}{color}.") },
};
const COLORS = { w: ` ${phrase("with White")}`, b: ` ${phrase("with Black")}` };

for (const table of document.querySelectorAll("table.wall")) {
  linkResults(table);
  table.addEventListener("click", (event) => {
    const link = event.target.closest("td a[href^='#']");
    const title = event.target.closest("thead button");
    if (link) show(event, table, link);
    else if (title) sort(table, title.closest("th"));
    else if (event.target.closest("td:first-child")) mark(table, [event.target.closest("tr")], true);
  });
  for (const cell of table.tHead.rows[0].cells) {
    if (cell.classList.contains("r")) continue;
    const made = document.createElement("button");
    made.type = "button";
    made.className = "sorts";
    made.append(...cell.childNodes);
    cell.append(made);
  }
}

// A long table comes without the links from results to the opponents' rows.
function linkResults(table) {
  for (const row of table.tBodies[0].rows) {
    const rows = row.id.replace(/\d+$/, "");
    for (const cell of [...row.cells].slice(3)) {
      const other = cell.childElementCount ? null : cell.textContent.match(/^[A-Z](\d+)[wb]?$/);
      if (!rows || !other || !document.getElementById(rows + other[1])) continue;
      const link = document.createElement("a");
      link.href = `#${rows}${other[1]}`;
      link.append(...cell.childNodes);
      cell.append(link);
    }
  }
}

function show(event, table, link) {
  event.preventDefault();
  const row = link.closest("tr");
  const other = document.getElementById(link.hash.slice(1));
  mark(table, [row, other]);
  const text = link.textContent;
  const round = table.tHead.rows[0].cells[link.closest("td").cellIndex].textContent.trim();
  const name = (one) => `${one.querySelector("th bdi").textContent} (${one.querySelector("td b")?.parentElement.textContent.split("→")[0].trim() ?? phrase("unrated")})`;
  const game = GAMES[text[0]] ?? phrase("{round}: {name} met {other}{color}.");
  const values = { round, name: name(row), other: name(other), color: COLORS[text.at(-1)] ?? "" };
  told.textContent = game.replace(/\{(\w+)\}/g, (_, key) => values[key]);
  told.append(...correction(row, round.match(/\d+/)?.[0]));
  told.hidden = false;
}

// Whoever is logged in goes on from the cell to its correction.
function correction(row, round) {
  const [, section, number] = row.id.match(/^s(\d+)p(\d+)$/) ?? [];
  if (!section || !round || !document.querySelector(".account form")) return [];
  const link = document.createElement("a");
  link.href = `${location.pathname.replace(/\/(sections|crosstables).*$/, "")}/correction?cell=${section}:${number}:${round}#correct`;
  link.textContent = phrase("Correct this result");
  return [" ", link];
}

function mark(table, rows, isToggle = false) {
  const was = isToggle && rows[0].classList.contains("marked");
  for (const one of table.querySelectorAll(".marked")) one.classList.remove("marked");
  told.hidden = true;
  if (was) return;
  for (const row of rows) {
    row.classList.add("marked");
    for (const cell of table.querySelectorAll(`td a[href="#${row.id}"]`)) if (rows.length === 1) cell.classList.add("marked");
  }
}

function sort(table, cell) {
  const up = cell.getAttribute("aria-sort") === "descending";
  for (const one of table.tHead.rows[0].cells) one.removeAttribute("aria-sort");
  cell.setAttribute("aria-sort", up ? "ascending" : "descending");
  const value = (row) => {
    const text = row.cells[cell.cellIndex].innerText.replace("\u2212", "-").replace(/^.*→/s, "").trim();
    const number = Number.parseFloat(text);
    return Number.isNaN(number) ? text.toLowerCase() : number;
  };
  const rows = [...table.tBodies[0].rows].sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    const order = typeof a === "number" && typeof b === "number" ? a - b : `${a}`.localeCompare(`${b}`);
    return up ? order : -order;
  });
  table.tBodies[0].append(...rows);
}
