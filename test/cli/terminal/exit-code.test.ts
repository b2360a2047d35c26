import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { addCrawlSummaries } from "../../../src/cli/crawl/crawl-printer.ts";
import {
  exitCodeOfError,
  exitCodeOfVisit,
  exitCodes,
  reportError,
  worstExitCode,
} from "../../../src/cli/terminal/exit-code.ts";
import { errorCodes, TidemarkError } from "../../../src/core/error.ts";
import { repositoryFolder } from "../../repository-folder.ts";

it("gives the worst of several codes", () => {
  assert.equal(worstExitCode([]), exitCodes.done);
  assert.equal(worstExitCode([0, 3, 0]), exitCodes.itemsFailed);
  const ranking = ["done", "itemsFailed", "siteUnavailable", "warning", "locked", "critical", "broken", "usage", "bug"];
  const codes = ranking.map((name) => exitCodes[name as keyof typeof exitCodes]);
  for (const [at, worse] of codes.entries())
    for (const code of codes.slice(0, at + 1)) {
      assert.equal(worstExitCode([worse, code]), worse);
      assert.equal(worstExitCode([code, worse]), worse);
    }
});

it("tells a spent budget from failures", () => {
  const visit = { ...addCrawlSummaries([]), source: "archives" as const, pageRequests: 5 };
  assert.equal(exitCodeOfVisit(visit, undefined), exitCodes.done);
  assert.equal(exitCodeOfVisit({ ...visit, pending: 9 }, 5), exitCodes.done);
  assert.equal(exitCodeOfVisit({ ...visit, pending: 9 }, 6), exitCodes.itemsFailed);
  assert.equal(exitCodeOfVisit({ ...visit, pending: 9 }, undefined), exitCodes.itemsFailed);
  assert.equal(exitCodeOfVisit({ ...visit, failed: 1 }, 5), exitCodes.itemsFailed);
  assert.equal(exitCodeOfVisit({ ...visit, source: "none" }, undefined), exitCodes.siteUnavailable);
});

it("reports what failed first, where more fails when files are closed after it", async () => {
  const failing = (code: "io" | "locked") => ({
    [Symbol.asyncDispose]: async () => {
      throw new TidemarkError(code, code);
    },
  });
  const act = async (): Promise<void> => {
    await using _last = failing("io");
    await using _next = failing("locked");
    throw new TidemarkError("disk-full", "No room.");
  };
  const error: unknown = await act().catch((failure: unknown) => failure);
  assert.equal((error as Error).name, "SuppressedError");
  assert.deepEqual([reportError(error).code, reportError(error).exitCode], ["disk-full", exitCodeOfError("disk-full")]);
});

it("takes an error of the file system that nobody expected for one, and a mistake in the program for a bug", () => {
  const refused = Object.assign(new Error("EACCES: permission denied, mkdir '/etc/x'"), {
    code: "EACCES",
    syscall: "mkdir",
  });
  const { code, message, exitCode } = reportError(refused);
  assert.deepEqual([code, exitCode], ["no-permission", exitCodes.broken]);
  assert.match(message, /mkdir '\/etc\/x'/);
  const invalid = Object.assign(new Error("EBADF: bad file descriptor, read"), { code: "EBADF", syscall: "read" });
  assert.equal(reportError(invalid).exitCode, exitCodes.bug);
  assert.equal(reportError(Object.assign(new Error("ours"), { code: "ENOENT" })).exitCode, exitCodes.bug);
});

it("has every exit code and every error code, with its exit code, in docs/cli.md", () => {
  const text = readFileSync(join(repositoryFolder(), "docs", "cli.md"), "utf8");
  for (const code of Object.values(exitCodes)) assert.match(text, new RegExp(`^\\| ${code} \\|`, "m"));
  for (const code of errorCodes.filter((one) => one !== "aborted")) {
    assert.match(text, new RegExp(`^\\| \`${code}\` \\| ${exitCodeOfError(code)} \\|`, "m"), code);
  }
});
