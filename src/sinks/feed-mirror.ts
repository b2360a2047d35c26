import { open } from "node:fs/promises";
import {
  findDisallowedUse,
  formatUsage,
  parseServerUrl,
  TidemarkError,
  type Usage,
  usages,
  wrapSystemError,
} from "../core/index.ts";
import { type CrawlChange, readCrawlChanges } from "../crawler/index.ts";
import { decodeHtml } from "../formats/html/index.ts";
import { findStateFile } from "../storage/index.ts";
import type { PageText } from "./page-text.ts";
import { makeDocuments, type SearchPage } from "./search-document.ts";
import type { FeedPosition, Sink } from "./sink.ts";

/** Pages that are written together; each page's text is held meanwhile. */
const batchPages = 200;
/** Characters of text that are written together. */
const batchCharacters = 4 * 1024 * 1024;
/** Bytes of a page that are read for its text; what is longer is no page that a person reads. */
const readBytes = 4 * 1024 * 1024;

/** Options of {@link feedMirror}. */
export interface FeedMirrorOptions {
  /** Folder of the mirrors (`into` of `crawlSite`), or the state file. */
  readonly store: string;
  /**
   * `sqlite:FILE`, `postgres://user:password@host/database?table=NAME`, or `opensearch+https://host:9200/INDEX`
   * (`elasticsearch+...` is the same).
   */
  readonly to: string;
  /** Cut texts into pieces with stable ids, for embeddings. @default false */
  readonly pieces?: boolean;
  /** Pages of which the site disallows one of these uses are left out, and leave the index. Default: none are. */
  readonly respectUsage?: readonly Usage[];
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: FeedEvent) => void;
}

/** What {@link feedMirror} tells meanwhile. */
export type FeedEvent =
  | { readonly event: "progress"; readonly done: number }
  | { readonly event: "warning"; readonly code: "reset" | "unreadable"; readonly message: string };

/** What a sink was fed with. */
export interface FeedSummary {
  readonly to: string;
  /** Pages whose text the sink has from now on. */
  readonly indexed: number;
  /** Documents of these pages; more than pages where they are cut into pieces. */
  readonly documents: number;
  readonly deleted: number;
  /** Pages that were left out, because the site disallows a use that is respected. */
  readonly disallowed: number;
  /** Pages without text: images, styles, data. Only their title and facts are indexed. */
  readonly withoutText: number;
  /** Whether everything was written anew. */
  readonly reset: boolean;
}

type MutableCounts = { -readonly [K in "indexed" | "documents" | "deleted" | "disallowed" | "withoutText"]: number };

/**
 * Brings a search index to what a crawler's mirror holds: what was created and updated since the last time is written,
 * what was deleted is removed. The sink itself remembers how far it came, with each batch, so a run can be killed at
 * any instant. Memory is a batch.
 *
 * @throws TidemarkError `bad-option`, `not-found`, `locked`, `site-unavailable`, `io`, `aborted`
 */
export async function feedMirror(options: FeedMirrorOptions): Promise<FeedSummary> {
  const { store, to, signal, onEvent } = options;
  const inPieces = options.pieces === true;
  const respected = checkUses(options.respectUsage ?? []);
  const target = parseTarget(to);
  // Before an index is made for nothing.
  findStateFile(store);
  await using sink = await target.open(signal);
  const earlier = await sink.readPosition();
  const [epoch = "", ...uses] = earlier?.epoch.split(" ") ?? [];
  const isAlike = earlier?.inPieces === inPieces && uses.join(" ") === respected.join(" ");
  const cursor = isAlike ? { ...earlier, epoch } : undefined;
  using seen = readCrawlChanges({ store, ...(cursor === undefined ? {} : { cursor }) });
  const reset = earlier !== undefined && (cursor === undefined || seen.reset);
  if (reset) {
    const message = seen.reset ? "the crawler's state is another one" : "pages are chosen or cut in another way";
    onEvent?.({ event: "warning", code: "reset", message: `Everything is written anew: ${message}.` });
    await sink.clear();
  }
  const counts: MutableCounts = { indexed: 0, documents: 0, deleted: 0, disallowed: 0, withoutText: 0 };
  let batch: SearchPage[] = [];
  let characters = 0;
  let done = 0;
  const write = async (number: number): Promise<void> => {
    const position: FeedPosition = { epoch: [seen.cursor.epoch, ...respected].join(" "), number, inPieces };
    await sink.write(batch, position);
    done += batch.length;
    batch = [];
    characters = 0;
    onEvent?.({ event: "progress", done });
  };
  for (const change of seen.changes) {
    stopIfAsked(signal);
    const page = await readSearchPage(change, { inPieces, respected }, counts, onEvent);
    batch.push(page);
    characters += page.documents.reduce((sum, { text }) => sum + text.length, 0);
    if (batch.length >= batchPages || characters >= batchCharacters) await write(change.number);
  }
  stopIfAsked(signal);
  // Changes that cancel each other out move the position too.
  if (batch.length > 0 || reset || cursor?.number !== seen.cursor.number) await write(seen.cursor.number);
  return { to: target.name, ...counts, reset };
}

