import { homedir } from "node:os";
import { join } from "node:path";
import { parseBaseUrl } from "./base-url.ts";

/**
 * The folder where the exporter remembers a site if nobody names another: `~/.local/state/tidemark/<host>`.
 *
 * @param baseUrl - the site's origin
 * @throws TidemarkError `bad-option` if it is no origin
 */
export function defaultStateDir(baseUrl: string): string {
  const { protocol, host } = new URL(parseBaseUrl(baseUrl));
  const name = host.replace(/[^a-z0-9.-]/g, "_");
  return join(homedir(), ".local/state/tidemark", protocol === "http:" ? `http_${name}` : name);
}

/** The folder below an exporter's state that holds the keys of IndexNow and how far was submitted. */
export function indexNowFolderIn(stateDir: string): string {
  return join(stateDir, "index-now");
}
