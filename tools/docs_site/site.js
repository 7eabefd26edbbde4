// A table that is wider than the page can be scrolled with the keyboard.
const reachable = () => document.querySelectorAll(".md-typeset__scrollwrap").forEach((box) => (box.tabIndex = 0));
new MutationObserver(reachable).observe(document.documentElement, { childList: true, subtree: true });
reachable();

// A browser starts no worker for a page that lies in a folder. There the search runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const base = new URL(url, document.baseURI);
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      const said = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      let heard = () => {};
      inside.postMessage = (data) => setTimeout(() => said(data));
      inside.importScripts = (...urls) =>
        Promise.all(urls.map((one) => new Promise((done) => add(one, done))));
      inside.addEventListener = (kind, listener) => { if (kind === "message") heard = listener; };
      const add = (one, done) => {
        const script = inside.document.createElement("script");
        script.src = new URL(one, base).href;
        script.onload = done;
        inside.document.head.append(script);
      };
      this.waits = new Promise((done) => add(base.href, done));
      this.hear = (data) => this.waits.then(() => setTimeout(() => (inside.onmessage || heard)({ data })));
    }
    postMessage(data) { this.hear(data); }
    terminate() {}
  };
}
