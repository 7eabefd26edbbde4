// The workbench: files become a draft, the draft an editable crosstable; every change is checked and rated again at once.
// It speaks to one address (docs/site.md) and keeps its drafts in this browser.
import { answer } from "./answer.js";
import { keepAll, kept, newest, sending, when } from "./drafts.js";
import { onDrop } from "./drop.js";
import { counted, phrase } from "./words.js";
import { button, bySection, element, field, sectionTable, showResults } from "./workbench-table.js";

const ADDRESS = "/upload/check";
const MOST_KEPT = 20;
const MOST_SHOWN = 40;
const LONG_LIST = 1_000_000;
const MOST_BYTES = 50_000_000;
// What a group of findings says, where the first of them would be one player among many.
const SEVERAL = {
  "member-not-known": (number) => phrase("{number} players are not known here: nobody has their member IDs.", { number }),
  "new-member": (number) => phrase("{number} players are reported as new members.", { number }),
  "other-name": (number) => phrase("{number} names do not fit their member IDs.", { number }),
};
const FORMATS = { dbf: "DBF", trf26: "TRF", csv: "CSV", xlsx: "Excel", json: "JSON" };

const form = document.querySelector("form.drop");
const input = form.querySelector("input[type=file]");
const bench = document.getElementById("bench");
const lead = document.querySelector(".lead");
const news = element("div", { role: "status", className: "benchnews" });
const bar = element("div", { className: "cellbar noprint", hidden: true });
let id = "";
let draft = null;
let reply = null;
let undo = [];
const unfolded = new Map();
let waiting = 0;
let asked = 0;
let isPressed = false;
let gone = null;
addEventListener("pointerdown", () => (isPressed = true), true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (isPressed = false), true);
form.after(news);
document.body.append(bar);

// Asking.

async function ask(request) {
  for (;;) {
    const reply = await answer(ADDRESS, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(request),
    });
    if (reply.status === 429 || reply.status === 503) {
      const seconds = Number(reply.headers.get("Retry-After")) || 5;
      say(phrase("Many people are at work here; going on in {seconds} seconds.", { seconds }));
      await new Promise((done) => setTimeout(done, 1000 * seconds));
      continue;
    }
    const said = await reply.json().catch(() => ({ detail: phrase("the site could not answer; try again in a moment.") }));
    if (!reply.ok) throw new Error(said.detail || said.title);
    return said;
  }
}

function say(text, isBusy = false) {
  news.replaceChildren(text);
  if (isBusy) news.append(" ", element("progress", { ariaLabel: text }));
}

// Drafts in this browser.

function keep() {
  const all = kept();
  all[id] = { name: draft.event.event.name || phrase("Event without a name"), at: Date.now(), draft };
  for (const [one] of newest(all).slice(MOST_KEPT)) delete all[one];
  try {
    keepAll(all);
  } catch {
    say(phrase("This draft is too long to be kept in this browser; export it before you leave."));
  }
}

// What was deleted can be brought back as long as the page is open; the draft that somebody works on stays on it.
function forget(one) {
  const all = kept();
  gone = { id: one, about: all[one] };
  delete all[one];
  keepAll(all);
  list();
  document.querySelector("#drafts [role=status] button").focus();
}

function bringBack() {
  keepAll({ [gone.id]: gone.about, ...kept() });
  gone = null;
  list();
}

function list() {
  const all = newest(kept());
  const old = document.getElementById("drafts");
  const made = element("section", { id: "drafts", className: "noprint", hidden: !all.length && !gone });
  made.append(element("h2", {}, phrase("Drafts in this browser")));
  if (gone) made.append(element("p", { role: "status" }, `${phrase("The draft {name} is deleted.", { name: gone.about.name })} `, button(phrase("Bring it back"), bringBack)));
  const rows = all.map(([one, about]) => {
    const open = element("a", { href: `#draft-${one}` }, about.name);
    const gone = button(phrase("Delete"), () => forget(one), phrase("Delete the draft {name}", { name: about.name }));
    return element("li", {}, open, element("span", { className: "quiet" }, ` ${when(about)} `), gone);
  });
  made.append(element("ul", { className: "lines" }, ...rows));
  if (old) old.replaceWith(made);
  else bench.after(made);
}

