// Rows for games instead of the short notation; the text field stays what is sent.
const form = document.querySelector("[data-estimate]");
const field = form?.querySelector("#game");
const words = { W: "won", D: "drew", L: "lost", T: "to come" };

function parsed(text) {
  return text.split(/[\s,]+/).filter(Boolean).map((game) => {
    const found = /^([WDLT?])(.*)$/i.exec(game);
    return found ? [found[1].toUpperCase().replace("?", "T"), found[2]] : null;
  });
}

function build() {
  const games = parsed(field.value);
  if (games.includes(null)) return; // several letters, or something to put right: the text field says it best
  const list = document.createElement("ol");
  list.className = "games";
  const write = () => {
    field.value = [...list.children]
      .map((row) => [row.querySelector("select").value, row.querySelector("input").value.trim()])
      .filter(([, rating]) => rating)
      .map(([result, rating]) => result + rating)
      .join(" ");
    if ([...list.children].at(-1)?.querySelector("input").value.trim()) add("W", "");
  };
  const add = (result, rating) => {
    const row = document.createElement("li");
    const number = list.children.length + 1;
    const select = document.createElement("select");
    select.setAttribute("aria-label", `Result of game ${number}`);
    for (const [letter, word] of Object.entries(words)) select.add(new Option(word, letter, false, letter === result));
    const input = document.createElement("input");
    input.setAttribute("aria-label", `Rating of opponent ${number}`);
    input.placeholder = "opponent’s rating";
    input.size = 14;
    input.value = rating;
    select.addEventListener("change", write);
    input.addEventListener("input", write);
    row.append(select, " ", input);
    list.append(row);
  };
  for (const [result, rating] of games) add(result, rating);
  while (list.children.length < Math.max(3, games.length + 1)) add("W", "");
  const box = form.querySelector("[data-rows]");
  box.replaceChildren(list);
  box.hidden = false;
}

if (form && field) {
  const box = document.createElement("div");
  box.dataset.rows = "";
  box.hidden = true;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  button.textContent = "Enter games in rows";
  button.addEventListener("click", () => { build(); if (!box.hidden) { button.remove(); box.querySelector("input")?.focus(); } });
  form.querySelector(".fields").after(button, box);
}
