import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

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

/**
 * What `node:test` takes as `skip` where such folders are not there.
 *
 * @returns false where all are there, and in CI, where the test is to fail instead
 */
export function skipWithoutCached(...names: readonly string[]): string | false {
  const missing = names.filter((name) => findCached(name) === undefined);
  if (missing.length === 0 || process.env.CI === "true") return false;
  return `${missing.join(", ")} not in ${cacheFolder()}: run test/interop/setup.sh`;
}
