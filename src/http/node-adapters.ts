import { createHash, hash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { lookup } from "mime-types";
import {
  type Clock,
  type Codec,
  digestBytes,
  type MediaTypeFilter,
  type MediaTypes,
  maxTimerMs,
  type PageDigest,
  parseMediaTypeFilter,
  TidemarkError,
  type Timing,
} from "../core/index.ts";
import { decodeBody, unpackArchive } from "./content-coding.ts";

/** The content id in an archive's name: the first 16 hexadecimal digits of the SHA-256 of its uncompressed content. */
export function contentId(content: Uint8Array): string {
  return hash("sha256", content, "hex").slice(0, 16);
}

/** A page's digest: the first 8 bytes of the SHA-256 of its body as base64url. */
export function digestOf(content: Uint8Array): string {
  return hash("sha256", content, "buffer").subarray(0, digestBytes).toString("base64url");
}

/** Begins a page's digest: the first 8 bytes of the SHA-256 as base64url. */
export function createDigest(): PageDigest {
  const sha256 = createHash("sha256");
  return {
    update: (chunk) => {
      sha256.update(chunk);
    },
    digest: () => sha256.digest().subarray(0, digestBytes).toString("base64url"),
  };
}

/** Compression and hashing by Node. */
export const nodeCodec: Codec = { unpack: unpackArchive, decode: decodeBody, contentId, createDigest, digestOf };

const programEndings: ReadonlySet<string> = new Set(["php", "asp", "aspx", "jsp", "cgi", "pl", "py", "do", "com"]);

/** Media types that servers usually give a path, by its extension. */
export const namedTypes: MediaTypes = {
  typeOf: (path) => {
    const [name = ""] = path.slice(path.lastIndexOf("/") + 1).split("?", 1);
    const ending = /\.([A-Za-z0-9]{1,10})$/.exec(name)?.[1]?.toLowerCase();
    // These extensions name the program that produces the response, not its type.
    if (ending === undefined || programEndings.has(ending)) return undefined;
    return lookup(ending) || undefined;
  },
};

// An abort ends the wait; the caller checks the signal.
async function realDelay(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  await wait(Math.min(delayMs, maxTimerMs), undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

/**
 * Real time, or what is given in its place. A clock that is given without waits goes on by what is waited at least, so
 * that whoever waits for a time comes to it.
 */
export function realTiming(clock?: Clock, delay?: Timing["delay"]): Timing {
  if (clock === undefined || delay !== undefined) return { now: clock ?? Date.now, delay: delay ?? realDelay };
  let aheadMs = 0;
  const now = (): number => clock() + aheadMs;
  return {
    now,
    delay: async (delayMs, signal) => {
      const due = now() + delayMs;
      await realDelay(delayMs, signal);
      if (signal?.aborted !== true) aheadMs += Math.max(0, due - now());
    },
  };
}

/** @throws TidemarkError `bad-option` */
export function parseTypes(types: readonly string[]): MediaTypeFilter {
  const filter = parseMediaTypeFilter(types);
  if (filter !== undefined) return filter;
  throw new TidemarkError("bad-option", `Not media types: ${types.join(",")}.`, {
    hint: "Give types such as text/html, or families such as image/*.",
    details: { types },
  });
}
