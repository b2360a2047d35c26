import assert from "node:assert/strict";
import { test } from "node:test";
import { AddressGuard } from "../../src/http/address-guard.ts";
import { type Connection, Origin } from "../../src/http/connection.ts";
import { listenRaw, plainAnswer } from "./raw-server.ts";

test("an origin whose idle connections were all lost is given up, so that many sites cost no memory", async () => {
  await using server = await listenRaw((socket) => socket.end(plainAnswer(200, ["Connection: close"])));
  const guard = new AddressGuard({ allowPrivate: true });
  await new Promise<void>((resolve) => {
    const origin = new Origin(server.origin, 2, { connectTimeoutMs: 10_000, guard }, resolve);
    const accept = (connection: Connection): boolean => {
      const onComplete = (): void => origin.release(connection);
      const ignore = (): boolean => true;
      const others = { onConnect: ignore, onResponseStarted: ignore, onData: ignore, onError: ignore };
      connection.send({ method: "GET", path: "/", fields: [] }, { ...others, onHeaders: ignore, onComplete });
      return true;
    };
    origin.admit({ accept });
    origin.admit({ accept });
  });
});

test("who waits for a connection gets it after the release, in the order in which they came", async () => {
  const guard = new AddressGuard({ allowPrivate: true });
  const origin = new Origin("http://a.example", 1, { connectTimeoutMs: 10_000, guard }, () => undefined);
  const served: string[] = [];
  let held: Connection | undefined;
  const waiter = (name: string, isWanted = true) => ({
    accept: (connection: Connection) => {
      served.push(name);
      if (isWanted) held = connection;
      return isWanted;
    },
  });
  for (const one of [waiter("a"), waiter("b", false), waiter("c"), waiter("d")]) origin.admit(one);
  assert.deepEqual(served, ["a"]);
  assert.ok(held !== undefined);
  origin.release(held);
  // A request that is sent within undici's word of a failure is an error that nobody catches.
  assert.deepEqual(served, ["a"]);
  origin.admit(waiter("e"));
  await Promise.resolve();
  assert.deepEqual(served, ["a", "b", "c"]);
  origin.release(held);
  await Promise.resolve();
  assert.deepEqual(served, ["a", "b", "c", "d"]);
  await origin.close();
});
