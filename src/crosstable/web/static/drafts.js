// Drafts of events in this browser: the workbench keeps them, "My events" lists them, and one that was sent goes.
import { locale, phrase } from "./words.js";
import { element } from "./workbench-table.js";

const KEPT = "crosstable.drafts";
const SENT = "crosstable.sent";

export function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) || {};
  } catch {
    return {};
  }
}

export function keepAll(drafts) {
  localStorage.setItem(KEPT, JSON.stringify(drafts));
}

export function newest(drafts) {
  return Object.entries(drafts).sort((one, other) => other[1].at - one[1].at);
}

export function when(about) {
  return new Date(about.at).toLocaleString(locale, { dateStyle: "long", timeStyle: "short" });
}

// Whether it was taken is known on the page that comes next.
export function sending(id) {
  sessionStorage.setItem(SENT, id);
}

const list = document.querySelector("[data-drafts]");
if (list) {
  const all = kept();
  if (new URLSearchParams(location.search).has("entry") && all[sessionStorage.getItem(SENT)]) {
    delete all[sessionStorage.getItem(SENT)];
    keepAll(all);
  }
  sessionStorage.removeItem(SENT);
  for (const [id, about] of newest(all)) {
    const open = element("a", { href: `/upload#draft-${id}` }, about.name);
    const state = element("span", { className: "tag state" }, phrase("draft"));
    list.append(element("li", {}, open, " ", state, element("span", { className: "quiet" }, ` ${phrase("{when}. Finish it and send it.", { when: when(about) })}`)));
  }
  list.parentElement.hidden = !list.children.length;
}
