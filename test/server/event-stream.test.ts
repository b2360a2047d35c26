import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { EventStream } from "../../src/server/event-stream.ts";

describe("EventStream", () => {
  it("keeps no more for a listener that takes nothing than it was sent first, and then sends the newest", async () => {
    using stream = new EventStream();
    const server = createServer();
    const answered = new Promise<ServerResponse>((resolve) => {
      server.on("request", (_, response) => {
        stream.add(response, {});
        resolve(response);
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.pause();
    socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    const response = await answered;
    const long = "x".repeat(1_000_000);
    const show = (state: number): void => stream.set(new Map([["a", `${state} ${long}`]]));
    // Until what the system keeps on the way is full.
    let state = 0;
    do {
      show(++state);
      await wait(20);
    } while (!response.writableNeedDrain && state < 100);
    const { writableLength } = response;
    const behind = state;
    for (let more = 0; more < 1000; more++) show(++state);
    assert.equal(response.writableLength, writableLength, "nothing more waits for the listener");
    assert.ok(writableLength < 1_100_000, `${writableLength} bytes wait`);
    let text = "";
    socket.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    socket.resume();
    while (!text.includes(`"${state} `)) await wait(5);
    const states = text.match(/(?<=data: {"a":")\d+/g) ?? [];
    assert.deepEqual(states.slice(-2), [String(behind), String(state)]);
    socket.destroy();
    server.close();
    server.closeAllConnections();
  });
});