// Opening.

function base64(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file.slice(0, MOST_BYTES + 1)); // more would only be refused
  });
}

async function open(files) {
  const size = [...files].reduce((sum, file) => sum + file.size, 0);
  say(phrase("Reading {what} ({size} KB) …", { what: files.length === 1 ? files[0].name : counted(files.length, "file"), size: Math.ceil(size / 1024) }), true);
  try {
    const sent = await Promise.all([...files].map(async (file) => ({ name: file.name, content: await base64(file) })));
    const read = await ask({ files: sent });
    const fresh = read.drafts || [];
    for (const one of fresh.slice(1).concat(fresh.slice(0, 1))) {
      id = `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6)}`;
      draft = one;
      keep();
    }
    say(inWords(read.unread || []));
    if (fresh.length) {
      undo = [];
      if (bench.isConnected) history.pushState(null, "", `#draft-${id}`);
      render();
      show(read);
    } else if (read.members.length && draft) {
      change(() => (draft.members = [...draft.members, ...read.members]));
    }
    list();
  } catch (error) {
    say(phrase("That did not work: {why}", { why: error.message }));
  }
  form.reset();
}

function opened() {
  bar.hidden = true;
  if (!bench.isConnected || location.hash === "#main") return;
  const wanted = location.hash.replace("#draft-", "");
  if (draft && wanted === id) return;
  const found = kept()[wanted];
  if (!found) {
    draft = null;
    bench.replaceChildren();
    form.hidden = lead.hidden = false;
    return;
  }
  [id, draft, undo] = [wanted, found.draft, []];
  render();
  check();
}

// Changing.

function change(make, isShape = true) {
  undo.push(JSON.stringify(draft));
  undo = undo.slice(-50);
  make();
  keep();
  if (isShape) render(true);
  clearTimeout(waiting);
  waiting = setTimeout(check, isShape ? 0 : 15);
}

function put(path, value) {
  let at = draft;
  for (const [index, step] of path.slice(0, -1).entries()) {
    at[step] ??= typeof path[index + 1] === "number" ? [] : {};
    at = at[step];
  }
  const last = path.at(-1);
  if (value !== null && value !== "") {
    while (Array.isArray(at) && at.length < last) at.push("");
    at[last] = value;
  } else if (!Array.isArray(at)) delete at[last];
  else if (typeof at[last] === "string") at[last] = "";
  else at.splice(last, 1);
}

function fix(fixes) {
  change(() => {
    const changes = fixes.flatMap((one) => one.changes);
    const gone = (one) => one.value === null && typeof one.path.at(-1) === "number";
    // what is taken out of a list goes last, inner lists first and from the end, so that no other place moves
    const ordered = changes.filter((one) => !gone(one));
    ordered.push(...changes.filter(gone).sort((one, other) => other.path.length - one.path.length || other.path.at(-1) - one.path.at(-1)));
    for (const one of ordered) put(one.path, one.value);
  });
}

async function check() {
  const turn = ++asked;
  try {
    const have = (reply?.sections ?? []).map((one) => one.tag).filter(Boolean);
    const found = await ask({ ...draft, have });
    if (turn === asked) show(whole(found));
  } catch (error) {
    if (turn === asked) say(phrase("The draft could not be checked: {why}", { why: error.message }));
  }
}

// A reply leaves out what the one before it had.
function whole(found) {
  const known = new Map((reply?.sections ?? []).map((one) => [one.tag, one.systems]));
  return { ...found, sections: found.sections.map((one) => ({ systems: known.get(one.tag), ...one })) };
}

// Showing.

