import { setTimeout as delay } from "node:timers/promises";
import { request } from "undici";
import { TidemarkError } from "../core/index.ts";
import type { SearchDocument, SearchPage } from "./search-document.ts";
import type { FeedPosition, Sink } from "./sink.ts";

/** Bytes of one bulk request; OpenSearch takes 100 MiB, and advises 5 to 15. */
const bulkBytes = 8 * 1024 * 1024;
/** Times in milliseconds that are waited before a request is tried again that the server had no room for. */
const waits = [250, 500, 1000, 2000, 4000, 8000];
const busy = new Set([429, 502, 503, 504]);
const answerTimeoutMs = 120_000;
/** Documents that one request deletes: it is answered when they are gone, and not too late. */
const mostDeleted = 50_000;

const keyword = { type: "keyword", ignore_above: 8191 };
const mapping = {
  dynamic: true,
  properties: {
    url: { type: "keyword" },
    site: keyword,
    title: { type: "text" },
    text: { type: "text" },
    language: keyword,
    mediaType: keyword,
    lastModified: { type: "date", format: "epoch_second" },
    sizeBytes: { type: "long" },
    piece: { type: "integer" },
    usage: keyword,
  },
};

/** The answer to a deletion by query, as far as it is read. */
interface DeletionAnswer {
  readonly deleted?: number;
  /** Documents that somebody else changed meanwhile, and that stay. */
  readonly version_conflicts?: number;
  readonly failures?: readonly { readonly status?: number; readonly cause?: { readonly reason?: string } }[];
}

interface BulkAnswer {
  readonly items?: readonly Readonly<
    Record<string, { readonly status: number; readonly error?: { reason?: string } }>
  >[];
}

/**
 * An index of OpenSearch or Elasticsearch. The position is in the mapping's `_meta`; a document that is written again
 * after a kill is the same.
 */
export class OpenSearchSink implements Sink {
  readonly #index: string;
  readonly #where: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #signal: AbortSignal | undefined;

  private constructor(url: URL, signal: AbortSignal | undefined) {
    const { origin, pathname, username, password } = url;
    this.#index = origin + pathname.replace(/\/+$/, "");
    this.#where = this.#index;
    this.#signal = signal;
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#headers = username === "" ? {} : { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
  }

  /**
   * Makes the index if it is not there; one that somebody made is given the fields that it lacks.
   *
   * @param url - of the index: `https://user:password@host:9200/pages`
   * @throws TidemarkError `site-unavailable` if the server cannot be used, `bad-option` if pages could not be found by their URLs
   */
  static async open(url: URL, signal?: AbortSignal): Promise<OpenSearchSink> {
    const sink = new OpenSearchSink(url, signal);
    const found = await sink.#readMapping();
    if (found === undefined) await sink.#send("PUT", "", { mappings: mapping });
    else await sink.#addFields(found.properties ?? {});
    return sink;
  }

  async readPosition(): Promise<FeedPosition | undefined> {
    return (await this.#readMapping())?._meta?.tidemark;
  }

  async clear(): Promise<void> {
    // Not the index, which may have settings and fields of somebody else. The position goes last: until then it tells of another feed.
    await this.#send("POST", "/_refresh");
    await this.#delete({ query: { match_all: {} } });
    await this.#send("PUT", "/_mapping", { _meta: {} });
  }

  async write(pages: readonly SearchPage[], position: FeedPosition): Promise<void> {
    const documents = pages.flatMap((page) => page.documents);
    for (let lines: string[] = [], length = 0, at = 0; at < documents.length; at++) {
      const document = documents[at];
      if (document === undefined) break;
      const line = formatUpdate(document);
      lines.push(line);
      length += line.length;
      if (length < bulkBytes && at + 1 < documents.length) continue;
      await this.#bulk(lines);
      lines = [];
      length = 0;
    }
    const urls = pages.map(({ url }) => url);
    const filter = [{ terms: { url: urls } }];
    const must_not = [{ ids: { values: documents.map(({ id }) => id) } }];
    await this.#send("POST", "/_refresh");
    if (urls.length > 0) await this.#delete({ query: { bool: { filter, must_not } } });
    await this.#send("PUT", "/_mapping", { _meta: { tidemark: position } });
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** @returns undefined if there is no index */
  async #readMapping(): Promise<IndexMapping | undefined> {
    const found = (await this.#send("GET", "/_mapping", undefined, [404])) as
      | Readonly<Record<string, { readonly mappings?: IndexMapping }>>
      | undefined;
    return found === undefined ? undefined : (Object.values(found)[0]?.mappings ?? {});
  }

  async #addFields(known: NonNullable<IndexMapping["properties"]>): Promise<void> {
    const type = known.url?.type ?? "keyword";
    if (type !== "keyword")
      throw new TidemarkError("bad-option", `The field url of ${this.#where} is of type ${type}, not keyword.`, {
        hint: "Name another index, or make one with a field url of type keyword: pages that change are found by it.",
        details: { server: this.#where },
      });
    const missing = Object.entries(mapping.properties).filter(([name]) => known[name] === undefined);
    if (missing.length > 0) await this.#send("PUT", "/_mapping", { properties: Object.fromEntries(missing) });
  }

  /** Sends lines of documents; those that the server has no room for come again. */
  async #bulk(documents: readonly string[]): Promise<void> {
    let left = documents;
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt > 0) await this.#pause(attempt - 1);
      const { items = [] } = (await this.#send("POST", "/_bulk", left.join(""))) as BulkAnswer;
      left = left.filter((_, at) => {
        const [{ status, error } = { status: 0 }] = Object.values(items[at] ?? {});
        if (status >= 200 && status < 300) return false;
        if (busy.has(status) && attempt < waits.length) return true;
        throw this.#refused(status, error?.reason ?? "a document was not taken");
      });
    }
  }

