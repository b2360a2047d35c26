import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { crawlSite } from "../../src/crawler/index.ts";
import { exportSite } from "../../src/exporter/index.ts";
import { readTraffic, type TrafficSummary } from "../../src/traffic/index.ts";
import { makeTempFolder, type TempFolder } from "../temp-folder.ts";
import { requireProgram, skipWithout } from "./programs.ts";
import { type ServerKind, serverKinds, startWebServer } from "./web-server.ts";

const pages = 30;
const formats = {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are formats
  nginx: `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$http_if_none_match" "$sent_http_etag"`,
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: they are formats
  apache2: `%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\" \\"%{If-None-Match}i\\" \\"%{ETag}o\\"`,
} as const;

const snippets = {
  nginx: (folder: string) => `access_log ${folder}/combined.log combined;\naccess_log ${folder}/full.log full;`,
  apache2: (folder: string) =>
    `LogFormat "%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\"" combined\nCustomLog ${folder}/combined.log combined\n` +
    `LogFormat "${formats.apache2}" full\nCustomLog ${folder}/full.log full`,
} as const;

/** A site of pages that link to each other, each with a picture. */
function writeSite(docroot: string): void {
  mkdirSync(docroot);
  chmodSync(docroot, 0o755);
  const links = Array.from({ length: pages }, (_, at) => `<a href="/page-${at}.html">${at}</a>`).join("");
  writeFileSync(join(docroot, "index.html"), `<!doctype html><title>start</title>${links}`);
  for (let at = 0; at < pages; at++) {
    writeFileSync(
      join(docroot, `page-${at}.html`),
      `<!doctype html><title>${at}</title><img src="/${at}.png"><p>${"text ".repeat(at)}`,
    );
    writeFileSync(join(docroot, `${at}.png`), Buffer.alloc(100 + at, 7));
  }
  writeFileSync(join(docroot, "robots.txt"), "User-agent: *\nDisallow: /page-3.html\n");
}

/** What awk, which knows nothing of ours, counts in a combined log: requests, 304 and bytes by a part of the agent. */
function countWithAwk(log: string, agent: string): number[] {
  const script =
    'index($6, agent) { split($3, a, " "); n++; if (a[1] == 304) m++; b += a[2] } END { print n + 0, m + 0, b + 0 }';
  const text = execFileSync(requireProgram("awk"), ["-F", '"', "-v", `agent=${agent}`, script, log], {
    encoding: "utf8",
  });
  return text.trim().split(" ").map(Number);
}

for (const kind of serverKinds)
  describe(`logs of ${kind}`, { skip: skipWithout(kind, "wget2"), timeout: 120_000 }, () => {
    let temp: TempFolder;
    let combined: TrafficSummary;
    let full: TrafficSummary;

    before(async () => {
      temp = makeTempFolder();
      chmodSync(temp.path, 0o755);
      const docroot = join(temp.path, "site");
      writeSite(docroot);
      await crawlWithPeers(kind, temp.path, docroot);
      const archives = docroot;
      const robots = join(docroot, "robots.txt");
      combined = await readTraffic({ logs: [join(temp.path, "combined.log")], archives, robots });
      full = await readTraffic({ logs: [join(temp.path, "full.log")], format: formats[kind] });
    });

    after(() => temp[Symbol.dispose]());

    it("has requests, 304 and bytes of each crawler as awk counts them", () => {
      assert.equal(combined.badLines + full.badLines, 0);
      for (const [name, agent] of [
        ["wget", "get2/"],
        ["tidemark-trial", "tidemark-trial"],
      ] as const) {
        const counts = combined.crawlers.find((one) => one.name.toLowerCase() === name.toLowerCase())?.counts;
        assert.ok(counts !== undefined, `${name}: ${combined.crawlers.map((one) => one.name).join()}`);
        assert.deepEqual(
          [counts.requests, counts.notModified, counts.bytes],
          countWithAwk(join(temp.path, "combined.log"), agent),
          name,
        );
      }
      assert.equal(combined.all.requests, full.all.requests);
    });

    it("shows that a second download without conditions is needless but for the page that changed", () => {
      for (const { crawlers } of [combined, full]) {
        const wget = crawlers.find(({ name }) => name.toLowerCase() === "wget")?.counts;
        // Again came the start, robots.txt, and all pages but the forbidden one and the changed one, with their pictures.
        assert.equal(wget?.needless, 2 + 2 * (pages - 2));
      }
      const wget = combined.crawlers.find(({ name }) => name.toLowerCase() === "wget");
      assert.equal(wget?.counts.breaches, 0);
      // Many who have nothing to do with each other go by the name.
      assert.equal(wget?.pages, null);
    });

    it("shows that a crawler which reads the archives asks for nothing twice", () => {
      const own = combined.crawlers.find(({ name }) => name === "tidemark-trial");
      assert.ok((own?.counts.archives ?? 0) > 0);
      assert.ok((own?.counts.needless ?? 9) <= 2, JSON.stringify(own?.counts));
      assert.equal(own?.pages?.updates, 1);
    });
  });

/** Two rounds of downloads; in between one page changes. */
async function crawlWithPeers(kind: ServerKind, folder: string, docroot: string): Promise<void> {
  const http = kind === "nginx" ? `log_format full '${formats.nginx}';` : "";
  await using server = await startWebServer(kind, docroot, { gzip: false, http, snippet: snippets[kind](folder) });
  const quiet = { stdio: "ignore", timeout: 60_000 } as const;
  for (const round of [1, 2]) {
    // Logs and archives tell seconds: the rounds must not share one.
    if (round === 2) await delay(2100);
    if (round === 2) writeFileSync(join(docroot, "page-9.html"), "<!doctype html><title>new</title>");
    await exportSite({ docroot, baseUrl: server.url, stateDir: join(folder, "state") });
    const wget = ["-q", "--mirror", "--page-requisites", "-P", join(folder, `wget-${round}`), server.url];
    // Its exit code says that something was not found, as /favicon.ico may be.
    spawnSync(requireProgram("wget2"), wget, quiet);
    await crawlSite({ url: server.url, into: join(folder, "mirror"), userAgent: "tidemark-trial/1.0" });
  }
  await server.takeLog();
}
