// Files that are dropped anywhere on a page.
export function onDrop(take) {
  const over = (on) => (event) => {
    if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
    event.preventDefault();
    document.body.classList.toggle("over", on);
  };
  document.addEventListener("dragover", over(true));
  document.addEventListener("dragleave", over(false));
  document.addEventListener("drop", (event) => {
    over(false)(event);
    if (event.dataTransfer?.files.length) take(event.dataTransfer.files);
  });
}