function render(isAgain = false) {
  const scrolled = scrollY;
  const focus = isAgain && document.activeElement?.dataset?.at;
  form.hidden = lead.hidden = bar.hidden = true;
  const event = draft.event.event;
  const head = element("div", { className: "fields benchhead" });
  head.append(
    field(phrase("Event"), event.name, (value) => edit(["event", "event", "name"], value), { className: "grow" }),
    field(phrase("First day"), event.start_date, (value) => edit(["event", "event", "start_date"], value), { type: "date" }),
    field(phrase("Last day"), event.end_date, (value) => edit(["event", "event", "end_date"], value), { type: "date" }),
  );
  const sections = draft.event.sections.map((_, at) => sectionTable(draft, at, edit, drop, look));
  const found = element("div", { id: "found", className: "noprint" });
  bench.replaceChildren(head, about(event), tools(), found, sources(), ...sections);
  if (reply && isAgain) show(reply);
  scrollTo(0, scrolled);
  if (focus) bench.querySelector(`[data-at="${focus}"]`)?.focus();
}

// What a rating report says of the event beside its name and days.
function about(event) {
  const said = event.details ?? {};
  const fields = { affiliate: phrase("Affiliate ID"), city: phrase("City"), state: phrase("State"), chief_td: phrase("Member ID of the chief director") };
  const known = Object.keys(fields).map((name) => said[name]).filter(Boolean);
  const missing = Object.keys(fields).filter((name) => !said[name]).map((name) => fields[name]);
  const words = [known.join(" · "), missing.length ? phrase("not given: {what}", { what: missing.join(", ") }) : ""].filter(Boolean).join("; ");
  const made = folded("about", false, "noprint about");
  const boxes = Object.entries(fields).map(([name, label]) => field(label, said[name], (value) => edit(["event", "event", "details", name], value), { size: name === "city" ? 16 : 10 }));
  made.append(element("summary", {}, `${phrase("For the rating report")}: ${words}`), element("div", { className: "fields" }, ...boxes));
  return made;
}

function edit(path, value) {
  change(() => put(path, value), false);
}

function drop(at) {
  change(() => draft.event.sections.splice(at, 1));
}

function tools() {
  const made = element("div", { className: "benchtools noprint" });
  const sum = element("p", { className: "sum", id: "sum" }, phrase("Checking …"));
  const files = Object.entries(FORMATS).map(([to, word]) => button(word, () => exported(to), phrase("Export as {format}", { format: word })));
  const back = button(phrase("Undo"), () => {
    if (!undo.length) return;
    draft = JSON.parse(undo.pop());
    keep();
    render(true);
    check();
  });
  const other = button(phrase("Another file"), () => (location.hash = ""));
  made.append(sum);
  if (bench.dataset.mark) made.append(submission());
  made.append(element("p", { className: "row wrap" }, back, phrase("Export:"), ...files, button(phrase("Print"), () => print()), other));
  return made;
}

function submission() {
  const made = element("form", { method: "post", action: "/upload/submit", enctype: "multipart/form-data", id: "submit" });
  const event = element("input", { type: "hidden", name: "draft" });
  const names = element("div", { id: "names" });
  made.append(element("input", { type: "hidden", name: "mark", value: bench.dataset.mark }), event, names);
  made.append(element("button", {}, phrase("Submit")));
  made.addEventListener("submit", () => {
    event.value = JSON.stringify(draft);
    sending(id);
  });
  return made;
}

