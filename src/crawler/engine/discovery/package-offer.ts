import type { EpochSeconds } from "../../../core/index.ts";
import type { SyncDocument, SyncDocuments } from "./resource-sync-documents.ts";

/** Packages of a dump that are looked at, the newest. */
const maxOffers = 200;

/** A package that a site offers. */
export interface PackageOffer {
  /** `pages` if it shows pages as they were at a time, `changes` if it holds what changed between two. */
  readonly of: "changes" | "pages";
  readonly path: string;
  /** Of pages 0. */
  readonly from: EpochSeconds;
  /** Of pages: every change up to then is in it. */
  readonly until: EpochSeconds;
  /** Undefined where nobody said. */
  readonly sizeBytes: number | undefined;
  /** Tells it from other packages that have had its path. */
  readonly key: string;
}

/** What a change dump or resource dump offers; nothing if it is none. */
export function readOffers(document: SyncDocument, documents: SyncDocuments): PackageOffer[] {
  const { header, named } = document;
  const { capability, kind } = header;
  if (kind !== "urlset" || (capability !== "changedump" && capability !== "resourcedump")) return [];
  const offers: PackageOffer[] = [];
  for (const entry of named) {
    const path = documents.pathOf(entry.location);
    if (path === undefined) continue;
    const times =
      capability === "resourcedump"
        ? { of: "pages" as const, from: 0, until: entry.at ?? header.at }
        : {
            of: "changes" as const,
            from: entry.from ?? header.from ?? 0,
            until: entry.until ?? header.until ?? Number.MAX_SAFE_INTEGER,
          };
    const { until } = times;
    if (until === undefined) continue;
    const { sizeBytes } = entry;
    offers.push({ ...times, until, path, sizeBytes, key: `${path} ${until} ${sizeBytes ?? ""}` });
  }
  return offers.slice(-maxOffers);
}
