import { createRequire } from "node:module";
import { join } from "node:path";
import type { Clock, DeletionReason, HeldBody, Page } from "../core/index.ts";
import { nodeCodec } from "../http/index.ts";
import { CallbackBodyStore, type Keeping, type SiteStore, type Store, writeWacz } from "../storage/index.ts";

/**
 * How bodies can be kept: a mirror folder; WARC files with their indexes; the same, packed into a WACZ after each
 * visit; or not at all, only what is known of them.
 */
export const keepings = ["mirror", "warc", "wacz", "metadata"] as const;

/** One of {@link keepings}. */
export type Keep = (typeof keepings)[number];

/** A page as it is handed on: its size and digest are those of the body. */
export interface HandedPage extends Page, HeldBody {
  readonly sizeBytes: number;
  readonly digest: string;
  readonly url: string;
  /**
   * All of it, or, where it is larger than 256 KiB or nobody said how large, a file that may be read or moved away until
   * the callback ends.
   */
  readonly body: Uint8Array | { readonly file: string };
}

/** A page that is to be removed. */
export interface HandedRemoval {
  readonly url: string;
  /** Path with query, as of a page. */
  readonly path: string;
  /** Absent if the page only leads to another by now, or if it is told because a visit was killed. */
  readonly reason?: DeletionReason;
}

/**
 * Takes bodies in place of a folder.
 *
 * Each call is awaited before anything is remembered of its page. If the crawl dies between, or the callback fails, the
 * page is fetched and handed once more, or its removal told once more: everything comes at least once, and the last call
 * for a path says what holds. Calls for different pages may overlap, at most `concurrency` + 1 of them. What a callback
 * throws ends the crawl, which throws it in its turn.
 */
export interface PageReceiver {
  readonly kind: "callback";
  /** Given each page that a mirror would keep, whole. */
  readonly onBody: (page: HandedPage) => void | Promise<void>;
  /** Given each page that a mirror would remove; it may be one that was never handed. */
  readonly onRemoval: (removal: HandedRemoval) => void | Promise<void>;
}

/** A site's store, opened for a visit. */
export interface KeptSite extends SiteStore {
  /** Ends WARC files and packs them; after the visit, however it ended. */
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

/**
 * Opens what is kept of a site, and ends what a killed visit left of its WARC files.
 *
 * @param warcBytes - a WARC file that has reached this is closed
 */
export async function openKeptSite(
  store: Store,
  origin: string,
  options: { readonly keep: Keep | PageReceiver; readonly clock: Clock; readonly warcBytes: number | undefined },
): Promise<KeptSite> {
  const { keep, clock, warcBytes } = options;
  const site = store.openSite(origin, keepingOf(keep, origin, clock, warcBytes));
  const { warc, folder, bodies } = site;
  await warc?.recover();
  if (bodies instanceof CallbackBodyStore) await bodies.recover();
  return {
    ...site,
    end: async () => {
      const written = (await warc?.recorder.close()) ?? 0;
      if (keep !== "wacz" || written === 0) return;
      const path = join(folder, "site.wacz");
      await writeWacz({ folder, path, title: origin, software: softwareName(), now: clock() });
    },
  };
}
