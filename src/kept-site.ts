import { createRequire } from "node:module";
import { join } from "node:path";
import type { Clock } from "./model/index.ts";
import { type Keeping, type SiteStore, type Store, writeWacz } from "./store/index.ts";

/**
 * How bodies can be kept: a mirror folder; WARC files with their indexes; the same, packed into a WACZ after each
 * visit; or not at all, only what is known of them.
 */
export const keepings = ["mirror", "warc", "wacz", "metadata"] as const;

/** One of {@link keepings}. */
export type Keep = (typeof keepings)[number];

/** A site's store, opened for a visit. */
export interface KeptSite extends SiteStore {
  /** Ends WARC files and packs them; after the visit, however it ended. */
  end(): Promise<void>;
}

function softwareName(): string {
  const { version } = createRequire(import.meta.url)("tidemark/package.json") as { version: string };
  return `tidemark/${version}`;
}

function keepingOf(keep: Keep, origin: string, clock: Clock, maxBytes: number | undefined): Keeping {
  if (keep === "mirror" || keep === "metadata") return { kind: keep };
  const info = { software: softwareName(), isPartOf: origin, robots: "obey" };
  return { kind: "warc", info, clock, ...(maxBytes === undefined ? {} : { maxBytes }) };
}

/**
 * Opens what is kept of a site, and ends what a killed visit left of its WARC files.
 *
 * @param warcBytes - a WARC file that has reached this is closed
 */
export async function openKeptSite(
  store: Store,
  origin: string,
  options: { readonly keep: Keep; readonly clock: Clock; readonly warcBytes: number | undefined },
): Promise<KeptSite> {
  const { keep, clock, warcBytes } = options;
  const site = store.openSite(origin, keepingOf(keep, origin, clock, warcBytes));
  const { warc, folder } = site;
  await warc?.files.recover();
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
