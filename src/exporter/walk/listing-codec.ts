import type { FolderListing } from "./folder-listing.ts";

/** A listing on its way between threads: one text instead of many, and columns whose memory moves over. */
export interface PackedListing extends Omit<FolderListing, "segments"> {
  /** Segments, `/` between; no segment holds one. */
  readonly text: string;
}

/** Packs a listing. */
export function packListing({ segments, ...columns }: FolderListing): PackedListing {
  return { ...columns, text: segments.join("/") };
}

/** Unpacks a listing. */
export function unpackListing({ text, ...columns }: PackedListing): FolderListing {
  return { ...columns, segments: columns.kinds.length === 0 ? [] : text.split("/") };
}
