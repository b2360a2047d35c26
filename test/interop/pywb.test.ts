import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { crawlSite } from "../../src/crawler/crawl-site.ts";
import type { CrawlSiteOptions } from "../../src/crawler/crawl-site-options.ts";
import { createPoliteness } from "../../src/crawler/politeness.ts";
import { type CdxjEntry, parseCdxjLine } from "../../src/formats/warc/cdxj.ts";
import { mirrorFolderOf } from "../../src/storage/mirror/mirror-path.ts";

import { listenSite, type SiteServer } from "../site-server.ts";
import { makeTempFolder, type TempFolder } from "../temp-folder.ts";
import { requireCached, skipWithoutCached } from "./programs.ts";
import { findFreePort, getRaw } from "./web-server.ts";

/** An answer, as a browser would get it that holds nothing. */
interface FullAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const html = "text/html; charset=utf-8";
const large = Buffer.from(Array.from({ length: 600_000 }, (_, at) => (at * 7) % 251));

function page(body: string | Buffer, headers: Readonly<Record<string, string>> = {}): FullAnswer {
  return { status: 200, headers: { "content-type": html, ...headers }, body: Buffer.from(body) };
}

const tagged = (body: string | Buffer, tag: string, headers: Readonly<Record<string, string>> = {}): FullAnswer =>
  page(body, { etag: `"${tag}"`, ...headers });

const names = ["a", "never", "dated", "twin", "moved", "gone", "empty", "emptied", "filled", "coded", "caf%C3%A9"]
  .concat(["q?c=%C3%A9&d", "q?a=1&b=2", "large", "odd", "slash/", "back", "to-empty"])
  .map((name) => `/${name}`);

/** What the site has on a day, 0 to 4: pages that change, come, go, are emptied, come coded, and have every kind of validator. */
function replaySiteOn(day: number): Map<string, FullAnswer> {
  const links = names.map((name) => `<a href="${name.replaceAll("&", "&amp;")}">x</a>`).join("\n");
  const answers: Record<string, FullAnswer> = {
    "/robots.txt": tagged(`User-agent: *\nDisallow: /private${day < 2 ? "" : "2"}\n`, `r${day < 2}`, {
      "content-type": "text/plain",
    }),
    "/": tagged(`<title>start</title>${links}`, "start"),
    // Changes, and is the same again.
    "/a": tagged(`<p>page a ${[0, 0, 1, 0, 0][day]}</p>`, `a${[0, 0, 1, 0, 0][day]}`),
    "/never": page("<p>without validators</p>"),
    "/dated": page("<p>dated</p>", { "last-modified": "Tue, 01 Sep 2026 00:00:00 GMT" }),
    // The bytes of another page, under another media type.
    "/twin": tagged("<p>page a 0</p>", "twin", { "content-type": "text/plain" }),
    "/moved": { status: 302, headers: { location: "/a", "content-type": html }, body: Buffer.from("moved") },
    "/gone": { status: 404, headers: { "content-type": html }, body: Buffer.from("<p>no such page</p>") },
    "/empty": tagged("", "empty"),
    "/emptied": day < 1 ? tagged("<p>full</p>", "full") : tagged("", "emptied"),
    "/filled": day < 2 ? tagged("", "nothing") : tagged("<p>filled</p>", "filled"),
    "/coded": tagged(gzipSync(`<p>coded ${day > 2}</p>`), `coded${day > 2}`, { "content-encoding": "gzip" }),
    "/caf%C3%A9": tagged(Buffer.from("<p>caf\xe9 \0 \xff</p>", "latin1"), "cafe", {
      "content-type": "text/html; charset=iso-8859-1",
    }),
    "/q?c=%C3%A9&d": tagged("<p>query</p>", "query"),
    "/q?a=1&b=2": tagged(`<p>query ${day}</p>`, `query${day}`),
    "/large": tagged(large, "large", { "content-type": "application/octet-stream" }),
    "/odd": tagged("<p>odd</p>", "odd", { "x-odd": "caf\xe9", "cache-control": "no-store", "content-language": "de" }),
    "/slash/": tagged("<p>folder</p>", "folder"),
    "/back": tagged(`<p>back ${day % 2}</p>`, `back${day % 2}`),
  };
  if (day > 0) {
    answers["/"] = tagged(`<title>start</title>${links}<a href="/comes">x</a>`, "start2");
    answers["/comes"] = tagged("<p>came</p>", "came");
  }
  return new Map(Object.entries(answers));
}

/** A server of {@link replaySiteOn}, whose day the test sets. */
async function listenReplaySite(): Promise<SiteServer & { day: number }> {
  const server = await listenSite((request, response) => {
    const missing: FullAnswer = {
      status: 404,
      headers: { "content-type": "text/plain" },
      body: Buffer.from("missing"),
    };
    const { status, headers, body } = replaySiteOn(site.day).get(request.url ?? "") ?? missing;
    const { etag, "last-modified": modified } = headers;
    const { "if-none-match": tag, "if-modified-since": since } = request.headers;
    const isSame = etag === undefined ? since !== undefined && since === modified : tag === etag;
    // What a server says with a 304 (RFC 9110 section 15.4.5).
    if (isSame && status === 200)
      response.writeHead(304, { ...(etag === undefined ? {} : { etag }), date: "now" }).end();
    else response.writeHead(status, headers).end(body);
  });
  const site = Object.assign(server, { day: 0 });
  return site;
}

const programs = (): string => join(requireCached("pywb-1"), "bin");

