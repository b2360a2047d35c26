import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { acquireLock, isLocked } from "../../../src/storage/sqlite/lock.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const lockModule = new URL("../../../src/storage/sqlite/lock.js", import.meta.url).href;

describe("acquireLock", () => {
  it("refuses a lock that is held, and says by whom", () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "state.db.lock");
    const lock = acquireLock(file);
    assert.equal(isLocked(file), true);
    assert.throws(() => acquireLock(file), new RegExp(`process ${process.pid} on `));
    lock.release();
    assert.equal(isLocked(file), false);
  });

  it("is not refused because another process looks whether the lock is held", { timeout: 60_000 }, async () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "state.db.lock");
    acquireLock(file).release();
    const look = `import { isLocked } from ${JSON.stringify(lockModule)};
      console.log("looking");
      for (;;) isLocked(${JSON.stringify(file)});`;
    const looker = spawn(process.execPath, ["--input-type=module", "--eval", look]);
    try {
      await once(looker.stdout, "data");
      for (let taken = 0; taken < 200; taken++) {
        acquireLock(file).release();
        // At another moment of what the other does.
        await pause(1);
      }
    } finally {
      looker.kill("SIGKILL");
      await once(looker, "exit");
    }
  });
});
