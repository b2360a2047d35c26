import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { ReplayedStream } from "../../../src/exporter/lists/replayed-stream.ts";
import { makeTempFolder } from "../../temp-folder.ts";

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const textOf = async (bytes: AsyncIterable<Uint8Array>): Promise<string> => (await buffer(bytes)).toString();

test("a stream is read from the beginning each time, also after it was left half-way", async () => {
  using folder = makeTempFolder();
  await using stream = new ReplayedStream(pieces("one ", "two ", "three"), folder.path);
  for await (const piece of stream.read()) {
    assert.equal(Buffer.from(piece).toString(), "one ");
    break;
  }
  assert.equal(await textOf(stream.read()), "one two three");
  assert.equal(await textOf(stream.read()), "one two three");
});

test("text counts as its UTF-8 bytes, and a stream may be empty", async () => {
  using folder = makeTempFolder();
  await using text = new ReplayedStream(Readable.from(["é", "x"]), folder.path);
  for (const _ of [1, 2]) assert.equal(await textOf(text.read()), "éx");
  await using nothing = new ReplayedStream(pieces(), folder.path);
  for (const _ of [1, 2]) assert.equal(await textOf(nothing.read()), "");
});

test("a wait for bytes that do not come ends when it is asked to", async () => {
  using folder = makeTempFolder();
  const stop = new AbortController();
  const silent = new Readable({ read: () => undefined });
  const stream = new ReplayedStream(silent, folder.path, stop.signal);
  const reading = textOf(stream.read());
  stop.abort();
  await assert.rejects(reading, { code: "aborted" });
  await stream[Symbol.asyncDispose]();
  assert.ok(silent.destroyed);
  const late = new ReplayedStream(pieces("x"), folder.path, stop.signal);
  await assert.rejects(textOf(late.read()), { code: "aborted" });
  await late[Symbol.asyncDispose]();
});

test("what reads no further gives the stream up", async () => {
  using folder = makeTempFolder();
  let isLeft = false;
  async function* source(): AsyncGenerator<Uint8Array> {
    try {
      yield Buffer.from("x");
      yield Buffer.from("y");
    } finally {
      isLeft = true;
    }
  }
  const stream = new ReplayedStream(source(), folder.path);
  for await (const _ of stream.read()) break;
  assert.equal(isLeft, false);
  await stream[Symbol.asyncDispose]();
  assert.equal(isLeft, true);
});
