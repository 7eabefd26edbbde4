// What the report of an audit can do with a script: copied, shared, printed; and a player found among many.
import { phrase } from "./words.js";

function button(text, act) {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", textContent: text });
  made.addEventListener("click", () => act(made));
  return made;
}

for (const report of document.querySelectorAll("[data-report]")) {
  const text = report.querySelector("textarea");
  const copy = async (made) => {
    text.closest("details").open = true;
    text.select();
    await navigator.clipboard?.writeText(text.value); // without it the text is selected, to be copied by hand
    made.textContent = phrase("Copied");
  };
  const acts = [button(phrase("Copy the report"), copy), button(phrase("Print it"), () => print())];
  if (navigator.share) acts.unshift(button(phrase("Send it"), () => navigator.share({ title: document.title, text: text.value }).catch(() => {})));
  const row = document.createElement("p");
  acts.forEach((one) => row.append(one, " "));
  report.prepend(row);
}

for (const field of document.querySelectorAll("[data-finds]")) {
  field.closest("p").hidden = false;
  field.addEventListener("input", () => {
    const sought = field.value.trim().toLowerCase();
    for (const row of field.closest("section").querySelectorAll(".audited tbody tr")) row.hidden = !row.querySelector("th").textContent.toLowerCase().includes(sought);
    if (sought) for (const one of field.closest("section").querySelectorAll("details:has(.audited)")) one.open = true;
  });
}
