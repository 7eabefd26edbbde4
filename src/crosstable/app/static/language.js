// Which language a page is in: what somebody chose at its foot, else the first of ours that the browser asks for, else English.
{
  const KEPT = "crosstable.language";
  const own = document.documentElement.lang;
  const known = [own, ...[...document.querySelectorAll("link[hreflang]")].map((one) => one.hreflang)];

  const chosen = () => {
    try {
      return localStorage.getItem(KEPT);
    } catch {
      return null; // this browser keeps nothing
    }
  };

  // The page that is shown, in another language: estimate.html, estimate.es.html.
  const address = (code) => {
    const name = (location.pathname.split("/").at(-1) || "index.html").split(".")[0];
    return `${name}${code === "en" ? "" : `.${code}`}.html${location.search}${location.hash}`;
  };

  const wanted = [chosen(), ...navigator.languages.map((one) => one.split("-")[0].toLowerCase())].find((one) => known.includes(one)) ?? "en";
  if (wanted !== own) {
    document.documentElement.dataset.leaving = "";
    location.replace(address(wanted));
  }

  addEventListener("click", (event) => {
    const link = event.target.closest?.("a[hreflang]");
    if (!link) return;
    event.preventDefault();
    try {
      localStorage.setItem(KEPT, link.hreflang);
    } finally {
      location.assign(address(link.hreflang));
    }
  });
}