  /** Deletes what a query finds, also what somebody else changes meanwhile. */
  async #delete(query: object): Promise<void> {
    const path = `/_delete_by_query?conflicts=proceed&refresh=true&max_docs=${mostDeleted}`;
    for (let attempt = 0; ; ) {
      const {
        deleted = 0,
        version_conflicts = 0,
        failures: [failure] = [],
      } = (await this.#send("POST", path, query)) as DeletionAnswer;
      if (version_conflicts === 0 && failure === undefined) {
        if (deleted < mostDeleted) return;
        continue;
      }
      if (attempt >= waits.length)
        throw this.#refused(
          failure?.status ?? 409,
          failure?.cause?.reason ?? "documents change while they are deleted",
        );
      await this.#pause(attempt++);
      await this.#send("POST", "/_refresh");
    }
  }

  async #pause(attempt: number): Promise<void> {
    await delay(waits[attempt], undefined, this.#signal === undefined ? {} : { signal: this.#signal });
  }

  /** @returns the answer; undefined for a status of `expected` */
  async #send(
    method: "GET" | "PUT" | "POST" | "DELETE",
    path: string,
    body?: object | string,
    expected: number[] = [],
  ) {
    const isLines = typeof body === "string";
    const type = isLines ? "application/x-ndjson" : "application/json";
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#try(method, path, isLines ? body : body && JSON.stringify(body), type);
      if (answer.status < 300) return this.#parse(answer);
      if (expected.includes(answer.status)) return undefined;
      if (!busy.has(answer.status) || attempt >= waits.length)
        throw this.#refused(answer.status, answer.text.slice(0, 300));
      await this.#pause(attempt);
    }
  }

  async #try(method: "GET" | "PUT" | "POST" | "DELETE", path: string, body: string | undefined, type: string) {
    try {
      const { statusCode, body: answer } = await request(this.#index + path, {
        method,
        headers: { ...this.#headers, ...(body === undefined ? {} : { "content-type": type }) },
        body: body ?? null,
        headersTimeout: answerTimeoutMs,
        bodyTimeout: answerTimeoutMs,
        ...(this.#signal === undefined ? {} : { signal: this.#signal }),
      });
      return { status: statusCode, text: await answer.text() };
    } catch (error) {
      this.#signal?.throwIfAborted();
      throw this.#refused(0, (error as Error).message || String((error as { code?: unknown }).code), error);
    }
  }

  #parse({ status, text }: { readonly status: number; readonly text: string }): unknown {
    try {
      return JSON.parse(text || "{}");
    } catch (error) {
      throw this.#refused(status, "the answer is no JSON, as if another server stood there", error);
    }
  }

  #refused(status: number, why: string, cause?: unknown): TidemarkError {
    const answer = status === 0 ? "" : ` answered ${status}`;
    return new TidemarkError("site-unavailable", `${this.#where}${answer}: ${why}`, {
      hint: "Look at the server and its log; run the same command again: it goes on where it stopped.",
      details: { server: this.#where, status },
      cause,
    });
  }
}

interface IndexMapping {
  readonly _meta?: { readonly tidemark?: FeedPosition };
  readonly properties?: Readonly<Record<string, { readonly type?: string }>>;
}

/** An update, not an index: what others added to the document, such as an embedding, stays. */
function formatUpdate({ id, usage, ...document }: SearchDocument): string {
  // Each preference is a term of its own.
  const doc = { ...document, usage: usage === "" ? [] : usage.split(", ") };
  return `${JSON.stringify({ update: { _id: id, retry_on_conflict: 3 } })}\n${JSON.stringify({ doc, doc_as_upsert: true })}\n`;
}
