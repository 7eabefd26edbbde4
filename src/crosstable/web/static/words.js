// The texts of scripts: English is the key; those of another language come with the page.
const found = document.getElementById("words");
const words = found ? JSON.parse(found.textContent) : {};

export const locale = `${document.documentElement.lang || "en"}-US`;

export function phrase(text, values = {}) {
  return (words[text] ?? text).replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}

export function counted(number, one, several = `${one}s`) {
  return phrase(`{number} ${number === 1 ? one : several}`, { number });
}