function sources() {
  const made = element("details", { className: "noprint sources" });
  const named = draft.members.map((one) => one.name).join(", ");
  made.append(element("summary", {}, `${phrase("Where ratings come from")}${named && `: ${named}`}`));
  const choice = (word, name) => {
    const box = element("input", { type: "checkbox", checked: draft.ratings[name] });
    box.addEventListener("change", () => change(() => (draft.ratings[name] = box.checked)));
    return element("label", {}, box, ` ${word}`);
  };
  const text = element("textarea", { rows: 4, id: "pasted", ariaLabel: phrase("Paste a members file or rating list") });
  const chosen = element("input", { type: "file", multiple: true, ariaLabel: phrase("Choose members files or rating lists") });
  chosen.addEventListener("change", async () => {
    const lists = await Promise.all([...chosen.files].map(async (one) => ({ name: one.name, text: shorter(await one.text()) })));
    change(() => draft.members.push(...lists));
  });
  const paste = button(phrase("Use it"), () => text.value.trim() && change(() => draft.members.push({ name: phrase("pasted list"), text: shorter(text.value) })));
  const lists = draft.members.map((one, at) =>
    element("li", {}, `${one.name} `, button(phrase("Remove"), () => change(() => draft.members.splice(at, 1)), phrase("Remove {name}", { name: one.name }))),
  );
  made.append(
    element("p", { className: "choices" }, ...("alone" in bench.dataset ? [] : [choice(phrase("This office, for players it knows"), "office")]), choice(phrase("Pairing ratings of the file, where nothing else is known"), "pairing")),
    element("p", {}, `${phrase("A members file or rating list comes first:")} `, chosen),
    element("p", {}, text, " ", paste),
    element("ul", {}, ...lists),
    element("p", { className: "hint" }, phrase("A rating that you type into the crosstable comes first: 1512, 1512P17 (provisional, on 17 games), unrated.")),
  );
  return made;
}

// Of a long list only the titles and the players of this event are needed.
function shorter(text) {
  if (text.length < LONG_LIST) return text;
  const ids = draft.event.sections.flatMap((one) => one.players.map((player) => player.member_id).filter(Boolean));
  const lines = text.split(/\r?\n/);
  return [lines[0], ...lines.slice(1).filter((line) => ids.some((one) => line.includes(one)))].join("\n");
}

function show(found) {
  reply = found;
  bySection(draft, found).forEach((results, at) => showResults(bench, at, results));
  for (const one of bench.querySelectorAll("[aria-invalid], .warned")) {
    one.removeAttribute("aria-invalid");
    one.classList.remove("warned");
    one.removeAttribute("title");
  }
  for (const one of found.findings) {
    for (const cell of cells(one)) {
      if (!one.asks) cell.classList.add("warned");
      else cell.setAttribute("aria-invalid", "true");
      cell.title = cell.title ? `${cell.title}\n${one.message}` : one.message;
    }
  }
  groups(found);
  summed(found);
}

function summed(found) {
  const asked = (whom) => found.findings.filter((one) => one.asks === whom).length;
  const [stops, waits, warnings] = [asked("director"), asked("office"), asked("")];
  const shown = found.sections.filter((one) => one.rated);
  const rated = shown.length;
  const of = found.sections.length;
  const words = [];
  if (stops) words.push(counted(stops, "thing to put right", "things to put right"));
  else if (waits) words.push(phrase("Ready to send"));
  else words.push(phrase(rated ? "Everything is ready" : "Nothing to put right"));
  if (waits) words.push(counted(waits, "thing waits for the office", "things wait for the office"));
  if (warnings) words.push(counted(warnings, "warning"));
  words.push(rated === of ? counted(of, "section rated", "sections rated") : phrase("{rated} of {sections} rated", { rated, sections: counted(of, "section") }));
  const sum = bench.querySelector("#sum");
  const isPosted = shown.every((one) => one.strict);
  const from = isPosted ? phrase("Ratings are as this office would post them.") : phrase("What this office would hold is rated by the file, for you to look at.");
  sum.textContent = `${words.join(", ")}. ${found.strict && rated ? from : ""}`;
  sum.classList.toggle("error", stops > 0);
  say(sum.textContent);
  news.classList.add("unseen");
}

