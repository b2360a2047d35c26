import { type FetchOutcome, ok, type Problem, problem, type Result, type Timing } from "../../core/index.ts";
import {
  type ArchiveEntry,
  type ArchiveIndex,
  escapeArchiveName,
  formatArchiveName,
  indexFileName,
  maxIndexBytes,
  parseArchiveIndex,
  publishedFolder,
} from "../../formats/archive/index.ts";
import { createFetcher, type Fetcher, PoliteRequests, realTiming, unpackArchive } from "../../http/index.ts";
import { contentId } from "../publish/archive-files.ts";

/** Files that are requested at the same time. */
export const requestsAtOnce = 4;

/** How the published site is read. */
export interface PreviousSiteOptions {
  /** The origin at which it is served, with `/`. */
  readonly url: string;
  readonly signal: AbortSignal | undefined;
  /** For each file. @default 60000 */
  readonly timeoutMs?: number;
  readonly timing?: Timing;
}

/** A file as it was received, and what it holds. */
export interface ReceivedFile {
  readonly body: Uint8Array;
  /** Uncompressed, and verified. */
  readonly content: Uint8Array;
}

/** What is published of a site, read from its server. Every file is bounded, and verified against its name. */
export class PreviousSite implements AsyncDisposable {
  readonly #origin: string;
  readonly #timeoutMs: number;
  readonly #fetcher: Fetcher;
  readonly #requests: PoliteRequests;
  #receivedBytes = 0;

  constructor({ url, signal, timeoutMs = 60_000, timing = realTiming() }: PreviousSiteOptions) {
    this.#origin = new URL(url).origin;
    this.#timeoutMs = timeoutMs;
    this.#fetcher = createFetcher({ connections: requestsAtOnce, allowedPrivateOrigins: [url] });
    this.#requests = new PoliteRequests(this.#fetcher, timing, 0, signal);
  }

  /** Bytes received so far. */
  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** @returns a problem `missing` if there is none, `unreachable` if there is no usable response, or what is wrong with it */
  async readIndex(): Promise<Result<ArchiveIndex>> {
    // A cache that has not heard of the last publication would lead back to an earlier one.
    const body = await this.#get(indexFileName, maxIndexBytes, { "cache-control": "no-cache" });
    if (!body.ok) return body;
    const content = unpackArchive(body.value, maxIndexBytes);
    return content.ok ? parseArchiveIndex(content.value) : content;
  }

  /** Reads an archive or a base list. @returns a problem as {@link readIndex}, or `bad-id` if it is not what its name says */
  async readFile(entry: ArchiveEntry, maxBytes: number): Promise<Result<ReceivedFile>> {
    const body = await this.#get(escapeArchiveName(formatArchiveName(entry.name)), maxBytes);
    if (!body.ok) return body;
    const content = unpackArchive(body.value, maxBytes);
    if (!content.ok) return content;
    if (contentId(content.value) !== entry.name.id) return problem("bad-id", "its content does not match its name");
    return ok({ body: body.value, content: content.value });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#fetcher[Symbol.asyncDispose]();
  }

  async #get(
    name: string,
    maxBytes: number,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Result<Uint8Array>> {
    const outcome = await this.#requests.get(() => ({
      origin: this.#origin,
      path: publishedFolder + name,
      maxBytes,
      timeoutMs: this.#timeoutMs,
      maxRedirects: 3,
      headers,
    }));
    if (outcome.kind !== "fetched") return { ok: false, error: problemOf(outcome) };
    this.#receivedBytes += outcome.receivedBytes;
    return ok(outcome.body);
  }
}

function problemOf(outcome: Exclude<FetchOutcome, { kind: "fetched" }>): Problem {
  if (outcome.kind === "failed") {
    const { reason, message } = outcome;
    return { code: reason === "too-large" ? reason : "unreachable", message };
  }
  const message = `the server answered ${outcome.status}`;
  return { code: outcome.kind === "gone" ? "missing" : "unreachable", message };
}
