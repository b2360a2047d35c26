import { setTimeout as wait } from "node:timers/promises";
import type { Codec, Timing } from "./crawl/index.ts";
import { contentId, createDigest, decodeBody, unpackArchive } from "./fetch/index.ts";
import { type Clock, type MediaTypeFilter, parseMediaTypeFilter, TidemarkError } from "./model/index.ts";

/** Compression and hashing by Node. */
export const nodeCodec: Codec = { unpack: unpackArchive, decode: decodeBody, contentId, createDigest };

/** Real time. */
export function realTiming(now: Clock = Date.now): Timing {
  return {
    now,
    delay: async (delayMs, signal) => {
      // An abort ends the wait; who waits asks the signal.
      await wait(delayMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
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
