import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { exitCodes } from "../../src/cli/terminal/exit-code.ts";
import { endOf, runProgram, startProgram } from "./run-program.ts";

describe("the program", () => {
  it("prints help to stdout and ends well", async () => {
    const { code, stdout, stderr } = await runProgram("--help");
    assert.equal(code, exitCodes.done);
    assert.match(stdout, /^tidemark <command>/);
    assert.equal(stderr, "");
  });

  it("says on stderr what is wrong with the command line", async () => {
    const { code, stdout, stderr } = await runProgram("crwal");
    assert.equal(code, exitCodes.usage);
    assert.equal(stdout, "");
    assert.equal(
      stderr,
      "tidemark: Unknown command: crwal.\n  Did you mean `tidemark crawl`? See `tidemark --help`.\n",
    );
  });

  it("says it as a line of JSON too, if JSON is wanted", async () => {
    const { code, stdout } = await runProgram("serve", "x", "--port", "y", "--json");
    assert.equal(code, exitCodes.usage);
    const { event, code: name } = JSON.parse(stdout);
    assert.deepEqual({ event, name }, { event: "error", name: "bad-option" });
  });
});

describe("tidemark serve", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "tidemark-test-"));
    await writeFile(join(folder, "page.html"), "<p>hello");
  });
  after(() => rm(folder, { recursive: true }));

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`serves, reports each request and ends in order at ${signal}`, async () => {
      const child = startProgram(["serve", folder, "--port", "0", "--json"]);
      const ended = endOf(child);
      assert.ok(child.stdout !== null);
      const [first] = await once(createInterface(child.stdout), "line");
      const { event, url } = JSON.parse(first);
      assert.equal(event, "listening");
      const [response] = await once(get(new URL("/page.html", url), { agent: false }), "response");
      response.resume();
      await once(response, "end");
      child.kill(signal);
      const { code, stdout } = await ended;
      assert.equal(code, exitCodes.done);
      const lines = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      assert.equal(lines.at(-2).path, "/page.html");
      assert.deepEqual(lines.at(-1), { event: "summary", requests: 1, notModified: 0, bytes: 8 });
    });
  }

  it("says which folder is missing", async () => {
    const { code, stderr } = await runProgram("serve", join(folder, "missing"), "--port", "0");
    assert.equal(code, exitCodes.broken);
    assert.match(stderr, /missing/);
  });
});