/** @returns each once, in one order */
function checkUses(uses: readonly Usage[]): Usage[] {
  const unknown = uses.find((use) => !usages.includes(use));
  if (unknown !== undefined)
    throw new TidemarkError("bad-option", `There is no use ${String(unknown)}.`, {
      hint: `There are ${usages.join(", ")}.`,
    });
  return usages.filter((use) => uses.includes(use));
}

function stopIfAsked(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new TidemarkError("aborted", "Stopped; the next run goes on after the last batch.");
}

/** A sink that was named, before it is opened. */
interface Target {
  /** Without a password. */
  readonly name: string;
  readonly open: (signal: AbortSignal | undefined) => Promise<Sink>;
}

/** @throws TidemarkError `bad-option` */
function parseTarget(to: string): Target {
  const file = /^sqlite:(.+)$/.exec(to)?.[1];
  if (file !== undefined)
    return { name: to, open: async () => new (await import("./sqlite-sink.ts")).SqliteSink(file) };
  const search = /^(?:opensearch|elasticsearch)\+(https?:.*)$/.exec(to)?.[1];
  const url = parseServerUrl(search ?? to);
  if (url !== undefined && search !== undefined && /^\/[^/]+\/?$/.test(url.pathname))
    return {
      name: withoutPassword(url),
      open: async (signal) => await (await import("./opensearch-sink.ts")).OpenSearchSink.open(url, signal),
    };
  if (url !== undefined && /^postgres(?:ql)?:$/.test(url.protocol)) {
    const table = url.searchParams.get("table") ?? "page";
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(table))
      throw new TidemarkError("bad-option", `The table ${JSON.stringify(table)}: not a plain name.`, {
        hint: "Use lower-case letters, digits and _, at most 63.",
      });
    url.searchParams.delete("table");
    return {
      name: withoutPassword(url),
      open: async () => await (await import("./postgres-sink.ts")).PostgresSink.open(url, table),
    };
  }
  const shown = JSON.stringify(to.replace(/:\/\/.*@/, "://…@"));
  throw new TidemarkError("bad-option", `${shown} is no search index that can be fed.`, {
    hint: "Write sqlite:FILE, postgres://user@host/database?table=NAME, or opensearch+https://host:9200/INDEX; / # % in a password as %2F %23 %25.",
  });
}

function withoutPassword(url: URL): string {
  const shown = new URL(url);
  shown.password = "";
  return shown.href;
}

async function readSearchPage(
  change: CrawlChange,
  { inPieces, respected }: { readonly inPieces: boolean; readonly respected: readonly Usage[] },
  counts: MutableCounts,
  onEvent: FeedMirrorOptions["onEvent"],
): Promise<SearchPage> {
  const { url, site, kind, page, file, usage = {} } = change;
  if (kind === "deleted" || page === undefined) {
    counts.deleted++;
    return { url, documents: [] };
  }
  if (findDisallowedUse(usage, respected) !== undefined) {
    counts.disallowed++;
    return { url, documents: [] };
  }
  const { mediaType, lastModified, sizeBytes } = page;
  const read = await readText(file, mediaType, change, onEvent);
  if (read === undefined) counts.withoutText++;
  const { title, text, language } = read ?? { title: "", text: "", language: "" };
  const facts = { url, site, mediaType, lastModified, sizeBytes: sizeBytes ?? 0, usage: formatUsage(usage) };
  const documents = makeDocuments({ ...facts, title, text, language }, inPieces);
  counts.indexed++;
  counts.documents += documents.length;
  return { url, documents };
}

const htmlTypes = new Set(["text/html", "application/xhtml+xml"]);
const plainTypes = new Set(["text/plain", "text/markdown", "text/x-rst", "text/org"]);

async function readText(
  file: CrawlChange["file"],
  mediaType: string,
  { url }: CrawlChange,
  onEvent: FeedMirrorOptions["onEvent"],
): Promise<PageText | undefined> {
  const isHtml = htmlTypes.has(mediaType);
  if (!isHtml && !plainTypes.has(mediaType)) return undefined;
  if (file === undefined)
    throw new TidemarkError("bad-option", `The crawler keeps no file of ${url}.`, {
      hint: "Feed from a mirror: crawl with --keep mirror, which is the default.",
      details: { url },
    });
  let content: string;
  try {
    content = await readStart(typeof file === "string" ? file : Buffer.from(file));
  } catch (error) {
    // It may have been removed since; then that is the next change.
    const { message } = wrapSystemError(error, `read the page ${url}`) as Error;
    onEvent?.({ event: "warning", code: "unreadable", message });
    return undefined;
  }
  // The extractor takes a while to load, and many runs find nothing to extract.
  const { readHtmlText, readPlainText } = await import("./page-text.ts");
  return isHtml ? readHtmlText(content) : readPlainText(content);
}

async function readStart(file: string | Buffer): Promise<string> {
  await using handle = await open(file, "r");
  const { size } = await handle.stat();
  const bytes = Buffer.alloc(Math.min(size, readBytes));
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = (await handle.read(bytes, length, bytes.length - length, length)).bytesRead;
  return decodeHtml(bytes.subarray(0, length), undefined).text;
}
