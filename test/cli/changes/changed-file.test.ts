import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { changesOfFile } from "../../../src/cli/changes/changed-file.ts";
import { makeTempFolder } from "../../temp-folder.ts";

describe("changesOfFile", () => {
  it("tells that a file is another, that it is gone, once, and that it is there again", async () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "list");
    writeFileSync(file, "one");
    const nothing = (): void => undefined;
    const away = (): void => renameSync(file, `${file}.away`);
    const back = (): void => renameSync(`${file}.away`, file);
    const replace = (): void => {
      writeFileSync(`${file}.new`, "yet another");
      renameSync(`${file}.new`, file);
    };
    const steps: [() => void, string][] = [
      [nothing, ""],
      [() => writeFileSync(file, "another"), "told"],
      [nothing, ""],
      // Editors put files in place so.
      [away, ""],
      [replace, "told"],
      [() => rmSync(`${file}.away`), ""],
      [away, ""],
      [nothing, "told"],
      [nothing, ""],
      [nothing, ""],
      [back, "told"],
      [nothing, ""],
      [away, ""],
      [nothing, "told"],
    ];
    const ended = new AbortController();
    const told = steps.map(() => "");
    let at = -1;
    const pause = async (): Promise<void> => {
      at++;
      if (at === steps.length) ended.abort();
      else steps[at]?.[0]();
    };
    for await (const _ of changesOfFile(file, ended.signal, pause)) told[at] = "told";
    assert.deepEqual(
      told,
      steps.map(([, what]) => what),
    );
  });
});
