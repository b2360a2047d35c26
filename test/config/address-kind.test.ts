import assert from "node:assert/strict";
import { test } from "node:test";
import * as zod from "zod";
import { listenAddress } from "../../src/config/address-kind.ts";

test("an address to listen on is one of this machine and a port", () => {
  for (const [text, host, port] of [
    ["127.0.0.1:9464", "127.0.0.1", 9464],
    ["9464", "127.0.0.1", 9464],
    ["0", "127.0.0.1", 0],
    ["0.0.0.0:80", "0.0.0.0", 80],
    ["[::1]:65535", "::1", 65_535],
    ["localhost:1", "localhost", 1],
  ] as const) {
    assert.deepEqual(listenAddress.parseText(text), { host, port }, text);
    assert.deepEqual(listenAddress.schema(zod).parse(text), { host, port }, text);
  }
  for (const text of [
    ...["", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:1x", "256.0.0.1:80"],
    ...["::1:80", "[127.0.0.1]:80", "[::1]", "example.org:80", "http://127.0.0.1:80", "127.1:80", " 80"],
  ]) {
    assert.equal(listenAddress.parseText(text), undefined, text);
    assert.throws(() => listenAddress.schema(zod).parse(text), /an address and a port/);
  }
});
