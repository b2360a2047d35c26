import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { it } from "node:test";
import { exitCodes } from "../../../src/cli/terminal/exit-code.ts";
import { readMirror } from "../../crawler/engine/mirror.ts";
import { PublishedSite } from "../../crawler/engine/published-site.ts";
import { listenRaw } from "../../http/raw-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { endOf, runProgram, startProgram } from "../run-program.ts";

const timeoutSeconds = 3;

it("a crawl of sites that drip, or that stall in the TLS handshake, ends within --timeout of a kill -TERM, and its state is whole", async (context) => {
  using folder = makeTempFolder();
  await using whole = await PublishedSite.open("127.0.8.31");
  whole.set({ "/": "<p>home", "/a.html": "a" });
  whole.publishBase();
  // It accepts connections and never says anything.
  await using mute = await listenRaw(() => undefined);
  let begin = (): void => undefined;
  const dripping = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const drip = createServer(({ url }, response) => {
    if (url === "/robots.txt") return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/html" }).write("<p>");
    const timer = setInterval(() => response.write("x"), 20);
    response.once("close", () => clearInterval(timer));
    if (url === "/") begin();
  });
  await once(drip.listen(0, "127.0.8.32"), "listening");
  const dripOrigin = `http://127.0.8.32:${(drip.address() as AddressInfo).port}`;
  const sites = [mute.origin.replace("http:", "https:"), dripOrigin, whole.origin];
  const list = join(folder.path, "sites.txt");
  writeFileSync(list, `${sites.map((site) => `${site}/`).join("\n")}\n`);
  const into = join(folder.path, "mirrors");
  const args = [
    "crawl",
    "--sites",
    list,
    "--into",
    into,
    "--connections",
    "2",
    "--timeout",
    `${timeoutSeconds}`,
    "--json",
  ];
  try {
    const begunAt = performance.now();
    const child = startProgram(args);
    const ended = endOf(child);
    await dripping;
    while (Object.keys(readMirror(into, whole.origin)).length < 2)
      await once(child.stdout as NodeJS.ReadableStream, "data");
    context.diagnostic(`the site between them was whole after ${((performance.now() - begunAt) / 1000).toFixed(1)} s`);
    const from = performance.now();
    child.kill("SIGTERM");
    const { code } = await ended;
    const tookSeconds = (performance.now() - from) / 1000;
    context.diagnostic(`ended ${tookSeconds.toFixed(1)} s after SIGTERM, exit code ${code}`);
    assert.ok(tookSeconds < timeoutSeconds + 5, `${tookSeconds} s`);
    // As docs/cli.md has it of whatever a signal stops before its end.
    assert.equal(code, exitCodes.terminated);
  } finally {
    drip.closeAllConnections();
    drip.close();
  }
  const again = await runProgram("crawl", whole.origin, "--into", into, "--quiet");
  assert.equal(again.code, exitCodes.done, again.stderr);
});
