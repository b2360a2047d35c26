import assert from "node:assert/strict";
import { appendFileSync, cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { pathToFileURL } from "node:url";
import { serveFolder } from "../../src/server/index.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { Browser } from "./browser.ts";
import { crawl, runTidemark } from "./command.ts";
import { requireCached, skipWithout, skipWithoutCached } from "./programs.ts";

// What a page looks like: each element's place and style, as far as a reader sees them.
const look = `return [...document.body.querySelectorAll("*")].slice(0, 2000).map((element) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  const { color, backgroundColor, fontSize, fontFamily, display } = getComputedStyle(element);
  return [element.localName, x, y, width, height, color, backgroundColor, fontSize, fontFamily, display, element.naturalWidth].join(" ");
})`;

it("a copy opens from the disk in a browser as on the site, and no request leaves", {
  skip: skipWithoutCached("docs-1") || skipWithout("chromium", "chromedriver"),
  timeout: 240_000,
}, async () => {
  using temp = makeTempFolder("copies");
  const docroot = join(temp.path, "site");
  const postgres = "usr/share/doc/postgresql-doc-15/html";
  cpSync(join(requireCached("docs-1"), postgres), docroot, { recursive: true, dereference: true });
  const requests: string[] = [];
  const onRequest = ({ path }: { readonly path: string }): void => void requests.push(path);
  await using elsewhere = await serveFolder({ folder: docroot, host: "127.0.0.1", port: 0, onRequest });
  await using server = await serveFolder({ folder: docroot, host: "127.0.0.1", port: 0, onRequest });
  const beacons = `<body><p id=own>Text</p><img src="${elsewhere.url}/beacon.png"><link rel=stylesheet href="${elsewhere.url}/x.css">
    <div style="background: url(${elsewhere.url}/y.png)">a</div><iframe src="${elsewhere.url}/z.html"></iframe>
    <script>window.refused = [];
      document.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
      fetch("${elsewhere.url}/spy", { mode: "no-cors" }).catch(() => 0).then(() => {
      const image = new Image();
      image.onload = image.onerror = () => { document.title = "done"; };
      image.src = "${server.url}/spy.png";
    });</script>`;
  writeFileSync(join(docroot, "beacons.html"), `<!doctype html><html><head><title>b</title></head>${beacons}</html>`);
  appendFileSync(join(docroot, "index.html"), `<a href="beacons.html">b</a>`);
  await crawl(server.url, join(temp.path, "mirrors"), "--source", "links", "--concurrency", "8");
  const mirror = join(temp.path, "mirrors", `127.0.0.1_${server.port}`);
  const copied = await runTidemark(["copy", mirror, join(temp.path, "copy"), "--convert-links", "--json"]);
  assert.equal(copied.exitCode, 0, copied.stderr);
  const file = (name: string): string => pathToFileURL(join(temp.path, "copy", name)).href;
  await using browser = await Browser.start();
  for (const name of ["sql-select.html", "index.html", "backup-dump.html"]) {
    assert.ok(existsSync(join(temp.path, "copy", name)), name);
    await browser.open(new URL(name, server.url).href, "light", 1280, 900);
    const onSite = await browser.evaluate<string[]>(look);
    requests.length = 0;
    await browser.open(file(name), "light", 1280, 900);
    assert.deepEqual(await browser.evaluate<string[]>(look), onSite, name);
    assert.deepEqual(requests, [], name);
  }
  // Links lead from file to file.
  await browser.evaluate(`document.querySelector('a[href*="backup"]').click()`);
  assert.match(await browser.evaluate<string>("return location.href"), /^file:/);
  await browser.open(file("beacons.html"), "light", 1280, 900);
  while ((await browser.evaluate<string>("return document.title")) !== "done");
  assert.equal(await browser.evaluate<string>("return document.querySelector('#own').textContent"), "Text");
  assert.deepEqual(requests, []);
  // Browsers may keep a file from asking this machine; it is the copy's own policy that does.
  assert.deepEqual(await browser.evaluate<string[]>("return refused"), ["connect-src", "img-src"]);
});
