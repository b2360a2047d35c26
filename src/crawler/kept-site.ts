import { createRequire } from "node:module";
import { join } from "node:path";
import type { Clock, DeletionReason, HeldBody, Page } from "../core/index.ts";
import { nodeCodec } from "../http/index.ts";
import {
  CallbackBodyStore,
  type Keeping,
  type PausedWarc,
  type SiteStore,
  type Store,
  writeWacz,
} from "../storage/index.ts";

/**
 * How bodies are kept: a mirror folder; WARC files with their indexes; the same packed into a WACZ after each visit; or
 * not at all, with only the state.
 */
export const keepings = ["mirror", "warc", "wacz", "metadata"] as const;

/** One of {@link keepings}. */
export type Keep = (typeof keepings)[number];

/** A page as passed to a callback; size and digest are those of the body. */
export interface HandedPage extends Page, HeldBody {
  readonly sizeBytes: number;
  readonly digest: string;
  readonly url: string;
  /**
   * The whole body; or, if it is larger than 256 KiB, a file that may be read or moved until the
   * callback ends.
   */
  readonly body: Uint8Array | { readonly file: string };
}

/** A page to remove. */
export interface HandedRemoval {
  readonly url: string;
  /** Path with query, as for a page. */
  readonly path: string;
  /** Absent if the page now only redirects, or if the removal is reported because a visit was killed. */
  readonly reason?: DeletionReason;
}

/**
 * Receives bodies in place of a folder.
 *
 * Each call is awaited before its page is recorded as done. If the crawl dies in between, or the callback fails, the
 * page is fetched and delivered again, or its removal reported again: everything is delivered at least once, and the
 * last call for a path is the current one. Calls for different pages may overlap, at most `concurrency` + 1 of them. An
 * error thrown by a callback ends the crawl, which rethrows it.
 */
export interface PageReceiver {
  readonly kind: "callback";
  /** Called with each page that a mirror would store, with its whole body. */
  readonly onBody: (page: HandedPage) => void | Promise<void>;
  /** Called with each page that a mirror would remove; it may be one that was never delivered. */
  readonly onRemoval: (removal: HandedRemoval) => void | Promise<void>;
}

/** A site's store, open for a visit. */
export interface KeptSite extends SiteStore {
  /** Leaves the WARC file as it is, to be gone on with when the site is opened next; in the place of {@link KeptSite.end}. */
  pause(): Promise<void>;
  /** Finishes and packs WARC files; after the visit, however it ended. */
  end(): Promise<void>;
}

function softwareName(): string {
  const { version } = createRequire(import.meta.url)("tidemark/package.json") as { version: string };
  return `tidemark/${version}`;
}

function keepingOf(keep: Keep | PageReceiver, origin: string, clock: Clock, maxBytes: number | undefined): Keeping {
  if (typeof keep === "object") {
    return {
      kind: "callback",
      taker: {
        take: (page, body) => keep.onBody({ ...page, url: origin + page.path, body }),
        drop: (path, reason) =>
          keep.onRemoval({ url: origin + path, path, ...(reason === undefined ? {} : { reason }) }),
      },
    };
  }
  if (keep === "mirror" || keep === "metadata") return { kind: keep };
  const info = { software: softwareName(), isPartOf: origin, robots: "obey" };
  return { kind: "warc", info, clock, decode: nodeCodec.decode, ...(maxBytes === undefined ? {} : { maxBytes }) };
}

/** Under which name the state of a site has the WARC file that is to be gone on with. */
const pausedWarc = "paused-warc";

/**
 * Opens the store of a site, and finishes the WARC files of a killed visit. One that was paused is gone on with.
 *
 * @param warcBytes - size at which a WARC file is closed
 */
export async function openKeptSite(
  store: Store,
  origin: string,
  options: { readonly keep: Keep | PageReceiver; readonly clock: Clock; readonly warcBytes: number | undefined },
): Promise<KeptSite> {
  const { keep, clock, warcBytes } = options;
  const site = store.openSite(origin, keepingOf(keep, origin, clock, warcBytes));
  const { warc, folder, bodies, memory } = site;
  const paused = warc && (memory.readSource(pausedWarc) as PausedWarc | undefined);
  if (paused !== undefined) warc?.files.resume(paused);
  await warc?.recover();
  if (bodies instanceof CallbackBodyStore) await bodies.recover();
  return {
    ...site,
    pause: async () => {
      const left = await warc?.recorder.pause();
      if (left !== undefined) memory.rememberSource(pausedWarc, left);
    },
    end: async () => {
      const finished = (await warc?.recorder.close()) ?? 0;
      if (keep !== "wacz" || finished === 0) return;
      const path = join(folder, "site.wacz");
      await writeWacz({ folder, path, title: origin, software: softwareName(), now: clock() });
    },
  };
}