/** Runs `wb-manager` in pywb's folder. */
async function runManager(folder: string, ...args: readonly string[]): Promise<void> {
  await promisify(execFile)(join(programs(), "wb-manager"), [...args], { cwd: folder, timeout: 120_000 });
}

/** The replay server of pywb over a folder with `collections`. */
async function startPywb(folder: string): Promise<{ readonly port: number } & AsyncDisposable> {
  const port = await findFreePort();
  const args = ["-p", String(port), "-b", "127.0.0.1", "-d", folder];
  const child = spawn(join(programs(), "wayback"), args, { stdio: ["ignore", "ignore", "pipe"] });
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  const exited = once(child, "exit");
  for (let isUp = false; !isUp; ) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`pywb did not start: ${complaint}`);
    isUp = await getRaw(port, "/").then(
      () => true,
      () => false,
    );
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

const skip = skipWithoutCached("pywb-1");
const gzip = { "accept-encoding": "gzip" };
const days = 5;
const dayMs = 86_400_000;
// What a page is shown by; the rest is the server's own, or of the connection.
const shown = ["content-type", "content-encoding", "location", "content-language"];

async function crawlDays(
  site: SiteServer & { day: number },
  into: string,
  keep: CrawlSiteOptions["keep"],
): Promise<void> {
  let now = 1_790_000_000_000;
  const clock = (): number => now;
  const delay = async (delayMs: number): Promise<void> => {
    now += delayMs;
  };
  for (site.day = 0; site.day < days; site.day++) {
    now = 1_790_000_000_000 + site.day * dayMs;
    const politeness = createPoliteness({ clock, delay, random: () => 0 });
    await crawlSite({ url: site.origin, into, keep: keep ?? "warc", sources: ["links"], clock, delay, politeness });
  }
}

/** Every line of the site's indexes, by the visit that it is of: each visit has a file of its own. */
function readIndexes(folder: string): CdxjEntry[][] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".cdxj"));
  return files.sort().map((name) =>
    readFileSync(join(folder, name), "latin1")
      .trimEnd()
      .split("\n")
      .map((line) => {
        const entry = parseCdxjLine(line);
        assert.ok(entry.ok, line);
        return entry.value;
      }),
  );
}

describe("pywb shows every page of every visit as the site had it", { skip }, () => {
  let temp: TempFolder;
  let site: SiteServer & { day: number };
  let pywb: Awaited<ReturnType<typeof startPywb>>;
  let visits: CdxjEntry[][];

  before(async () => {
    temp = makeTempFolder("pywb");
    site = await listenReplaySite();
    const into = join(temp.path, "crawled");
    await crawlDays(site, into, "wacz");
    const folder = join(into, mirrorFolderOf(site.origin));
    const warcs = readdirSync(folder).filter((name) => name.endsWith(".warc.gz"));
    visits = readIndexes(folder);
    for (const name of ["own", "indexed", "packed"]) await runManager(temp.path, "init", name);
    const own = join(temp.path, "collections/own");
    mkdirSync(join(own, "indexes"), { recursive: true });
    for (const name of warcs) cpSync(join(folder, name), join(own, "archive", name));
    for (const name of readdirSync(folder).filter((file) => file.endsWith(".cdxj")))
      cpSync(join(folder, name), join(own, "indexes", name));
    await runManager(temp.path, "add", "indexed", ...warcs.map((name) => join(folder, name)));
    await runManager(temp.path, "add", "--unpack-wacz", "packed", join(folder, "site.wacz"));
    pywb = await startPywb(temp.path);
  });
  after(async () => {
    await pywb?.[Symbol.asyncDispose]();
    await site?.[Symbol.asyncDispose]();
    temp?.[Symbol.dispose]();
  });

  it("has a capture of each page in each visit, and revisits of both kinds", () => {
    assert.equal(visits.length, days);
    for (const [day, captures] of visits.entries()) {
      const captured = new Set(captures.map(({ url }) => url.slice(site.origin.length)));
      const missed = [...replaySiteOn(day)].filter(([path, { status }]) => status === 200 && !captured.has(path));
      assert.deepEqual(missed, [], `visit ${day}`);
      if (day > 0) assert.ok(captures.filter(({ mediaType }) => mediaType === "warc/revisit").length > 8);
    }
  });

  for (const [collection, what] of [
    ["own", "WARC files and our indexes"],
    ["indexed", "WARC files that it indexed"],
    ["packed", "a WACZ"],
  ] as const)
    it(`from ${what}`, async () => {
      const differences: string[] = [];
      let compared = 0;
      for (const [day, captures] of visits.entries())
        for (const { url, date } of captures) {
          const path = url.slice(site.origin.length);
          const sent = replaySiteOn(day).get(path);
          if (sent === undefined) continue;
          const time = new Date(date * 1000).toISOString().replaceAll(/\D/g, "").slice(0, 14);
          const { status, headers, body } = await getRaw(pywb.port, `/${collection}/${time}id_/${url}`, gzip);
          compared++;
          const memento = new Date(date * 1000).toUTCString();
          const location = String(headers.location).replace(/^.*id_\/http:\/\/[^/]*/, "");
          const isSame =
            status === sent.status &&
            body.equals(sent.body) &&
            headers["memento-datetime"] === memento &&
            shown.every(
              (name) =>
                (name === "location" && headers.location !== undefined ? location : headers[name]) ===
                sent.headers[name],
            );
          if (!isSame)
            differences.push(`visit ${day} ${path}: ${status}, ${body.length} bytes, ${JSON.stringify(headers)}`);
        }
      assert.deepEqual(differences, []);
      assert.ok(compared > days * 15, `${compared}`);
    });
});
