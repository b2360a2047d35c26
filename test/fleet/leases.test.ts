import { join } from "node:path";
import Database from "libsql";
import { openFleet } from "../../src/fleet/index.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type TestDatabase, testLeases } from "./lease-cases.ts";

async function makeDatabase(): Promise<TestDatabase> {
  const folder = makeTempFolder("fleet");
  const file = join(folder.path, "fleet.db");
  return {
    open: async (options) => openFleet(file, options),
    elapse: async (ms) => {
      const database = new Database(file, { timeout: 10_000 });
      database.exec(
        `UPDATE site SET next_at = next_at - ${ms} WHERE next_at < ${Number.MAX_SAFE_INTEGER};
         UPDATE site SET lease_until = lease_until - ${ms};
         UPDATE address SET free_at = free_at - ${ms} WHERE free_at < ${Number.MAX_SAFE_INTEGER}`,
      );
      database.close();
    },
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
}

testLeases("a file", makeDatabase);
