import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { type CopyMirrorOptions, copyMirror } from "../../src/copies/index.ts";
import { crawlSite } from "../../src/crawler/index.ts";
import { serveFolder } from "../../src/server/index.ts";
import { endOf, startProgram } from "../cli/run-program.ts";
import { makeTempFolder } from "../temp-folder.ts";

/** A site that is crawled by its links, and copied. */
async function openSite(pages: Readonly<Record<string, string>>) {
  const temp = makeTempFolder();
  const docroot = join(temp.path, "site");
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(docroot, name)), { recursive: true });
    writeFileSync(join(docroot, name), text);
  };
  for (const [name, text] of Object.entries(pages)) write(name, text);
  const server = await serveFolder({ folder: docroot, host: "127.0.0.1", port: 0 });
  const mirror = join(temp.path, "mirrors", `127.0.0.1_${server.port}`);
  return {
    mirror,
    write,
    visit: async () => await crawlSite({ url: server.url, into: join(temp.path, "mirrors"), sources: ["links"] }),
    copy: async (name: string, options: Partial<CopyMirrorOptions> = {}) =>
      await copyMirror({ mirror, folder: join(temp.path, "copies", name), ...options }),
    in: (name: string) => join(temp.path, "copies", name),
    [Symbol.asyncDispose]: async () => {
      await server.close();
      temp[Symbol.dispose]();
    },
  };
}

const site = {
  "index.html": `<link rel=stylesheet href=style.css><a href=/docs/>docs</a><a href="/docs">docs</a><a href=/about>about</a><img src=/dot.png>`,
  "style.css": `body { background: url(dot.png) }`,
  "dot.png": "no picture",
  "docs/index.html": `<a href="../#top">up</a><a href="https://other.example/">away</a>`,
};

test("two copies share with the mirror what did not change, and a change is in the later one alone", async () => {
  await using it = await openSite(site);
  await it.visit();
  const first = await it.copy("2026-11-01");
  assert.deepEqual([first.pages, first.shared, first.bytes], [4, 4, 0]);
  it.write("style.css", "body { color: red }");
  await it.visit();
  await it.copy("2026-11-02");
  const [old, fresh] = ["2026-11-01", "2026-11-02"].map((name) => it.in(name)) as [string, string];
  assert.equal(readFileSync(join(old, "style.css"), "utf8"), site["style.css"]);
  assert.equal(readFileSync(join(fresh, "style.css"), "utf8"), "body { color: red }");
  assert.equal(statSync(join(old, "dot.png")).ino, statSync(join(fresh, "dot.png")).ino);
  assert.notEqual(statSync(join(old, "style.css")).ino, statSync(join(fresh, "style.css")).ino);
});

// There mkdir says that what is above a folder is missing, and what is above it is there.
const skip = existsSync("/proc/self") ? false : "needs /proc";
test("a copy into a folder that the system makes for nobody is an error, and ends", { skip }, async () => {
  await using it = await openSite(site);
  await it.visit();
  const child = startProgram(["copy", it.mirror, "/proc/tidemark-test/copy"]);
  const tooLong = setTimeout(() => child.kill("SIGKILL"), 20_000);
  const { code, stderr } = await endOf(child);
  clearTimeout(tooLong);
  assert.equal(code, 4, stderr);
  assert.match(stderr, /ENOENT.*\/proc\/tidemark-test/);
});

test("a copy to read has links to its files, with endings that say what they are", async () => {
  await using it = await openSite(site);
  await it.visit();
  const { converted, shared } = await it.copy("a", { convertLinks: true });
  assert.deepEqual([converted, shared], [3, 1]);
  const index = readFileSync(join(it.in("a"), "index.html"), "utf8");
  assert.match(index, /^\ufeff.*href=style.css.*href="docs\/index.html".*href="docs\/index.html".*src="dot.png"/);
  assert.match(index, /href="http:\/\/127\.0\.0\.1:\d+\/about"/);
  const docs = readFileSync(join(it.in("a"), "docs/index.html"), "utf8");
  assert.match(docs, /href="\.\.\/index\.html#top".*href="https:\/\/other\.example\/"/);
  assert.equal(readFileSync(join(it.in("a"), "style.css"), "utf8"), `\ufeff${site["style.css"]}`);

  it.write("style.css", "body { color: blue }");
  await it.visit();
  const second = await it.copy("b", { convertLinks: true });
  assert.deepEqual([second.converted, second.shared], [3, 3], "only the style sheet is a file of its own");
  assert.equal(statSync(join(it.in("a"), "index.html")).ino, statSync(join(it.in("b"), "index.html")).ino);
});

test("each page of a copy to read has a name of its own, and none that is too long", async () => {
  using temp = makeTempFolder();
  const long = "n".repeat(252);
  const paths = ["/a", "/a.html", "/a~.html", "/a~", "/b", "/b~", "/b.html", `/${long}`, `/d/${long}`];
  const links = paths.map((path) => `<a href="${path}">x</a>`).join("");
  const server = createServer(({ url = "" }, response) => {
    response.writeHead(url === "/" || paths.includes(url) ? 200 : 404, { "Content-Type": "text/html" });
    response.end(`${url}${links}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const into = join(temp.path, "mirrors");
    await crawlSite({ url: `http://127.0.0.1:${port}/`, into, sources: ["links"] });
    const folder = join(temp.path, "copy");
    const { pages } = await copyMirror({ mirror: join(into, `127.0.0.1_${port}`), folder, convertLinks: true });
    assert.equal(pages, paths.length + 1);
    const linksOf = (file: string): string[] =>
      [...readFileSync(file, "utf8").matchAll(/href="([^"]*)"/g)].map(([, link = ""]) => link);
    const found = linksOf(join(folder, "index.html"));
    assert.equal(found.length, paths.length);
    for (const [at, path] of paths.entries()) {
      const file = join(folder, found[at] ?? "");
      assert.match(file, /\.html$/);
      assert.ok(readFileSync(file, "utf8").includes(`>${path}<a `), `${path} is ${file}`);
      assert.deepEqual(
        linksOf(file).map((link) => join(dirname(file), link)),
        found.map((link) => join(folder, link)),
      );
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("a copy is there as a whole or not at all", async () => {
  await using it = await openSite(site);
  await it.visit();
  await it.copy("a");
  await assert.rejects(it.copy("a"), { code: "bad-option", hint: /another name/ });
  await assert.rejects(it.copy("b", { signal: AbortSignal.abort() }), { code: "aborted" });
  mkdirSync(join(it.in("b.partial"), "of a killed run"), { recursive: true });
  rmSync(join(it.mirror, "dot.png"));
  await assert.rejects(it.copy("b"), { code: "not-found" });
  assert.deepEqual(readdirSync(it.in(".")), ["a"]);
  await assert.rejects(it.copy("b", { mirror: it.in("a") }), { code: "not-found", message: /no mirror/ });
  assert.equal(existsSync(it.in("b")), false);
});
