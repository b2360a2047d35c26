import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const extraFolders = ["/usr/sbin", "/sbin"];

/** Where a program is, or undefined. */
export function findProgram(name: string): string | undefined {
  for (const folder of [...(process.env.PATH ?? "").split(delimiter), ...extraFolders]) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {}
  }
  return undefined;
}

/** Where a program is. @throws if it is not installed */
export function requireProgram(name: string): string {
  const path = findProgram(name);
  if (path === undefined) throw new Error(`${name} is not installed: run test/interop/setup.sh`);
  return path;
}

/**
 * What `node:test` takes as `skip` where a program is missing.
 *
 * @returns false where all are there, and in CI, where the test is to fail instead
 */
export function skipWithout(...names: readonly string[]): string | false {
  const missing = names.filter((name) => findProgram(name) === undefined);
  if (missing.length === 0 || process.env.CI === "true") return false;
  return `${missing.join(", ")} not installed: run test/interop/setup.sh`;
}
