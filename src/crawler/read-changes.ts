import {
  type Change,
  type Clock,
  type CrawlEvent,
  type Cursor,
  type EpochMs,
  omitUndefined,
  type Timing,
  wrapSystemError,
} from "../core/index.ts";
import { robotsAgentOf } from "../formats/robots/index.ts";
import { createFetcher, nodeCodec, parseTypes, realTiming } from "../http/index.ts";
import { StoredMerge } from "../storage/index.ts";
import { openChangeStream } from "./engine/discovery/change-stream.ts";
import { createPoliteness, type Politeness } from "./politeness.ts";
import { parseSiteAddress } from "./site-address.ts";

/** What to read of a site. */
export interface ReadChangesOptions {
  /** Any URL of the site. */
  readonly url: string;
  /** Cursor of the last reading. Default: the whole site is read. */
  readonly cursor?: Cursor;
  /** Without a cursor: pages last modified before this are skipped, if the site's archives allow it. */
  readonly since?: EpochMs;
  /** Media types to read, such as `text/html` or `image/*`. Default: all. */
  readonly types?: readonly string[];
  readonly userAgent?: string;
  /** Limits the request rate; see {@link createPoliteness}. Default: its own. */
  readonly politeness?: Politeness;
  /** Time limit of a small request in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  /** @default Date.now */
  readonly clock?: Clock;
  /** Waits. Default: real time. */
  readonly delay?: Timing["delay"];
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: CrawlEvent) => void;
}

/** Changes of a site. Dispose of it after reading: it may hold a connection and a temporary file. */
export interface SiteChanges {
  /** Whether the given cursor is no longer valid, so that the changes are the whole site. */
  readonly reset: boolean;
  /** The new cursor; store it once all changes are processed. */
  readonly cursor: Cursor;
  /** Each path once; can be iterated once. */
  readonly changes: AsyncIterable<Change>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Reads what a site published since a cursor, or everything, without requesting any page.
 *
 * Memory does not grow with the number of changes: merging uses a temporary file.
 *
 * @throws TidemarkError `bad-option`, `no-archives`, `site-unavailable`, `aborted`; during iteration also
 * `archive-corrupt`
 * @example
 * await using site = await readChanges({ url: "https://example.org/" });
 * for await (const change of site.changes) if (change.kind !== "deleted") console.log(change.page.path);
 */
export async function readChanges(options: ReadChangesOptions): Promise<SiteChanges> {
  const { url, cursor, since, types = [], userAgent, timeoutMs, clock, delay, signal, onEvent } = options;
  const { politeness = createPoliteness({ clock, delay }) } = options;
  const origin = parseSiteAddress(url, onEvent);
  const filter = parseTypes(types);
  const agent = robotsAgentOf(userAgent);
  const requests = createFetcher({
    allowedPrivateOrigins: [origin],
    ...omitUndefined({ userAgent, clock }),
  });
  const merges: StoredMerge[] = [];
  const dispose = async (): Promise<void> => {
    for (const merge of merges.splice(0)) merge[Symbol.dispose]();
    await requests[Symbol.asyncDispose]();
  };
  const openMerge = (): StoredMerge => {
    const merge = new StoredMerge();
    merges.push(merge);
    return merge;
  };
  try {
    const stream = await openChangeStream(
      { requests, codec: nodeCodec, timing: realTiming(clock, delay), rateLimiter: politeness },
      {
        origin,
        agent,
        filter,
        ...omitUndefined({ cursor, timeoutMs, signal, onEvent }),
        ...(since === undefined ? {} : { since: Math.floor(since / 1000) }),
      },
      openMerge,
    );
    return { ...stream, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw wrapSystemError(error, `read the changes of ${origin}/`, { site: origin });
  }
}
