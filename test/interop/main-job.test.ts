import assert from "node:assert/strict";
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { copyDocs, skipWithoutDocs, withheldPaths } from "./docs-site.ts";
import { listFiles } from "./file-tree.ts";
import { skipWithout } from "./programs.ts";
import { createRandom } from "./random.ts";
import { exported, ServedSite } from "./served-site.ts";
import { type LoggedRequest, type ServerKind, serverKinds } from "./web-server.ts";

const yearMs = 365 * 24 * 3600 * 1000;

/** Files that one page alone comes from: not reached through a link, too. */
function listPlainFiles(docroot: string, withheld: ReadonlySet<string>): string[] {
  const paths = listFiles(docroot, withheld).sort();
  const pagesByFile = new Map<string, number>();
  for (const path of paths) {
    const file = realpathSync(join(docroot, path));
    pagesByFile.set(file, (pagesByFile.get(file) ?? 0) + 1);
  }
  return paths.filter((path) => {
    const file = join(docroot, path);
    return pagesByFile.get(file) === 1 && !lstatSync(file).isSymbolicLink() && lstatSync(file).size > 0;
  });
}

/** 50 files change, 20 of them back to times long past; 20 appear with such times, 10 vanish, 500 are only touched. */
function changeSite(docroot: string, files: readonly string[], nowMs: number): void {
  const chosen = createRandom(2).sample(files, 560);
  const old = new Date(nowMs - 5 * yearMs);
  for (const [at, path] of chosen.entries()) {
    const file = join(docroot, path);
    if (at < 10) {
      const content = readFileSync(file);
      content[0] = (content[0] ?? 0) ^ 1;
      writeFileSync(file, content);
    } else if (at < 50) {
      appendFileSync(file, `changed: ${at}\n`);
    } else if (at < 60) {
      rmSync(file);
    } else {
      utimesSync(file, new Date(nowMs), new Date(nowMs));
    }
    if (at < 20) utimesSync(file, old, old);
  }
  mkdirSync(join(docroot, "new"));
  for (let at = 0; at < 20; at++) {
    const file = join(docroot, "new", `page ${at} 100% ü.html`);
    writeFileSync(file, `<title>new ${at}</title>`);
    utimesSync(file, old, old);
  }
}

/** Requests that were not for robots.txt or what Tidemark publishes. */
function pageRequests(log: readonly LoggedRequest[]): LoggedRequest[] {
  return log.filter(({ uri }) => uri !== "/robots.txt" && !uri.startsWith("/.well-known/tidemark/"));
}

async function provesTheMainJob(kind: ServerKind): Promise<void> {
  await using site = await ServedSite.open({ seed: 1, pages: copyDocs, kind });
  const { docroot, server } = site;
  const first = await site.export();
  const withheld = withheldPaths(first.events);
  const isOutput = (path: string): boolean => path === "/robots.txt" || path.startsWith("/.well-known/");
  for (const path of withheld) assert.ok(isOutput(path) || lstatSync(join(docroot, path)), path);
  assert.ok(first.summary.pages >= 20_000, `${first.summary.pages} pages`);
  for (const path of exported) withheld.add(path);
  const firstVisit = (await site.crawl("--concurrency", "4")).summary;
  assert.equal(firstVisit.created, first.summary.pages);
  assert.equal(pageRequests(await server.takeLog()).length, first.summary.pages);
  assert.deepEqual(site.compareMirror(withheld), []);

  changeSite(docroot, listPlainFiles(docroot, withheld), Date.now());
  const { summary: second } = await site.export();
  assert.deepEqual(
    { created: second.created, updated: second.updated, deleted: second.deleted, touched: second.touched },
    { created: 20, updated: 50, deleted: 10, touched: 500 },
  );
  const secondVisit = (await site.crawl()).summary;
  const secondLog = await server.takeLog();
  assert.equal(pageRequests(secondLog).length, 70);
  assert.ok(secondLog.length <= 74, `${secondLog.length} requests`);
  assert.equal(secondVisit.deleted, 10);
  assert.deepEqual(site.compareMirror(withheld), []);

  const { summary: third } = await site.export();
  assert.equal(third.published, false);
  await site.crawl();
  const thirdLog = await server.takeLog();
  assert.ok(thirdLog.length <= 2, `${thirdLog.length} requests`);
  assert.deepEqual([...new Set(thirdLog.map(({ status }) => status))], [304]);
  assert.deepEqual(site.compareMirror(withheld), []);
}

for (const kind of serverKinds) {
  const skip = skipWithout(kind) || skipWithoutDocs();
  test(`${kind} serves the documentation: changed pages are fetched and no others`, { skip }, async () => {
    await provesTheMainJob(kind);
  });
}
