// Files may be dropped anywhere on the form; without this script they are chosen with the button.
const form = document.querySelector("form.drop");
const input = form?.querySelector("input[type=file]");
if (form && input) {
  form.querySelector("label").append(", chosen or dropped here");
  const over = (on) => (event) => {
    event.preventDefault();
    form.classList.toggle("over", on);
  };
  form.addEventListener("dragover", over(true));
  form.addEventListener("dragleave", over(false));
  form.addEventListener("drop", (event) => {
    over(false)(event);
    if (event.dataTransfer?.files.length) {
      input.files = event.dataTransfer.files;
      form.requestSubmit();
    }
  });
}
