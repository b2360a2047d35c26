import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { exitCodeOfError, exitCodes, worstExitCode } from "../../src/cli/exit-code.ts";
import { errorCodes } from "../../src/model/index.ts";
import { repositoryFolder } from "../repository-folder.ts";

it("gives the worst of several codes", () => {
  assert.equal(worstExitCode([]), exitCodes.done);
  assert.equal(worstExitCode([0, 3, 0]), exitCodes.itemsFailed);
  assert.equal(worstExitCode([6, 3]), exitCodes.siteUnavailable);
});

it("has every exit code and every error code, with its exit code, in docs/cli.md", () => {
  const text = readFileSync(join(repositoryFolder(), "docs", "cli.md"), "utf8");
  for (const code of Object.values(exitCodes)) assert.match(text, new RegExp(`^\\| ${code} \\|`, "m"));
  for (const code of errorCodes.filter((one) => one !== "aborted")) {
    assert.match(text, new RegExp(`^\\| \`${code}\` \\| ${exitCodeOfError(code)} \\|`, "m"), code);
  }
});
