import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { describe, it } from "node:test";
import { Output } from "../../../src/cli/terminal/output.ts";
import { Pace, ProgressLine } from "../../../src/cli/terminal/progress-line.ts";

async function shown(isTTY: boolean, quiet: boolean, use: (line: ProgressLine) => void): Promise<string> {
  let text = "";
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      text += chunk.toString();
      done();
    },
  });
  const err = new Output(Object.assign(stream, { isTTY, columns: 20 }), () => undefined);
  use(new ProgressLine(err, quiet));
  await err.flush();
  return text;
}

describe("ProgressLine", () => {
  it("draws one line on a terminal, as wide as it is, and takes it away", async () => {
    const text = await shown(true, false, (line) => {
      line.show(() => "a line that is longer than the terminal");
      line.clear();
      line.clear();
    });
    assert.equal(text, "\ra line that is long\u001b[K\r\u001b[K");
  });

  it("draws what stays for a while at once, on a terminal", async () => {
    const twice = (line: ProgressLine): void => {
      line.show(() => "a");
      line.show(() => "b");
      line.show(() => "c", true);
    };
    assert.equal(await shown(true, false, twice), "\ra\u001b[K\rc\u001b[K");
    assert.equal(await shown(false, false, twice), "");
  });

  it("does not even make the text of states that come too soon", async () => {
    const text = await shown(false, false, (line) => line.show(() => assert.fail("made")));
    assert.equal(text, "");
  });

  it("shows nothing when quiet, but what has to be said", async () => {
    const text = await shown(true, true, (line) => {
      line.show(() => "progress");
      line.say("warning: this");
    });
    assert.equal(text, "warning: this\n");
  });
});

describe("Pace", () => {
  it("says rate and time left once it knows them, and begins anew with another phase", () => {
    let now = 0;
    const pace = new Pace(() => now);
    assert.equal(pace.format("scan", 100, 10_100), "");
    now = 1000;
    assert.equal(pace.format("scan", 300, 10_100), "");
    now = 10_000;
    assert.equal(pace.format("scan", 600, 10_100), ", 50/s, 3 min left");
    assert.equal(pace.format("scan", 600), ", 50/s");
    assert.equal(pace.format("scan", 90, 10_100), "");
    assert.equal(pace.format("merge", 5, 100), "");
    now = 20_000;
    assert.equal(pace.format("merge", 20, 100), ", 1.5/s, 53 s left");
    assert.equal(pace.format("merge", 100, 100), ", 9.5/s");
  });

  it("says nothing while nothing goes on", () => {
    let now = 0;
    const pace = new Pace(() => now);
    pace.format("pages", 3, 9);
    now = 60_000;
    assert.equal(pace.format("pages", 3, 9), "");
  });
});
