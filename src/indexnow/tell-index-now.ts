import { resolve } from "node:path";
import {
  excerpt,
  type IndexNowSummary,
  omitUndefined,
  parseUrl,
  TidemarkError,
  wrapSystemError,
} from "../core/index.ts";
import {
  checkKey,
  chooseKey,
  indexNowFolderIn,
  keyPath,
  parseBaseUrl,
  placeKeyFile,
  readKeyPaths,
  readKeys,
} from "../exporter/index.ts";
import { makeFolder, removeTemporaries, SiteLock } from "../fs/index.ts";
import { postJson, realTiming } from "../http/index.ts";
import { FolderChanges } from "./folder-changes.ts";
import { removeStaleFiles } from "./position.ts";
import { submitChanges, type TellIndexNowOptions } from "./submission.ts";

/** The endpoint that hands on to all search engines that take part. */
export const defaultIndexNowEndpoint = "https://api.indexnow.org/indexnow";

/**
 * Tells search engines by IndexNow which pages were created, changed or deleted since they were told last.
 *
 * Follows the published archives with a cursor of its own: it may be killed at any instant, catches up after days
 * without a network, and submits each change at least once. The first run submits nothing: what the site has is no
 * news. Trouble of the endpoint or the network is no error: a later run submits the rest.
 *
 * @returns its counts; `cursor` is undefined if another process is submitting
 * @throws TidemarkError `bad-option`, `no-archives`, `site-unavailable`, `archive-corrupt`, `aborted`, `no-permission`,
 *   `read-only`, `disk-full`, `io`
 * @see https://www.indexnow.org/documentation
 * @example
 * ```ts
 * await exportSite({ docroot: "/var/www/html", baseUrl: "https://example.org/", stateDir: "/var/lib/tidemark" });
 * await tellIndexNow({ docroot: "/var/www/html", baseUrl: "https://example.org/", stateDir: "/var/lib/tidemark" });
 * ```
 */
export async function tellIndexNow(options: TellIndexNowOptions): Promise<IndexNowSummary> {
  const { signal, clock = Date.now, random = Math.random, userAgent, onEvent = () => undefined } = options;
  const endpoint = checkEndpoint(options.endpoint ?? defaultIndexNowEndpoint);
  const site = parseBaseUrl(options.baseUrl);
  const given = options.key === undefined ? undefined : checkKey(options.key);
  const timeoutMs = checkNumber(options.timeoutMs ?? 20_000, 1000, "timeoutMs");
  const maxElapsedMs = checkNumber(options.maxElapsedMs ?? 60_000, 1000, "maxElapsedMs");
  const urlsPerCall = checkNumber(options.urlsPerCall ?? 10_000, 1, "urlsPerCall");
  const folder = indexNowFolderIn(resolve(options.stateDir));
  const docroot = resolve(options.docroot);
  try {
    makeFolder(folder, 0o700);
    await using lock = await takeLock(folder, new Date(clock()));
    if (lock === undefined) {
      const message = "Another process is submitting changes to search engines.";
      onEvent({ event: "warning", code: "index-now-busy", message });
      const counts = { told: 0, refused: 0, leftOut: 0, calls: 0, pending: 0 };
      const key = given ?? readKeys(folder)[0];
      const keyLocation = key === undefined ? "" : new URL(keyPath(key), site).href;
      return { endpoint, keyLocation, ...counts, notBefore: undefined, cursor: undefined };
    }
    await removeTemporaries(folder);
    await removeStaleFiles(folder);
    const key = await chooseKey(folder, given);
    await placeKeyFile(docroot, key);
    return await submitChanges({
      ...{ folder, site, endpoint, key, timeoutMs, maxElapsedMs, urlsPerCall, signal, clock, random, onEvent },
      source: new FolderChanges(docroot, site, signal, onEvent),
      ownPaths: new Set(readKeyPaths(folder, undefined)),
      all: options.all ?? false,
      post: (request) => postJson(request, { clock, ...omitUndefined({ userAgent }) }),
      delay: realTiming(clock, options.delay).delay,
    });
  } catch (error) {
    throw wrapSystemError(error, `tell search engines of ${site}`, { site });
  }
}

async function takeLock(folder: string, since: Date): Promise<SiteLock | undefined> {
  try {
    return await SiteLock.take(folder, since);
  } catch (error) {
    if (error instanceof TidemarkError && error.code === "locked") return undefined;
    throw error;
  }
}

function checkEndpoint(text: string): string {
  const url = parseUrl(text);
  if ((url?.protocol === "https:" || url?.protocol === "http:") && url.username === "" && url.password === "") {
    url.hash = "";
    return url.href;
  }
  throw new TidemarkError("bad-option", `Not the URL of an IndexNow endpoint: ${excerpt(text)}.`, {
    hint: `Give one such as ${defaultIndexNowEndpoint}`,
  });
}

function checkNumber(value: number, least: number, name: string): number {
  if (Number.isFinite(value) && value >= least) return value;
  throw new TidemarkError("bad-option", `${name} must be ${least} or more, not ${value}.`, { hint: "See the docs." });
}
