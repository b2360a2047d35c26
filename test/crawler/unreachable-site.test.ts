import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createPlainServer } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { crawlSite } from "../../src/crawler/crawl-site.ts";
import { createPoliteness } from "../../src/crawler/politeness.ts";
import { runProgram } from "../cli/run-program.ts";
import { cert, key } from "../http/own-certificate.ts";
import { listenRaw } from "../http/raw-server.ts";
import { makeTempFolder } from "../temp-folder.ts";

describe("a site that cannot be reached", () => {
  const server = createServer({ key, cert });
  const closed = createServer();
  const origins = new Map<string, string>();
  let mute: Awaited<ReturnType<typeof listenRaw>>;

  before(async () => {
    mute = await listenRaw(() => undefined);
    for (const one of [server, closed]) await once(one.listen(0, "127.0.0.1"), "listening");
    origins.set("connection refused", `http://127.0.0.1:${(closed.address() as AddressInfo).port}`);
    origins.set("unknown name", "http://does-not-exist.invalid");
    origins.set("invalid certificate", `https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    origins.set("timeout", mute.origin);
    await once(closed.close(), "close");
  });
  after(async () => {
    await mute[Symbol.asyncDispose]();
    server.close();
  });

  for (const [name, reason] of [
    ["connection refused", /ECONNREFUSED/],
    ["unknown name", /does-not-exist\.invalid/],
    ["invalid certificate", /self.signed certificate/],
    ["timeout", /no complete answer within/],
  ] as const) {
    it(`gives the library a summary that says why: ${name}`, async () => {
      using folder = makeTempFolder();
      const url = origins.get(name) ?? "";
      const warnings: string[] = [];
      const { source, passedOver, failed, deleted } = await crawlSite({
        url,
        into: folder.path,
        timeoutMs: 200,
        politeness: createPoliteness({ maxWaitMs: 0 }),
        onEvent: (event) => void (event.event === "warning" && warnings.push(event.code)),
      });
      assert.deepEqual([source, failed, deleted, warnings], ["none", 0, 0, ["site-unavailable"]]);
      assert.deepEqual([passedOver.length, passedOver[0]?.code], [1, "site-unavailable"]);
      assert.match(passedOver[0]?.why ?? "", reason);
    });

    it(`ends the command with code 6 and a warning that says why: ${name}`, async () => {
      using folder = makeTempFolder();
      const url = origins.get(name) ?? "";
      const args = ["crawl", url, "--into", folder.path, "--max-wait", "0", "--timeout", "1", "--quiet"];
      const { code, stdout, stderr } = await runProgram(...args);
      assert.deepEqual([code, stdout], [6, ""]);
      assert.match(stderr, reason);
    });
  }

  it("says so too if only pages are asked for, because robots.txt is still valid", async () => {
    using folder = makeTempFolder();
    const site = createPlainServer(({ url }, response) => {
      response.writeHead(url === "/" ? 200 : 404, { "content-type": "text/html" }).end("<p>home");
    });
    await once(site.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const warnings: string[] = [];
    const visit = () =>
      crawlSite({
        url,
        into: folder.path,
        sources: ["links"],
        politeness: createPoliteness({ maxWaitMs: 0 }),
        onEvent: (event) => void (event.event === "warning" && warnings.push(event.code)),
      });
    assert.deepEqual([(await visit()).source, warnings], ["links", []]);
    site.closeAllConnections();
    await once(site.close(), "close");
    const { source, passedOver, requests, pageRequests, deleted } = await visit();
    assert.deepEqual([source, requests, pageRequests, deleted], ["none", 1, 1, 0]);
    assert.deepEqual([passedOver.at(-1)?.source, passedOver.at(-1)?.code], ["links", "site-unavailable"]);
    assert.match(passedOver.at(-1)?.why ?? "", /ECONNREFUSED/);
    assert.ok(warnings.includes("site-unavailable"), String(warnings));
  });
});
