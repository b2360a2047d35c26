import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { crawlSite } from "../../src/crawler/crawl-site.ts";
import type { CrawlSiteOptions } from "../../src/crawler/crawl-site-options.ts";
import { createPoliteness } from "../../src/crawler/politeness.ts";
import { type CdxjEntry, parseCdxjLine } from "../../src/formats/warc/cdxj.ts";
import { mirrorFolderOf } from "../../src/storage/mirror/mirror-path.ts";

import type { SiteServer } from "../site-server.ts";
import { skipWithoutCached } from "./cache-folder.ts";
import { getRaw, runManager, startPywb } from "./pywb.ts";
import { listenReplaySite, replaySiteOn } from "./replay-site.ts";
import { makeTempFolder, type TempFolder } from "./temp-folder.ts";

const skip = skipWithoutCached("pywb-1");
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
          const { status, headers, body } = await getRaw(pywb.port, `/${collection}/${time}id_/${url}`);
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
