import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { exitCodes } from "../../src/cli/terminal/exit-code.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { endOf, startProgram } from "./run-program.ts";

// There mkdir says that what is above a folder is missing, and what is above it is there.
const impossible = "/proc/tidemark-test/below";
const skip = existsSync("/proc/self") ? false : "needs /proc";

for (const [what, args] of [
  ["mirrors", ["crawl", "http://127.0.0.1:9/", "--into", impossible]],
  ["a crawl's state", ["crawl", "http://127.0.0.1:9/", "--into", "INTO", "--state", join(impossible, "state.db")]],
  ["an exporter's state", ["export", "INTO", "--base-url", "https://example.org", "--state", impossible]],
  ["a key", ["identity", "init", "--agent", "https://crawler.example", "--into", impossible]],
  ["volunteers", ["volunteers", "init", impossible, "--user-agent", "a/1 (+https://a.example/)", "--volunteer", "b"]],
  ["the demonstration", ["demo", "--keep", impossible]],
] as const) {
  test(`a folder for ${what} that the system makes for nobody is told, not tried for ever`, { skip }, async () => {
    using folder = makeTempFolder();
    const child = startProgram(args.map((arg) => (arg === "INTO" ? folder.path : arg)));
    const tooLong = setTimeout(() => child.kill("SIGKILL"), 60_000);
    const { code, stderr } = await endOf(child);
    clearTimeout(tooLong);
    assert.equal(code, exitCodes.broken, stderr);
    assert.match(stderr, /ENOENT.*\/proc\/tidemark-test/);
  });
}
