import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";

/** Makes a folder unwritable, also for root; undefined where that is not possible. */
export function seal(folder: string): Disposable | undefined {
  if (process.getuid?.() !== 0) {
    chmodSync(folder, 0o500);
    return { [Symbol.dispose]: () => chmodSync(folder, 0o755) };
  }
  if (spawnSync("chattr", ["+i", folder]).status !== 0) return undefined;
  return { [Symbol.dispose]: () => void spawnSync("chattr", ["-i", folder]) };
}
