// Names while typing, in every field that is marked: the choice is an ID, or opens a page in a search.
import { answer } from "./answer.js";
import { counted, locale, phrase } from "./words.js";

const KINDS = { event: phrase("event"), club: phrase("club"), state: phrase("state") };

let count = 0;

// As in "event, Jun 14, 2026".
function told({ kind, text }) {
  const [, rest] = /^\w+, (.*)$/.exec(text) ?? [];
  if (!(kind in KINDS) || !rest || locale === "en-US") return text;
  const [, events] = /^(\d+) events?$/.exec(rest) ?? [];
  const day = kind === "event" ? new Date(`${rest} UTC`) : NaN;
  const about = events ? counted(Number(events), "event") : Number.isNaN(Number(day)) ? rest : day.toLocaleDateString(locale, { dateStyle: "medium", timeZone: "UTC" });
  return `${KINDS[kind]}, ${about}`;
}

export function suggest(field, chosen) {
  const list = document.createElement("ul");
  list.className = "suggestions";
  list.role = "listbox";
  list.id = `suggestions-${++count}`;
  list.setAttribute("aria-label", phrase("Suggestions"));
  list.hidden = true;
  const place = document.createElement("div");
  place.className = "suggests";
  field.before(place);
  place.append(field, list);
  field.role = "combobox";
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", list.id);
  field.setAttribute("aria-expanded", "false");
  let asked = "", at = -1, timer;

  const show = (found) => {
    list.replaceChildren(...found.map((one, number) => {
      const item = document.createElement("li");
      item.role = "option";
      item.id = `${list.id}-${number}`;
      item.dataset.href = one.href;
      item.dataset.value = one.id;
      item.dataset.name = one.name;
      const name = document.createElement("b"), more = document.createElement("span");
      [name.textContent, more.textContent] = [one.name, told(one)];
      item.append(name, " ", more);
      // The field keeps the focus, and the list stays until the tap has ended: what lies below must not get it.
      for (const kind of ["pointerdown", "mousedown"]) item.addEventListener(kind, (event) => event.preventDefault());
      item.addEventListener("click", () => take(item));
      return item;
    }));
    mark(-1);
    list.hidden = !found.length;
    field.setAttribute("aria-expanded", String(!list.hidden));
  };
  const mark = (to) => {
    at = to;
    [...list.children].forEach((item, number) => item.setAttribute("aria-selected", String(number === at)));
    if (at < 0) field.removeAttribute("aria-activedescendant");
    else field.setAttribute("aria-activedescendant", list.children[at].id);
  };
  // What was asked and comes later is not shown any more.
  const close = () => { clearTimeout(timer); asked = ""; show([]); };
  const take = (item) => { close(); chosen(item.dataset); };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    const text = field.value.trim();
    if (text.length < 2 || /^[\d./\s]{1,4}$/.test(text)) { close(); return; }
    timer = setTimeout(async () => {
      asked = text;
      const kinds = field.dataset.suggest === "all" ? "" : "&kind=member";
      const reply = await answer(`/api/v1/suggest?q=${encodeURIComponent(text)}${kinds}`);
      const found = reply.ok ? (await reply.json()).found : [];
      if (asked === text && text === field.value.trim()) show(found);
    }, 90);
  });
  field.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const last = list.children.length - 1;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      mark(at + step < 0 ? last : at + step > last ? 0 : at + step);
    } else if (event.key === "Escape") close();
    else if (event.key === "Enter" && at >= 0) { event.preventDefault(); take(list.children[at]); }
  });
  field.addEventListener("blur", close);
}

for (const field of document.querySelectorAll("[data-suggest]")) {
  suggest(field, ({ href, value, name }) => {
    if (field.dataset.suggest === "all") { location.href = href; return; }
    field.value = value;
    field.title = name;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
}
