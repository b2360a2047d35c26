import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { FetchOutcome, FetchRequest } from "../../../src/core/fetch-outcome.ts";
import { WarcDecoder, type WarcHead } from "../../../src/formats/warc/warc-record.ts";
import { createFetcher, type Fetcher } from "../../../src/http/fetcher.ts";
import { nodeCodec } from "../../../src/http/node-adapters.ts";
import type { SiteStore, SiteWarc } from "../../../src/storage/state/keeping.ts";
import { openStore, type Store } from "../../../src/storage/state/store.ts";

/** A record as it was read back. */
export interface ReadRecord {
  readonly file: string;
  readonly head: WarcHead;
  /** One character a byte. */
  block: string;
}

/** How a site is recorded. */
interface RecordingOptions {
  readonly now?: number;
  readonly maxBytes?: number;
  /** Whom TLS trusts. */
  readonly ca?: string;
}

/** Requests to one site that are recorded, with a store of their own and a clock that the test sets. */
export class RecordedSite implements AsyncDisposable {
  readonly origin: string;
  readonly folder: string;
  readonly store: SiteStore;
  readonly warc: SiteWarc;
  readonly #opened: Store;
  readonly #fetcher: Fetcher;
  now: number;

  private constructor(origin: string, into: string, options: RecordingOptions & { readonly now: number }) {
    this.origin = origin;
    this.now = options.now;
    this.#opened = openStore({ into });
    const { maxBytes } = options;
    const size = maxBytes === undefined ? {} : { maxBytes };
    this.store = this.#opened.openSite(origin, {
      kind: "warc",
      info: { software: "test" },
      clock: () => this.now,
      decode: nodeCodec.decode,
      ...size,
    });
    this.folder = this.store.folder;
    if (this.store.warc === undefined) throw new Error("no WARC files");
    this.warc = this.store.warc;
    const { ca } = options;
    this.#fetcher = createFetcher({ clock: () => this.now, allowPrivate: true, ...(ca === undefined ? {} : { ca }) });
  }

  /** Opens the store, and ends what a killed run left there. */
  static async open(origin: string, into: string, options: RecordingOptions = {}): Promise<RecordedSite> {
    const site = new RecordedSite(origin, into, { now: 1_800_000_000_000, ...options });
    await site.warc.recover();
    return site;
  }

  /** Asks for a path; a day passes. */
  async get(path: string, more: Partial<FetchRequest> = {}): Promise<FetchOutcome> {
    const { origin } = this;
    this.now += 86_400_000;
    const requests = this.warc.recorder.record(this.#fetcher);
    return await requests.get({ origin, path, maxBytes: 1e8, timeoutMs: 20_000, maxRedirects: 3, ...more });
  }

  /** Ends the file that is being written. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#fetcher[Symbol.asyncDispose]();
    await this.warc.recorder.close();
    this.#opened[Symbol.dispose]();
  }

  /** Leaves everything as a killed process does: nothing is closed or made durable. */
  async abandon(): Promise<void> {
    await this.#fetcher[Symbol.asyncDispose]();
    this.#opened[Symbol.dispose]();
  }
}

/** All records of the finished WARC files of a folder. @throws if one is not whole */
export function readRecords(folder: string): ReadRecord[] {
  const records: ReadRecord[] = [];
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith(".warc.gz")) continue;
    const decoder = new WarcDecoder({
      head: (head) => records.push({ file, head, block: "" }),
      block: (piece) => {
        const last = records.at(-1);
        if (last !== undefined) last.block += Buffer.from(piece).toString("latin1");
      },
      end: () => undefined,
    });
    const read = [decoder.push(gunzipSync(readFileSync(join(folder, file)))), decoder.end()];
    for (const result of read) if (!result.ok) throw new Error(`${file}: ${result.error.message}`);
  }
  return records;
}

/** Responses and revisits. */
export function readCaptures(folder: string): ReadRecord[] {
  return readRecords(folder).filter(({ head }) => head.type === "response" || head.type === "revisit");
}
