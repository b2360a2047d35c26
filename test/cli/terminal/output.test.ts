import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { describe, it } from "node:test";
import { Output } from "../../../src/cli/terminal/output.ts";
import { TidemarkError } from "../../../src/core/error.ts";

function collector(): { stream: Writable; pieces: string[] } {
  const pieces: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      pieces.push(chunk.toString());
      done();
    },
  });
  return { stream, pieces };
}

function broken(code: string): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });
}

describe("Output", () => {
  it("gathers small writes into few large ones, in order", async () => {
    const { stream, pieces } = collector();
    const out = new Output(stream, () => assert.fail("closed"));
    const lines = Array.from({ length: 20_000 }, (_, at) => `{"line":${at}}\n`);
    for (const line of lines) out.write(line);
    await out.flush();
    assert.equal(pieces.join(""), lines.join(""));
    assert.ok(pieces.length < 200, `${pieces.length} writes`);
  });

  it("flushes without being asked", async () => {
    const { stream, pieces } = collector();
    const out = new Output(stream, () => assert.fail("closed"));
    out.write("a");
    out.write("b");
    await new Promise<void>((resolve) => {
      const look = (): unknown => (pieces.join("") === "ab" ? resolve() : setImmediate(look));
      look();
    });
  });

  it("waits while the stream is full", async () => {
    const waiting: Array<() => void> = [];
    const stream = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => waiting.push(done) });
    const out = new Output(stream, () => assert.fail("closed"));
    out.write("x".repeat(100_000));
    assert.ok(out.isFull);
    const ready = out.ready();
    for (const done of waiting) done();
    await ready;
    assert.ok(!out.isFull);
  });

  it("remembers that the reader left, says so once, and goes on in silence", async () => {
    let closed = 0;
    const out = new Output(broken("EPIPE"), () => closed++);
    out.write("x");
    await out.flush();
    out.write("y".repeat(100_000));
    await out.ready();
    await out.flush();
    assert.ok(out.readerLeft);
    assert.equal(closed, 1);
  });

  it("reports a full disk", async () => {
    const out = new Output(broken("ENOSPC"), () => undefined);
    out.write("x");
    await assert.rejects(out.flush(), (error) => error instanceof TidemarkError && error.code === "disk-full");
    assert.ok(!out.readerLeft);
  });
});
