// The whole folder is kept in this browser, and pages come from there first: a second visit asks the network for nothing.
const { PAGES, HEAVY, VERSION } = /* put in by tools/make_app.py */ {};
const folder = new URL(self.registration.scope).pathname;
const CACHE = `crosstable-files ${folder}`;
const PAGES_OF = `crosstable-pages ${folder} `;
const KEPT = PAGES_OF + VERSION;
const address = (path) => new URL(path, self.registration.scope).href;

async function fill(name, paths) {
  const cache = await caches.open(name);
  await Promise.all(paths.map(async (path) => (await cache.match(address(path))) ?? cache.add(new Request(address(path), { cache: "no-cache" }))));
}

self.addEventListener("install", (event) => {
  event.waitUntil(Promise.all([fill(KEPT, PAGES), fill(CACHE, HEAVY)]).then(() => self.skipWaiting()));
});

async function tidied() {
  for (const name of await caches.keys()) if (name.startsWith(PAGES_OF) && name !== KEPT) await caches.delete(name);
  const cache = await caches.open(CACHE);
  const wanted = new Set(HEAVY.map(address));
  for (const one of await cache.keys()) if (!wanted.has(one.url)) await cache.delete(one);
  await self.clients.claim();
}

self.addEventListener("activate", (event) => event.waitUntil(tidied()));

async function found(request) {
  const url = new URL(request.url);
  const isFolder = url.href.split(/[?#]/)[0] === self.registration.scope;
  const asked = isFolder ? address("index.html") : request;
  const cache = await caches.open(KEPT);
  return (await cache.match(asked, { ignoreSearch: true })) ?? (await caches.match(asked)) ?? fetch(request);
}

self.addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && event.request.url.startsWith(self.registration.scope)) event.respondWith(found(event.request));
});
