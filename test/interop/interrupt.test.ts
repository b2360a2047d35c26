import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { type CommandResult, crawl, exportDocroot, startTidemark } from "./command.ts";
import { compareTrees } from "./file-tree.ts";
import { listLeftovers, listTemporaryFiles } from "./leftovers.ts";
import { skipWithout } from "./programs.ts";
import { exported, ServedSite } from "./served-site.ts";
import { findFreePort, startWebServer } from "./web-server.ts";

const skip = skipWithout("nginx");
const signals = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;

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
    await using site = await ServedSite.open({ pages: 300, seed: 6 });
    const { docroot, state } = site;
    await site.export();
    const before = await site.read();
    const stateFiles = readdirSync(state).sort();
    site.change(0.3);
    // Holes of 1 GB cost no room and a while to digest each: the signal comes in the middle.
    const holes = Array.from({ length: 200 }, (_, at) => join(docroot, `z-hole-${at}.bin`));
    for (const hole of holes) {
      writeFileSync(hole, "");
      truncateSync(hole, 1e9);
    }
    const hasBegun = (): boolean => readdirSync(state).length > stateFiles.length;
    const result = await interrupt(site.exportArguments, signal, hasBegun);
    assert.equal(result.exitCode, exitCode, result.stderr);
    assert.deepEqual(
      listLeftovers(docroot, (name) => name.length === 1 || name.startsWith("z-hole-")),
      [],
    );
    assert.deepEqual(readdirSync(state).sort(), stateFiles);
    const after = await site.read(before);
    assert.equal(after.index.publication, before.index.publication);
    for (const hole of holes) rmSync(hole);
    await site.export();
    await site.crawl();
    assert.deepEqual(site.compareMirror(), []);
  });

  test(`${signal} in the middle of a crawl: exit code ${exitCode}, whole pages, the rest next time`, {
    skip,
  }, async () => {
    await using site = await ServedSite.open({ pages: 300, seed: 7 });
    const { docroot, into } = site;
    // The site's address is a proxy before nginx that stops forwarding, quietly, after 120 answers or so.
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}/`;
    await exportDocroot(docroot, url, site.state);
    let answers = 0;
    let isStuck = false;
    const proxy = createServer((client) => {
      const upstream = connect(site.server.port, "127.0.0.1");
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
    await once(proxy, "listening");
    const args = ["crawl", url, "--into", into, "--json"];
    const result = await interrupt(args, signal, () => isStuck);
    proxy.close();
    await once(proxy, "close");
    assert.equal(result.exitCode, exitCode, result.stderr);
    assert.deepEqual(listTemporaryFiles(into), []);
    const mirror = join(into, `127.0.0.1_${port}`);
    assert.ok(existsSync(mirror), "what was fetched before is kept");
    await using _same = await startWebServer("nginx", docroot, { port });
    const { summary } = await crawl(url, into);
    assert.ok(summary.pageRequests < 300, `${summary.pageRequests} requests`);
    assert.deepEqual(compareTrees(docroot, mirror, new Set(exported)), []);
  });
}
