import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { it } from "node:test";
import { createFetcher } from "../../src/http/fetcher.ts";

it("nothing is sent once nothing may be, on a new connection or one that is open", async () => {
  let seen = 0;
  const server = createServer((_, response) => {
    seen++;
    response.end("x");
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    for (const isOpen of [true, false]) {
      let mayWrite = isOpen;
      await using fetcher = createFetcher({ allowedPrivateOrigins: [origin], mayWrite: () => mayWrite });
      const get = () => fetcher.get({ origin, path: "/", maxBytes: 100, timeoutMs: 5000 });
      if (isOpen) assert.equal((await get()).kind, "fetched");
      seen = 0;
      mayWrite = false;
      assert.equal((await get()).kind, "failed");
      assert.equal(seen, 0);
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
