import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import postgres from "postgres";
import { crawlSite } from "../../src/crawler/crawl-site.ts";
import { exportSite } from "../../src/exporter/export-site.ts";
import { serveFolder } from "../../src/server/index.ts";
import { feedMirror } from "../../src/sinks/index.ts";
import { startPostgres } from "../postgres-server.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { runTidemark } from "./command.ts";
import { skipWithout } from "./programs.ts";
import { type ServerKind, serverKinds, startWebServer } from "./web-server.ts";

/** Fields of responses as each server's manual shows them; `noai` in a field of its own. */
function fieldLines(kind: ServerKind): string {
  if (kind === "nginx")
    return `location /own/ { add_header Content-Usage "train-ai=n, search=y"; }
      location /tags/ { add_header X-Robots-Tag "googlebot: nofollow"; add_header X-Robots-Tag noai; }
      location /mining/ { add_header TDM-Reservation 1; }`;
  return `LoadModule headers_module /usr/lib/apache2/modules/mod_headers.so
<Location /own/>
  Header set Content-Usage "train-ai=n, search=y"
</Location>
<Location /tags/>
  Header add X-Robots-Tag "googlebot: nofollow"
  Header add X-Robots-Tag noai
</Location>
<Location /mining/>
  Header set TDM-Reservation 1
</Location>`;
}

const pages = ["own/a.html", "tags/a.html", "mining/a.html", "signal/a.html", "plain/a.html"];

for (const kind of serverKinds)
  test(`what ${kind} states about use is recorded, survives a 304, and is respected`, {
    skip: skipWithout(kind),
  }, async () => {
    using temp = makeTempFolder("usage");
    const docroot = join(temp.path, "docroot");
    for (const name of pages) {
      mkdirSync(join(docroot, name, ".."), { recursive: true });
      writeFileSync(join(docroot, name), `<p>${name}`);
    }
    writeFileSync(join(docroot, "index.html"), pages.map((name) => `<a href="${name}">x</a>`).join(""));
    writeFileSync(join(docroot, "robots.txt"), "User-agent: *\nContent-Signal: /signal/ ai-train=no, search=yes\n");
    await using server = await startWebServer(kind, docroot, { snippet: fieldLines(kind) });
    const into = join(temp.path, "mirror");
    const crawl = async (...more: string[]): Promise<void> => {
      const { exitCode, stderr } = await runTidemark([
        "crawl",
        server.url,
        "--into",
        into,
        "--source",
        "links",
        ...more,
      ]);
      assert.equal(exitCode, 0, stderr);
    };
    const changes = async (...more: string[]): Promise<Record<string, unknown>[]> => {
      const { stdout } = await runTidemark(["changes", into, ...more]);
      const lines = stdout.trimEnd().split("\n");
      return lines.map((line) => JSON.parse(line)).filter(({ change }) => change !== undefined);
    };
    await crawl();
    const seen = await changes();
    const usages = Object.fromEntries(seen.map(({ url, usage }) => [String(url).slice(server.url.length), usage]));
    assert.deepEqual(usages, {
      "": undefined,
      "own/a.html": { "train-ai": "n", search: "y" },
      "tags/a.html": { "train-ai": "n", "ai-use": "n" },
      "mining/a.html": { "train-ai": "n" },
      "signal/a.html": { "train-ai": "n", search: "y" },
      "plain/a.html": undefined,
    });

    // nginx sends such fields with a 304, Apache does not: both times nothing changed.
    await server.takeLog();
    const cursor = join(temp.path, "cursor");
    await changes("--cursor", cursor);
    await crawl();
    const again = (await server.takeLog()).filter(({ uri }) => uri.endsWith("/a.html"));
    assert.deepEqual([...new Set(again.map(({ status }) => status))], [304]);
    assert.deepEqual(await changes("--cursor", cursor), []);

    await crawl("--respect-usage", "train-ai");
    const left = await changes("--cursor", cursor);
    assert.deepEqual(
      left.map(({ change }) => change),
      Array(4).fill("deleted"),
    );
    const held = pages.filter((name) => existsSync(join(into, `127.0.0.1_${server.port}`, name)));
    assert.deepEqual(held, ["plain/a.html"]);
    assert.equal(readFileSync(join(into, `127.0.0.1_${server.port}`, "plain/a.html"), "utf8"), "<p>plain/a.html");
  });

test("PostgreSQL has the preferences of each page, also in a table of an earlier version", {
  skip: skipWithout("pg_ctlcluster"),
}, async () => {
  using temp = makeTempFolder("usage");
  const docroot = join(temp.path, "docroot");
  mkdirSync(docroot);
  for (const name of ["a", "b"]) writeFileSync(join(docroot, `${name}.html`), `<title>${name}</title><p>text`);
  writeFileSync(join(docroot, "robots.txt"), "User-agent: *\nContent-Usage: /a train-ai=n, search=y\n");
  await using server = await serveFolder({ folder: docroot, host: "127.0.0.1", port: 0 });
  await exportSite({ docroot, baseUrl: server.url, stateDir: join(temp.path, "state") });
  const into = join(temp.path, "mirror");
  await crawlSite({ url: server.url, into });
  await using database = await startPostgres(temp.path);
  const to = `${database.url}?table=page`;
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  const read = async () =>
    (await sql`SELECT title, usage FROM page ORDER BY title`).map(({ title, usage }) => [title, usage]);
  try {
    await feedMirror({ store: into, to });
    const whole = [
      ["a", "train-ai=n, search=y"],
      ["b", ""],
    ];
    assert.deepEqual(await read(), whole);
    await sql`ALTER TABLE page DROP COLUMN usage`;
    // In pieces, so that everything is written anew.
    await feedMirror({ store: into, to, pieces: true });
    assert.deepEqual(await read(), whole);
    await feedMirror({ store: into, to, pieces: true, respectUsage: ["train-ai"] });
    assert.deepEqual(await read(), [["b", ""]]);
  } finally {
    await sql.end();
  }
});
