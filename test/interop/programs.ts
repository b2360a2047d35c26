import { accessSync, constants, existsSync } from "node:fs";
import { homedir } from "node:os";
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

/** Where `setup.sh` keeps what it fetched and made. */
export function cacheFolder(): string {
  const base = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  return process.env.TIDEMARK_INTEROP_CACHE ?? join(base, "tidemark", "interop");
}

/** A folder of {@link cacheFolder}, or undefined where `setup.sh` did not make it, or not wholly. */
export function findCached(name: string): string | undefined {
  return existsSync(join(cacheFolder(), `${name}.complete`)) ? join(cacheFolder(), name) : undefined;
}

/** Such a folder. @throws if it is not there */
export function requireCached(name: string): string {
  const folder = findCached(name);
  if (folder === undefined) throw new Error(`no ${name} in ${cacheFolder()}: run test/interop/setup.sh`);
  return folder;
}

function skipWithoutAny(missing: readonly string[], where: string): string | false {
  if (missing.length === 0 || process.env.CI === "true") return false;
  return `${missing.join(", ")} ${where}: run test/interop/setup.sh`;
}

/**
 * What `node:test` takes as `skip` where a program is missing.
 *
 * @returns false where all are there, and in CI, where the test is to fail instead
 */
export function skipWithout(...names: readonly string[]): string | false {
  return skipWithoutAny(
    names.filter((name) => findProgram(name) === undefined),
    "not installed",
  );
}

/** The same where folders of {@link cacheFolder} are missing. */
export function skipWithoutCached(...names: readonly string[]): string | false {
  return skipWithoutAny(
    names.filter((name) => findCached(name) === undefined),
    `not in ${cacheFolder()}`,
  );
}
