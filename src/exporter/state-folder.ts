import { existsSync, lstatSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseBaseUrl } from "./export-checks.ts";

/**
 * The default state folder of a site: `~/.local/state/tidemark/<host>`.
 *
 * @param baseUrl - the site's origin
 * @throws TidemarkError `bad-option` if it is not an origin
 */
export function defaultStateDir(baseUrl: string): string {
  const { protocol, host } = new URL(parseBaseUrl(baseUrl));
  const name = host.replace(/[^a-z0-9.-]/g, "_");
  return join(homedir(), ".local/state/tidemark", protocol === "http:" ? `http_${name}` : name);
}

/**
 * Where the state of a site's exports is: in the default folder, or, if that does not exist, in the one that
 * `systemd/tidemark-export@.service` uses.
 *
 * @throws TidemarkError `bad-option` if the base URL is not an origin
 */
export function findStateDir(baseUrl: string): string {
  const own = defaultStateDir(baseUrl);
  const ofUnit = unitStateDir(baseUrl);
  return !existsSync(own) && existsSync(ofUnit) ? ofUnit : own;
}

/** The same, also where only root can look into the unit's folder, to which a link leads. */
export function findStateDirOrLink(baseUrl: string): string {
  const found = findStateDir(baseUrl);
  if (existsSync(found)) return found;
  const ofUnit = unitStateDir(baseUrl);
  try {
    lstatSync(ofUnit);
    return ofUnit;
  } catch {
    return found;
  }
}

function unitStateDir(baseUrl: string): string {
  return join("/var/lib/tidemark", new URL(baseUrl).hostname);
}

/** The folder in an exporter's state that contains the keys and the position of IndexNow. */
export function indexNowFolderIn(stateDir: string): string {
  return join(stateDir, "index-now");
}