function cells(one) {
  const found = [];
  for (const place of [one, one.also].filter(Boolean)) {
    if (place.section === null) continue;
    const names = place.row === null ? [`${place.section}/${one.field}`] : [`${place.section}/${place.row}/${place.round ?? (one.field || "name")}`];
    for (const name of names) {
      const cell = bench.querySelector(`[data-at="${name}"]`) ?? bench.querySelector(`[data-at="${place.section}/${place.row}/name"]`);
      if (cell) found.push(cell);
    }
  }
  return found;
}

function groups({ findings, accepted = [] }) {
  const by = new Map();
  for (const one of findings) by.set(`${one.code} ${one.asks}`, [...(by.get(`${one.code} ${one.asks}`) ?? []), one]);
  const order = ["director", "office", ""];
  const made = [...by.values()].sort((one, other) => order.indexOf(one[0].asks) - order.indexOf(other[0].asks));
  const taken = accepted.map((one) => {
    const back = button(phrase("Take back"), () => change(() => delete draft.accept[one.code]), phrase("Take back: {message}", { message: one.message }));
    return element("li", {}, `${one.count > 1 ? `${one.count} × ` : ""}${one.message} `, back);
  });
  const kept = folded("accepted", false, "group");
  kept.hidden = !taken.length;
  kept.append(element("summary", {}, phrase("Right as it is, you said: {kinds}", { kinds: counted(taken.length, "kind of finding", "kinds of finding") })), element("ul", { className: "lines" }, ...taken));
  bench.querySelector("#found").replaceChildren(...made.map(group), kept);
}

// What somebody opened stays open when the page is drawn anew.
function folded(name, open, className) {
  const made = element("details", { open: unfolded.get(name) ?? open, className });
  made.addEventListener("toggle", () => unfolded.set(name, made.open));
  return made;
}

// What a fix only takes out is no choice of its own between rows.
const takesOut = (fix) => fix.changes.every((one) => one.value === null);

function group(some) {
  const [first] = some;
  const stops = first.asks === "director";
  const made = folded(`${first.code} ${first.asks}`, stops, `group ${stops ? "stops" : ""}`);
  const word = stops ? phrase("To put right") : first.asks ? phrase("Waits for the office") : phrase("Warning");
  const several = SEVERAL[first.code]?.(some.length) ?? `${some.length} × ${first.message}`;
  const title = some.length > 1 ? several : first.row === null || !first.where ? first.message : `${first.where}: ${first.message}`;
  made.append(element("summary", {}, element("b", { className: stops ? "error" : "warn" }, `${word}: `), title));
  made.append(element("p", { className: "hint" }, `${first.remedy} `, element("code", {}, first.code)));
  const shared = first.fixes.filter((one) => !one.single).map((one) => one.label).filter((label) => some.every((one) => one.fixes.some((two) => two.label === label)));
  if (some.length > 1 && shared.length) {
    const all = shared.map((label) => button(label, () => fix(some.map((one) => one.fixes.find((two) => two.label === label))), phrase("{label}, for all {number}", { label, number: some.length })));
    made.append(element("p", { className: "row wrap" }, `${phrase("For all {number}:", { number: some.length })} `, ...all));
  }
  const rows = some.slice(0, MOST_SHOWN).map((one) => {
    const [cell] = cells(one);
    const where = cell ? button(one.where || phrase("Show"), () => cell.focus(), phrase("Go to {where}", { where: one.where })) : element("span", {}, one.where);
    return element("li", {}, where, some.length > 1 ? ` ${one.message} ` : " ", ...one.fixes.map((two) => button(two.label, () => fix([two]))));
  });
  if (some.length > MOST_SHOWN) rows.push(element("li", {}, phrase("and {number} more", { number: some.length - MOST_SHOWN })));
  const lines = element("ul", { className: "lines" }, ...rows);
  const isOwn = (fix) => !shared.includes(fix.label) && !takesOut(fix);
  if (some.length < 3 || !shared.length || some.some((one) => one.fixes.some(isOwn))) made.append(lines);
  else {
    const each = folded(`${first.code} each`, false, "");
    each.append(element("summary", {}, phrase("Rows")), lines);
    made.append(each);
  }
  return made;
}

