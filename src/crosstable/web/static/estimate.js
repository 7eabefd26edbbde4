// Rows for games instead of the short notation, results by tap, and an answer that follows; the text field is what is sent.
import { answer } from "./answer.js";
import { suggest } from "./suggest.js";
import { phrase } from "./words.js";

const form = document.querySelector("[data-estimate]");
const field = form?.querySelector("#game");
const words = { W: phrase("Won"), D: phrase("Drew"), L: phrase("Lost"), T: phrase("To come") };

function parsed(text) {
  return text.split(/[\s,]+/).filter(Boolean).map((game) => {
    const found = /^([WDLT?])(.*)$/i.exec(game);
    return found ? [found[1].toUpperCase().replace("?", "T"), found[2]] : null;
  });
}

// Where the answer lies below the screen, as on a phone, its headline stands at the foot of it and leads there.
const place = document.querySelector("#answer"), pointer = document.createElement("a");
pointer.href = "#answer";
pointer.className = "pointer";
function point() {
  pointer.textContent = place.querySelector("#result")?.textContent ?? "";
  pointer.hidden = !pointer.textContent || place.getBoundingClientRect().top < innerHeight - 100;
}

// A reply is the answer alone, or a page that says why there is none. What somebody unfolded stays unfolded.
function show(text) {
  const page = new DOMParser().parseFromString(text, "text/html"), problem = page.querySelector("main .lead");
  if (problem) problem.className = "error";
  const folds = [...place.querySelectorAll("[data-fold][open]")].map((one) => one.dataset.fold);
  for (const one of page.querySelectorAll("[data-fold]")) one.open = folds.includes(one.dataset.fold);
  place.replaceChildren(...(problem ? [problem] : page.body.childNodes));
}

// What was asked before the last change and comes later is not shown any more.
let timer, newest = 0;
function renew() {
  const mine = ++newest;
  clearTimeout(timer);
  timer = setTimeout(async () => {
    const query = new URLSearchParams([...new FormData(form)].filter(([, text]) => text.trim() !== ""));
    if (!query.has("rating") || !(query.has("game") || query.has("next") || query.has("entries"))) return;
    const reply = await answer(`/estimate/answer?${query}`, { headers: { Accept: "text/html" } });
    const text = await reply.text();
    if (mine !== newest || !form.isConnected) return;
    show(text);
    point();
    if (reply.ok && !query.has("entries")) history.replaceState(null, "", `?${query}`);
  }, 150);
}

function build() {
  const games = parsed(field.value);
  if (games.includes(null)) return; // several letters, or something to put right: the text field says it best
  const names = (field.dataset.names ?? "").split("|"), fixed = "fixed" in field.dataset, hasNames = "suggest" in form.rating.dataset;
  const list = document.createElement("ol");
  list.className = "games";
  const write = () => {
    field.value = [...list.children]
      .map((row) => [row.querySelector(":checked").value, row.dataset.id || row.querySelector("[type=text]").value.trim(), row.querySelector(".scored").value.trim()])
      .filter(([, rating]) => rating)
      .map(([result, rating, score]) => result + rating + (/^\d+(\.5)?\/\d+$/.test(score) ? `@${score}` : ""))
      .join(" ");
    if (!fixed && [...list.children].at(-1)?.querySelector("[type=text]").value.trim()) add("W", "", "");
    renew();
  };
  const add = (result, all, name) => {
    const [rating, score = ""] = all.split("@");
    const row = document.createElement("li");
    const number = list.children.length + 1;
    const input = document.createElement("input");
    input.type = "text";
    input.setAttribute("aria-label", phrase(hasNames ? "Opponent {number}: rating, name, or ID" : "Opponent {number}: rating", { number }));
    input.placeholder = phrase(hasNames ? "rating or name" : "rating");
    input.size = 18;
    input.value = name || rating;
    if (name) row.dataset.id = rating;
    const taps = document.createElement("fieldset");
    taps.className = "taps";
    taps.innerHTML = `<legend class="unseen">${phrase("Result of game {number}", { number })}</legend>`;
    for (const [letter, word] of Object.entries(words)) {
      const label = document.createElement("label"), tap = document.createElement("input");
      Object.assign(tap, { type: "radio", name: `result-${number}`, value: letter, checked: letter === result });
      tap.setAttribute("form", "none");
      tap.addEventListener("change", write);
      label.append(tap, word);
      taps.append(label);
    }
    const scored = document.createElement("input");
    Object.assign(scored, { className: "scored", placeholder: "3.5/5", size: 5, value: score });
    scored.setAttribute("aria-label", phrase("Score of opponent {number} in the section", { number }));
    scored.addEventListener("input", write);
    row.append(input, taps, scored);
    list.append(row);
    input.readOnly = fixed;
    if (!fixed && hasNames) suggest(input, ({ value, name: chosen }) => { row.dataset.id = value; input.value = chosen; write(); });
    input.addEventListener("input", () => { delete row.dataset.id; if (/^\d{3,4}(\/\d+|P\d+)?$|^u$|^\d{6,}$|^$/i.test(input.value.trim())) write(); });
  };
  games.forEach(([result, rating], at) => add(result, rating, names[at] ?? ""));
  while (!fixed && list.children.length < Math.max(3, games.length + 1)) add("W", "", "");
  const box = document.createElement("div");
  box.dataset.rows = "";
  box.append(list);
  list.classList.toggle("plain", !games.some(([, rating]) => rating.includes("@")));
  if (!fixed) {
    const both = document.createElement("button");
    Object.assign(both, { type: "button", className: "link", textContent: phrase("Their scores too, for both passes") });
    both.addEventListener("click", () => list.classList.toggle("plain"));
    box.append(both);
  }
  form.querySelector("[data-rows]")?.remove();
  form.querySelector(".fields").after(box);
  box.after(form.querySelector("button:not([type])"), field.parentElement); // the rows say the same
}

// Beside an ID that was chosen stands whose it is, until something else is typed.
function named(rating) {
  const box = rating.closest(".suggests").parentElement, hint = document.createElement("p");
  box.querySelector("[data-chosen]")?.remove();
  [hint.className, hint.dataset.chosen, hint.textContent] = ["hint", "", rating.title];
  if (rating.title) box.append(hint);
}

if (form && field) {
  build();
  if ("suggest" in form.rating.dataset) {
    form.rating.addEventListener("change", () => { if (form.rating.title) named(form.rating); });
    form.rating.addEventListener("input", () => { form.rating.title = ""; named(form.rating); });
  }
  form.append(pointer);
  point();
  for (const kind of ["scroll", "resize"]) addEventListener(kind, point, { passive: true });
  field.addEventListener("change", () => { build(); renew(); });
  form.addEventListener("input", (event) => { if (event.target.id !== "entries" && !event.target.closest("[data-rows]")) renew(); });
  form.addEventListener("change", (event) => { if (event.target.id !== "entries" && !event.target.closest("[data-rows]")) renew(); });
}
