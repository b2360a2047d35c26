import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { TidemarkError } from "../../core/index.ts";
import type { TaskProgram } from "../../fleet/index.ts";

// Packages of the database's native half, by BOINC's names of their platforms.
const packages: ReadonlyArray<readonly [string, string]> = [
  ["x86_64-pc-linux-gnu", "@libsql/linux-x64-gnu"],
  ["aarch64-unknown-linux-gnu", "@libsql/linux-arm64-gnu"],
  ["x86_64-apple-darwin", "@libsql/darwin-x64"],
  ["arm64-apple-darwin", "@libsql/darwin-arm64"],
];

/**
 * Reads what BOINC's clients run: `tidemark work` in one file, and its native code for each platform whose package is
 * installed here, which is usually this machine's alone.
 *
 * @throws TidemarkError `not-found` if there is none
 */
export function readTaskProgram(): TaskProgram {
  const script = readFileSync(new URL("./task-worker.js", import.meta.url));
  const { resolve } = createRequire(import.meta.url);
  const natives = packages.flatMap(([platform, name]) => {
    try {
      return [[platform, readFileSync(resolve(name))] as const];
    } catch {
      return [];
    }
  });
  if (natives.length > 0) return { script, natives: new Map(natives) };
  throw new TidemarkError("not-found", "There is no native code that volunteers could run.", {
    hint: `Install one of ${packages.map(([, name]) => name).join(", ")} beside tidemark.`,
  });
}
