import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import Database from "libsql";
import { crawlSite } from "../../../src/crawler/crawl-site.ts";
import { readCrawlChanges } from "../../../src/crawler/read-crawl-changes.ts";
import { convertMirror } from "../../../src/storage/mirror/mirror-conversion.ts";
import { mirrorFolderOf } from "../../../src/storage/mirror/mirror-path.ts";
import { verifyMirror } from "../../../src/verify/verify-mirror.ts";
import { repositoryFolder } from "../../repository-folder.ts";
import { listenSite, type SiteServer } from "../../site-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const fixture = join(repositoryFolder(), "fixtures/mirror/v1");
const pages = JSON.parse(readFileSync(join(fixture, "pages.json"), "utf8")) as Record<string, string>;
const recorded = "127.0.0.1_8995";
// What 0.1.0 had no place for, beside the page `/about`.
const lost = ["/about/team", "/about/"];

/** Unpacks the mirror and state that 0.1.0 made. @returns the site's folder */
function unpack(into: string): string {
  execFileSync("tar", ["-xzf", join(fixture, "mirror.tar.gz"), "-C", into]);
  return join(into, recorded);
}

// As the server that the fixture was made with.
async function listen(): Promise<SiteServer & { readonly statuses: string[] }> {
  const statuses: string[] = [];
  const site = await listenSite((request, response) => {
    const path = request.url ?? "";
    const body = pages[path];
    const etag = `"${createHash("sha1")
      .update(path + body)
      .digest("hex")
      .slice(0, 8)}"`;
    const status = body === undefined ? 404 : request.headers["if-none-match"] === etag ? 304 : 200;
    statuses.push(`${status} ${path}`);
    const mediaType = path.endsWith(".css") ? "text/css" : "text/html";
    response.writeHead(status, status === 404 ? {} : { etag, "content-type": mediaType });
    response.end(status === 200 ? body : undefined);
  });
  return Object.assign(site, { statuses });
}

/** The site of the fixture is where the server listens. */
function moveTo(origin: string, into: string): void {
  const database = new Database(join(into, ".tidemark/state.db"));
  const [from] = database.prepare("SELECT mirror FROM site").raw().get() as [string];
  const to = from.replace(recorded, mirrorFolderOf(origin));
  database.prepare("UPDATE site SET origin = ?, mirror = ?").run(origin, to);
  database.close();
  renameSync(join(into, recorded), join(into, mirrorFolderOf(origin)));
}

function readTree(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map((entry) => {
    const file = join(entry.parentPath, entry.name);
    return [file.slice(folder.length), readFileSync(file, "utf8")] as const;
  });
  return Object.fromEntries(texts.sort());
}

describe("a mirror of 0.1.0", () => {
  it("gets its new names at the next crawl, without a download, and a page that had no place gets one", async () => {
    using temp = makeTempFolder();
    await using site = await listen();
    unpack(temp.path);
    moveTo(site.origin, temp.path);
    const clock = (): number => 1_790_000_000_000 + 86_400_000;
    await crawlSite({ url: site.origin, into: temp.path, sources: ["links"], clock, delay: async () => undefined });
    const whole = site.statuses.filter((line) => line.startsWith("200 ")).sort();
    assert.deepEqual(whole, lost.map((path) => `200 ${path}`).sort());
    const tree = readTree(join(temp.path, mirrorFolderOf(site.origin)));
    assert.ok(!Object.keys(tree).some((name) => name.includes("~tidemark-index")));
    for (const [file, path] of [
      ["/index.html", "/index.html"],
      ["/docs/index.html", "/docs/index.html"],
      ["/deep/er/index.html", "/deep/er/"],
      ["/list/index.html", "/list/"],
      ["/about/index.html", "/about"],
      ["/about/team", "/about/team"],
    ] as const)
      assert.equal(tree[file], pages[path], file);
    const { damaged, foreign, pages: count } = await verifyMirror({ into: temp.path });
    assert.deepEqual([damaged, foreign, count], [0, 0, Object.keys(pages).length]);
    using seen = readCrawlChanges({ store: temp.path });
    const bodies = [...seen.changes].map(({ path, file }) => [path, readFileSync(String(file), "utf8")]);
    assert.deepEqual(Object.fromEntries(bodies), pages);
  });

  it("is converted by whatever opens it, also without a crawl, or a state", async () => {
    using temp = makeTempFolder();
    unpack(temp.path);
    const { damaged, foreign } = await verifyMirror({ into: temp.path });
    assert.deepEqual([damaged, foreign], [0, 0]);
  });

  it("is converted to the end after a kill at each moment", () => {
    using temp = makeTempFolder();
    const before = unpack(temp.path);
    const whole = join(temp.path, "whole");
    cpSync(before, whole, { recursive: true });
    assert.equal(convertMirror(whole), 5);
    const wanted = readTree(whole);
    const old = readTree(before);
    const renamed = Object.keys(old).filter((name) => name.endsWith("~tidemark-index"));
    assert.equal(renamed.length, 5);
    // Each rename is a moment of its own; in any order, and so in that of a run, a part of them was done.
    for (let done = 0; done < 2 ** renamed.length; done++) {
      const killed = join(temp.path, `killed-${done}`);
      cpSync(before, killed, { recursive: true });
      for (const [at, name] of renamed.entries()) {
        const to = Object.keys(wanted).find((other) => wanted[other] === old[name] && old[other] === undefined);
        assert.ok(to !== undefined);
        if ((done >> at) % 2 === 1) renameSync(killed + name, killed + to);
      }
      convertMirror(killed);
      assert.deepEqual(readTree(killed), wanted);
    }
  });
});
