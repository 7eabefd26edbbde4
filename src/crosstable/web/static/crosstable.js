// A crosstable that answers: a tap on a result shows the game and both rows, a title sorts. Without this script results are
// links to the opponent's row, and rows stand by points.
const told = document.createElement("p");
told.className = "cellbar noprint";
told.setAttribute("role", "status");
told.hidden = true;
document.body.append(told);

const WORDS = { W: "beat", L: "lost to", D: "drew with", X: "won by forfeit against", F: "lost by forfeit to", N: "beat", R: "drew with", S: "lost to" };
const COLORS = { w: " with White", b: " with Black" };

for (const table of document.querySelectorAll("table.wall")) {
  table.addEventListener("click", (event) => {
    const link = event.target.closest("td.r a");
    const title = event.target.closest("thead button");
    if (link) show(event, table, link);
    else if (title) sort(table, title.closest("th"));
    else if (event.target.closest("td.no")) mark(table, [event.target.closest("tr")], true);
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

function show(event, table, link) {
  event.preventDefault();
  const row = link.closest("tr");
  const other = document.getElementById(link.hash.slice(1));
  mark(table, [row, other]);
  const text = link.textContent;
  const round = table.tHead.rows[0].cells[link.closest("td").cellIndex].textContent.trim();
  const name = (one) => `${one.querySelector("th bdi").textContent} (${one.querySelector("td.move")?.textContent.split("→")[0].trim() ?? "unrated"})`;
  told.textContent = `${round}: ${name(row)} ${WORDS[text[0]] ?? "met"} ${name(other)}${COLORS[text.at(-1)] ?? ""}.`;
  told.append(...correction(row, round.match(/\d+/)?.[0]));
  told.hidden = false;
}

// Whoever is logged in goes on from the cell to its correction.
function correction(row, round) {
  const [, section, number] = row.id.match(/^s(\d+)p(\d+)$/) ?? [];
  if (!section || !round || !document.querySelector(".account form")) return [];
  const link = document.createElement("a");
  link.href = `${location.pathname.replace(/\/(sections|crosstables).*$/, "")}/correction?cell=${section}:${number}:${round}#correct`;
  link.textContent = "Correct this result";
  return [" ", link];
}

function mark(table, rows, isToggle = false) {
  const was = isToggle && rows[0].classList.contains("marked");
  for (const one of table.querySelectorAll(".marked")) one.classList.remove("marked");
  told.hidden = true;
  if (was) return;
  for (const row of rows) {
    row.classList.add("marked");
    for (const cell of table.querySelectorAll(`td.r a[href="#${row.id}"]`)) if (rows.length === 1) cell.classList.add("marked");
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