// What is wrong with the cell that somebody is in, and what would put it right, at the foot of the window.
function look(cell) {
  const about = (reply?.findings ?? []).filter((one) => cells(one).includes(cell));
  bar.replaceChildren(
    ...about.slice(0, 3).map((one) => element("p", {}, `${one.where && `${one.where}: `}${one.message} `, ...one.fixes.map((two) => button(two.label, () => fix([two]))))),
  );
  bar.hidden = !about.length;
  document.body.style.paddingBottom = about.length ? `${bar.offsetHeight}px` : "";
  if (!about.length) return;
  const others = about.flatMap((one) => cells(one)).filter((one) => one !== cell);
  if (isPressed) addEventListener("pointerup", () => uncover(cell, others), { once: true });
  else uncover(cell, others);
}

// Scroll until the bar and the tools cover neither the cell nor, where there is room for both, what contradicts it.
function uncover(cell, others) {
  const tools = bench.querySelector(".benchtools");
  const head = tools && getComputedStyle(tools).position === "sticky" ? tools.offsetHeight : 0;
  const [from, to] = [head + 8, innerHeight - bar.offsetHeight - 8];
  const all = [cell, ...others].map((one) => one.getBoundingClientRect());
  const own = all[0];
  const [top, bottom] = [Math.min(...all.map((one) => one.top)), Math.max(...all.map((one) => one.bottom))];
  const [first, last] = bottom - top <= to - from ? [top, bottom] : [own.top, own.bottom];
  if (last > to) scrollBy(0, last - to);
  else if (first < from) scrollBy(0, first - from);
}

// Files out.

function inWords(findings) {
  return findings.map((one) => `${one.where && `${one.where}: `}${one.message} ${one.remedy}`).join(" ");
}

// What keeps a file from being written stands above the crosstable already; only what does not is said here.
function refused(format, findings) {
  const listed = new Set((reply?.findings ?? []).map((one) => one.code));
  const others = [...new Set(findings.filter((one) => !listed.has(one.code)).map((one) => inWords([one])))];
  say(phrase("It cannot be written as {format} yet: {things}.", { format, things: counted(findings.length, "thing to put right", "things to put right") }));
  if (others.length) news.append(element("ul", {}, ...others.slice(0, MOST_SHOWN).map((one) => element("li", {}, one))));
  else bench.querySelector(".group.stops summary")?.scrollIntoView({ block: "center" });
}

async function exported(to) {
  try {
    const made = await ask({ ...draft, to });
    if (!made.file) {
      refused(FORMATS[to], made.findings);
      news.classList.remove("unseen");
      return;
    }
    const bytes = Uint8Array.from(atob(made.file.content), (one) => one.charCodeAt(0));
    const link = element("a", { href: URL.createObjectURL(new Blob([bytes])), download: made.file.name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    const notes = made.findings.map((one) => one.message);
    say(`${phrase("{name} is in your downloads.", { name: made.file.name })}${notes.length ? ` ${notes.join(" ")}` : ""}`);
    news.classList.remove("unseen");
  } catch (error) {
    say(phrase("That did not work: {why}", { why: error.message }));
    news.classList.remove("unseen");
  }
}

// Files in: chosen, or dropped anywhere on the page.

form.querySelector("label").append(`, ${phrase("chosen or dropped anywhere on this page")}`);
input.addEventListener("change", () => input.files.length && open(input.files));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (input.files.length) open(input.files);
});
onDrop((files) => bench.isConnected && open(files));
document.querySelector("[data-sample]")?.addEventListener("click", async (event) => {
  event.preventDefault();
  const names = event.currentTarget.dataset.sample.split(" ");
  open(await Promise.all(names.map(async (name) => new File([await (await fetch(name)).blob()], name))));
});
for (const name of ["hashchange", "popstate", "screen"]) addEventListener(name, opened);
list();
if (location.hash.startsWith("#draft-")) opened();
