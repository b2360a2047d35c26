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

/** The folder in an exporter's state that contains the keys and the position of IndexNow. */
export function indexNowFolderIn(stateDir: string): string {
  return join(stateDir, "index-now");
}
