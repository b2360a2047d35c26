import { createHash } from "node:crypto";
import type { EpochSeconds } from "../core/index.ts";
import { cutPieces } from "./text-pieces.ts";

/** What a search index is given of a page, or of a piece of it. */
export interface SearchDocument {
  /** Stays the same while URL and, of a piece, its text do: 32 hex digits. */
  readonly id: string;
  readonly url: string;
  /** The site's origin. */
  readonly site: string;
  readonly title: string;
  /** Main content as text; paragraphs are separated by one LF. Empty if the page has none that can be read. */
  readonly text: string;
  /** Subtag of the language (RFC 5646, section 2.2.1), such as `en`; empty if it is not known. */
  readonly language: string;
  readonly mediaType: string;
  readonly lastModified: EpochSeconds;
  readonly sizeBytes: number;
  /** What the site states about its use, such as `train-ai=n, search=y`; empty if nothing. */
  readonly usage: string;
  /** Which piece of the page this is, from 0. */
  readonly piece: number;
}

/** A page as a sink receives it: all its documents, which replace those that the sink has of the URL. */
export interface SearchPage {
  readonly url: string;
  /** One, or with pieces any number; none if the page is gone, or is not to be there. */
  readonly documents: readonly SearchDocument[];
}

function idOf(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 32);
}

/**
 * Makes the documents of a page.
 *
 * @param inPieces - whether the text is cut; a piece whose text did not change keeps its id wherever in the page it is
 */
export function makeDocuments(page: Omit<SearchDocument, "id" | "piece">, inPieces: boolean): SearchDocument[] {
  if (!inPieces) return [{ ...page, id: idOf(page.url), piece: 0 }];
  const seen = new Map<string, number>();
  return cutPieces(page.text).map((text, piece) => {
    // A text that stands on the page twice is two pieces.
    const before = seen.get(text) ?? 0;
    seen.set(text, before + 1);
    return { ...page, id: idOf(page.url, text, String(before)), text, piece };
  });
}
