import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { churn, makeSite } from "./churn.ts";
import { type CommandResult, crawl, exportDocroot, startTidemark } from "./command.ts";
import { compareTrees } from "./file-tree.ts";
import { listLeftovers, listTemporaryFiles } from "./leftovers.ts";
import { skipWithout } from "./programs.ts";
import { readPublishedSet } from "./published-set.ts";
import { createRandom } from "./random.ts";
import { makeTempFolder } from "./temp-folder.ts";
import { findFreePort, startWebServer } from "./web-server.ts";

const skip = skipWithout("nginx");
const signals = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;
const withheld: ReadonlySet<string> = new Set(["/robots.txt", "/.well-known"]);
const isPageFolder = (name: string): boolean => name.length === 1;

/** Runs a command and sends the signal when the moment has come, which it must: the command cannot end before. */
async function interrupt(
  args: readonly string[],
  signal: NodeJS.Signals,
  moment: () => boolean,
): Promise<CommandResult> {
  const { child, result } = startTidemark(args);
  const poll = setInterval(() => {
    if (!moment()) return;
    clearInterval(poll);
    child.kill(signal);
  }, 2);
  try {
    return await result;
  } finally {
    clearInterval(poll);
  }
}

for (const [signal, exitCode] of signals) {
  test(`${signal} in the middle of an export: exit code ${exitCode}, the old set, nothing left`, { skip }, async () => {
    using temp = makeTempFolder("interrupt");
    const docroot = join(temp.path, "docroot");
    const state = join(temp.path, "state");
    const random = createRandom(6);
    mkdirSync(docroot);
    makeSite(docroot, 300, random);
    await using server = await startWebServer("nginx", docroot);
    await exportDocroot(docroot, server.url, state);
    const before = await readPublishedSet(server.url, random);
    const stateFiles = readdirSync(state).sort();
    churn(docroot, random, 0.3);
    // Holes of 1 GB cost no room and a while to digest each: the signal comes in the middle.
    const holes = Array.from({ length: 200 }, (_, at) => join(docroot, `z-hole-${at}.bin`));
    for (const hole of holes) {
      writeFileSync(hole, "");
      truncateSync(hole, 1e9);
    }
    const args = ["export", docroot, "--base-url", server.url, "--state", state, "--json"];
    const result = await interrupt(args, signal, () => readdirSync(state).length > stateFiles.length);
    assert.equal(result.exitCode, exitCode, result.stderr);
    assert.deepEqual(
      listLeftovers(docroot, (name) => isPageFolder(name) || name.startsWith("z-hole-")),
      [],
    );
    assert.deepEqual(readdirSync(state).sort(), stateFiles);
    const after = await readPublishedSet(server.url, random, [before]);
    assert.equal(after.index.publication, before.index.publication);
    for (const hole of holes) rmSync(hole);
    await exportDocroot(docroot, server.url, state);
    await crawl(server.url, join(temp.path, "crawled"));
    const mirror = join(temp.path, "crawled", `127.0.0.1_${server.port}`);
    assert.deepEqual(compareTrees(docroot, mirror, withheld), []);
  });

  test(`${signal} in the middle of a crawl: exit code ${exitCode}, whole pages, the rest next time`, {
    skip,
  }, async () => {
    using temp = makeTempFolder("interrupt");
    const docroot = join(temp.path, "docroot");
    const into = join(temp.path, "crawled");
    mkdirSync(docroot);
    makeSite(docroot, 300, createRandom(7));
    // The site's address is a door to nginx that closes itself, quietly, after 120 answers or so.
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}/`;
    await using server = await startWebServer("nginx", docroot);
    await exportDocroot(docroot, url, join(temp.path, "state"));
    let answers = 0;
    let isStuck = false;
    const door = createServer((client) => {
      const upstream = connect(server.port, "127.0.0.1");
      client.pipe(upstream);
      client.on("error", () => upstream.destroy());
      upstream.on("error", () => client.destroy());
      upstream.on("close", () => client.destroy());
      upstream.on("data", (chunk) => {
        answers += 1;
        if (answers > 120) isStuck = true;
        else client.write(chunk);
      });
    }).listen(port, "127.0.0.1");
    await once(door, "listening");
    const args = ["crawl", url, "--into", into, "--json"];
    const result = await interrupt(args, signal, () => isStuck);
    door.close();
    await once(door, "close");
    assert.equal(result.exitCode, exitCode, result.stderr);
    assert.deepEqual(listTemporaryFiles(into), []);
    const mirror = join(into, `127.0.0.1_${port}`);
    assert.ok(existsSync(mirror), "what was fetched before is kept");
    await using _same = await startWebServer("nginx", docroot, { port });
    const { summary } = await crawl(url, into);
    assert.ok(summary.pageRequests < 300, `${summary.pageRequests} requests`);
    assert.deepEqual(compareTrees(docroot, mirror, withheld), []);
  });
}
