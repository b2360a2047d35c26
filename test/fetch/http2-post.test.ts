import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { PostOutcome } from "../../src/model/index.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { answerHead, body, frame, frameTypes, listenFrames, uint32 } from "./http2-frames.ts";
import { listenHttp2 } from "./http2-server.ts";
import { cert } from "./own-certificate.ts";

const { data, reset, goaway, settings } = frameTypes;

/** Sends in a process of its own, since Node reads further authorities only as it starts. */
async function post(url: string, json: string, timeoutMs = 30_000): Promise<PostOutcome> {
  using temp = makeTempFolder();
  const authorities = join(temp.path, "authorities.pem");
  writeFileSync(authorities, cert);
  const room = new URL("../../src/fetch/index.js", import.meta.url).href;
  const script = `
    import { postJson } from ${JSON.stringify(room)};
    const json = process.argv[1];
    process.stdout.write(JSON.stringify(await postJson({ url: "${url}", json, timeoutMs: ${timeoutMs} })));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, json], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: authorities },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const said = await text(child.stdout);
  await exited;
  return JSON.parse(said) as PostOutcome;
}

test("a text is sent over HTTP/2, with its length in bytes", async () => {
  const bodies: string[] = [];
  await using server = await listenHttp2((stream) => {
    void text(stream).then((got) => {
      bodies.push(got);
      stream.respond({ ":status": 202 });
      stream.end();
    });
  });
  const outcome = await post(`${server.origin}/indexnow?x=1`, '["é"]');
  assert.deepEqual(outcome, { kind: "answered", status: 202 });
  assert.deepEqual(bodies, ['["é"]']);
  const [fields] = server.requests;
  assert.deepEqual([fields?.[":method"], fields?.[":path"]], ["POST", "/indexnow?x=1"]);
  assert.deepEqual([fields?.["content-type"], fields?.["content-length"]], ["application/json; charset=utf-8", "6"]);
});

test("a window that is never opened for a text costs the time that was given", async () => {
  const none = frame(settings, 0, 0, Buffer.concat([Buffer.from([0, 4]), uint32(0)]));
  await using server = await listenFrames(() => undefined, { start: none });
  // More than the window that a connection begins with, before any settings are read.
  const outcome = await post(server.origin, JSON.stringify("x".repeat(100_000)), 2000);
  assert.equal(outcome.kind === "failed" && outcome.reason, "timeout");
  const sent = (server.connections[0]?.frames ?? []).filter(({ type }) => type === data);
  assert.ok(sent.reduce((sum, { payload }) => sum + payload.length, 0) <= 65_535);
});

test("a text that the server has not acted upon is sent once more, and no more", async () => {
  for (const refusals of [1, 9]) {
    await using server = await listenFrames((socket, id, count) =>
      socket.write(
        count <= refusals ? frame(reset, 0, id, uint32(7)) : Buffer.concat([answerHead(id, 200), body(id, "")]),
      ),
    );
    const outcome = await post(server.origin, "{}");
    assert.equal(outcome.kind, refusals === 1 ? "answered" : "failed");
    assert.deepEqual(server.requests, [1, 3]);
  }
});

test("a text that the server may have read is not sent again", async () => {
  for (const code of [2, 8]) {
    await using server = await listenFrames((socket, id) => socket.write(frame(reset, 0, id, uint32(code))));
    assert.equal((await post(server.origin, "{}")).kind, "failed");
    assert.deepEqual(server.requests, [1]);
  }
});

test("a text for a server that wants HTTP/1.1 is sent in it", async () => {
  const http1 = "HTTP/1.1 204 No Content\r\n\r\n";
  await using server = await listenFrames((socket, id) => socket.write(frame(goaway, 0, 0, uint32(id, 13))), { http1 });
  assert.deepEqual(await post(server.origin, "{}"), { kind: "answered", status: 204 });
});
