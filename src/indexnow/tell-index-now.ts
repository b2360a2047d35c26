import { resolve } from "node:path";
import {
  type Clock,
  excerpt,
  type IndexNowEvent,
  type IndexNowSummary,
  parseUrl,
  TidemarkError,
  wrapSystemError,
} from "../core/index.ts";
import {
  checkKey,
  chooseKey,
  indexNowFolderIn,
  keyPath,
  placeKeyFile,
  readKeyPaths,
  readKeys,
} from "../exporter/index.ts";
import { makeFolder, removeTemporaries, SiteLock } from "../fs/index.ts";
import { postJson, realTiming } from "../http/index.ts";
import { FolderChanges } from "./folder-changes.ts";
import { submitChanges } from "./submission.ts";

/** The endpoint that hands on to all search engines that take part. */
export const defaultIndexNowEndpoint = "https://api.indexnow.org/indexnow";

/** How search engines are to be told of a site's changes. */
export interface TellIndexNowOptions {
  /** Folder that the web server shows as the site's root; the site has been exported into it. */
  readonly docroot: string;
  /** The site's origin with `/`, as it was exported. */
  readonly baseUrl: string;
  /** The exporter's state folder; `index-now` below it is ours. */
  readonly stateDir: string;
  /** 8 to 128 of a-z, A-Z, 0-9 and the hyphen. Default: the one used last, else a new one. */
  readonly key?: string;
  /** @default {@link defaultIndexNowEndpoint} */
  readonly endpoint?: string;
  /** Submit all URLs on the first run, deleted ones that the archives still list too; later runs submit changes, whatever this says. @default false */
  readonly all?: boolean;
  readonly userAgent?: string;
  /** Time for one call, in milliseconds, at least 1000. @default 20000 */
  readonly timeoutMs?: number;
  /** Time for all calls of this run and the waits between them, in milliseconds, at least 1000. @default 60000 */
  readonly maxElapsedMs?: number;
  /** URLs a call, 1 to 10000. @default 10000 */
  readonly urlsPerCall?: number;
  /** @default Date.now */
  readonly clock?: Clock;
  /** Waits between calls. Default: real time. */
  readonly delay?: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;
  /** At least 0 and below 1. @default Math.random */
  readonly random?: () => number;
  /** Stops it; everything that was told is remembered. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: IndexNowEvent) => void;
}

/**
 * Tells search engines by IndexNow which pages came to be, changed or went away since they were told last.
 *
 * Follows the published archives with a cursor of its own, so that it may be killed at any instant, catches up after
 * days without a network, and tells each change at least once. The first run tells nothing: what the site has is no
 * news. Trouble of the endpoint or the network is no error: what was not told is told by a later run.
 *
 * @returns what it came to; `cursor` is undefined if another process is telling
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
  const site = checkSite(options.baseUrl);
  const given = options.key === undefined ? undefined : checkKey(options.key);
  const timeoutMs = checkNumber(options.timeoutMs ?? 20_000, 1000, "timeoutMs");
  const maxElapsedMs = checkNumber(options.maxElapsedMs ?? 60_000, 1000, "maxElapsedMs");
  const urlsPerCall = checkNumber(options.urlsPerCall ?? 10_000, 1, "urlsPerCall");
  const docroot = resolve(options.docroot);
  const folder = indexNowFolderIn(resolve(options.stateDir));
  try {
    makeFolder(folder, 0o700);
    await using lock = await takeLock(folder, new Date(clock()));
    if (lock === undefined) {
      onEvent({
        event: "warning",
        code: "index-now-busy",
        message: "Another process is submitting changes to search engines.",
      });
      const counts = { told: 0, refused: 0, leftOut: 0, calls: 0, pending: 0 };
      const key = given ?? readKeys(folder)[0];
      const keyLocation = key === undefined ? "" : new URL(keyPath(key), site).href;
      return { endpoint, keyLocation, ...counts, notBefore: undefined, cursor: undefined };
    }
    await removeTemporaries(folder);
    const key = await chooseKey(folder, given);
    await placeKeyFile(docroot, key);
    return await submitChanges({
      ...{ folder, site, endpoint, key, timeoutMs, maxElapsedMs, urlsPerCall, signal, clock, random, onEvent },
      source: new FolderChanges(docroot, site, { onEvent, ...(signal === undefined ? {} : { signal }) }),
      ownPaths: readKeyPaths(folder, undefined),
      all: options.all ?? false,
      post: (request) => postJson(request, { clock, ...(userAgent === undefined ? {} : { userAgent }) }),
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

function checkSite(text: string): string {
  const url = parseUrl(text);
  if ((url?.protocol === "https:" || url?.protocol === "http:") && url.href === `${url.origin}/`) return url.href;
  throw new TidemarkError("bad-option", `Not the base URL of a site: ${excerpt(text)}.`, {
    hint: "Give the origin that was exported, such as https://example.org/",
  });
}

function checkNumber(value: number, least: number, name: string): number {
  if (Number.isFinite(value) && value >= least) return value;
  throw new TidemarkError("bad-option", `${name} must be ${least} or more, not ${value}.`, { hint: "See the docs." });
}
