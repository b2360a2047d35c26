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
