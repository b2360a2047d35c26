import { Buffer } from "node:buffer";
import type { ExportEvent } from "../../../src/core/export-event.ts";
import type { ListedPage, ListedPageSource } from "../../../src/exporter/lists/listed-page.ts";

/** Everything that a source gives. */
export async function drainPages(source: ListedPageSource): Promise<ListedPage[]> {
  const pages: ListedPage[] = [];
  for (let batch = await source.next(); batch !== undefined; batch = await source.next()) pages.push(...batch);
  return pages;
}

/** A source of pages that are there. */
export function givenPages(pages: readonly ListedPage[], batchSize = 3, isComplete = true): ListedPageSource {
  let at = 0;
  return {
    isComplete,
    kept: new Set(),
    next: async () => {
      if (at >= pages.length) return undefined;
      at += batchSize;
      return pages.slice(at - batchSize, at);
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** A page of which only what is given is known. */
export function listed(path: string, facts: Partial<ListedPage> = {}): ListedPage {
  return { path, sizeBytes: undefined, lastModified: undefined, mediaType: undefined, digest: undefined, ...facts };
}

/** Bytes in pieces of a length. */
export async function* inPieces(bytes: Uint8Array | string, length: number): AsyncGenerator<Uint8Array> {
  const whole = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
  for (let at = 0; at < whole.length; at += length) yield whole.subarray(at, at + length);
}

/** A listener that keeps what it is told. */
export function keepEvents(): { readonly events: ExportEvent[]; readonly onEvent: (event: ExportEvent) => void } {
  const events: ExportEvent[] = [];
  return { events, onEvent: (event) => events.push(event) };
}

/** The codes of problems and warnings, in their order. */
export function codesOf(events: readonly ExportEvent[]): string[] {
  return events.flatMap((event) => ("code" in event ? [event.code] : []));
}
