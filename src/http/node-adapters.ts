import { setTimeout as wait } from "node:timers/promises";
import { lookup } from "mime-types";
import type { Codec, MediaTypes, Timing } from "../core/index.ts";
import { type Clock, type MediaTypeFilter, parseMediaTypeFilter, TidemarkError } from "../core/index.ts";
import { decodeBody, unpackArchive } from "./content-coding.ts";
import { contentId, createDigest, digestOf } from "./content-hash.ts";

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
  await wait(delayMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

/** Real time, or what is given in its place. */
export function realTiming(now: Clock = Date.now, delay: Timing["delay"] = realDelay): Timing {
  return { now, delay };
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
