import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import {
  type Change,
  type CrawlEvent,
  type Cursor,
  type EpochSeconds,
  type FetchOutcome,
  type FetchRequest,
  omitUndefined,
  TidemarkError,
} from "../core/index.ts";
import { type ChangeStream, openChangeStream } from "../crawler/index.ts";
import {
  type ArchiveIndex,
  indexFileName,
  maxIndexBytes,
  parseArchiveIndex,
  publishedFolder,
} from "../formats/archive/index.ts";
import { ownProductToken } from "../formats/robots/index.ts";
import { nodeCodec, parseTypes, realTiming } from "../http/index.ts";
import { StoredMerge } from "../storage/index.ts";

/** Changes that a site published. */
export interface ChangeReading extends AsyncDisposable {
  /** Whether no archives lead from the given cursor, so that the changes are a guess. */
  readonly isGuess: boolean;
  /** Where the changes lead to. */
  readonly cursor: Cursor;
  /** Each path once, in path order; can be iterated once. */
  readonly changes: Iterable<Change>;
}

/** A site's own changes, from the archives in its document root. */
export class FolderChanges {
  readonly #docroot: string;
  readonly #origin: string;
  readonly #signal: AbortSignal | undefined;
  readonly #report: (event: CrawlEvent) => void;

  /**
   * @param docroot - folder that the web server shows as the site's root
   * @param site - the origin with `/`
   */
  constructor(
    docroot: string,
    site: string,
    signal: AbortSignal | undefined,
    onWarning: (event: { readonly event: "warning"; readonly code: string; readonly message: string }) => void,
  ) {
    this.#docroot = docroot;
    this.#origin = new URL(site).origin;
    this.#signal = signal;
    this.#report = (event) => {
      if (event.event === "warning") onWarning({ event: "warning", code: event.code, message: event.message });
    };
  }

  /** The newest publication. @throws TidemarkError `no-archives` */
  async readNewest(): Promise<Cursor> {
    const { epoch, publication } = await this.#readIndex();
    return { epoch, publication };
  }

  /**
   * Reads changes after a cursor, or the whole site. If no archives lead from the cursor, the result is a guess: pages
   * modified since its publication. Whole site and guess also contain each deletion that the archives still list.
   */
  async openChanges(after: Cursor | undefined): Promise<ChangeReading> {
    if (after === undefined) return await this.#open({}, false);
    const reading = await this.#open({ cursor: after }, false);
    if (!reading.reset) return reading;
    await reading[Symbol.asyncDispose]();
    // A published last-modified is true: it tells what changed as well as can be known.
    return await this.#open({ since: after.publication }, true);
  }

  async #open(
    from: { cursor?: Cursor; since?: EpochSeconds },
    isGuess: boolean,
  ): Promise<ChangeReading & { readonly reset: boolean }> {
    const merges: StoredMerge[] = [];
    const dispose = async (): Promise<void> => {
      for (const merge of merges.splice(0)) merge[Symbol.dispose]();
    };
    const openMerge = (): StoredMerge => {
      const merge = new StoredMerge();
      merges.push(merge);
      return merge;
    };
    try {
      const { reset, cursor, changes } = await this.#openStream(from, openMerge);
      // Archives have the order of their groups, a base that of last-modified.
      const sorted = openMerge();
      for await (const block of inBlocks(changes, 1000)) sorted.add(block);
      if (from.cursor === undefined) {
        // Read after the pages, so that it leads at least as far.
        const { epoch, completeFrom } = await this.#readIndex();
        const chain = await this.#openStream({ cursor: { epoch, publication: completeFrom } }, openMerge);
        for await (const block of inBlocks(chain.changes, 1000))
          sorted.add(block.filter(({ kind }) => kind === "deleted"));
      }
      return { reset, cursor, isGuess, changes: sorted.changes(), [Symbol.asyncDispose]: dispose };
    } catch (error) {
      await dispose();
      throw error;
    }
  }

  async #openStream(
    from: { cursor?: Cursor; since?: EpochSeconds },
    openMerge: () => StoredMerge,
  ): Promise<ChangeStream> {
    const requests = { get: (request: FetchRequest) => readPublished(this.#docroot, request) };
    return await openChangeStream(
      { requests, codec: nodeCodec, timing: realTiming(), rateLimiter: undefined },
      {
        origin: this.#origin,
        agent: [ownProductToken],
        filter: parseTypes([]),
        ...from,
        ...omitUndefined({ signal: this.#signal }),
        onEvent: this.#report,
      },
      openMerge,
    );
  }

  async #readIndex(): Promise<ArchiveIndex> {
    const path = publishedFolder + indexFileName;
    const request = { origin: this.#origin, path, maxBytes: maxIndexBytes, timeoutMs: 0 };
    const outcome = await readPublished(this.#docroot, request);
    const content = outcome.kind === "fetched" ? nodeCodec.unpack(outcome.body, maxIndexBytes) : undefined;
    const index = content?.ok === true ? parseArchiveIndex(content.value) : undefined;
    if (index?.ok === true) return index.value;
    throw new TidemarkError("no-archives", `There are no archives that can be read: no index at ${path}.`, {
      hint: "Run `tidemark export` first.",
    });
  }
}

const publishedName = /^[A-Za-z0-9_][A-Za-z0-9._+-]{0,250}$/;

/**
 * Answers a request for a site's archives from its document root, without a server. Only files directly in the published
 * folder exist; everything else, robots.txt too, is gone.
 *
 * @returns what a GET would give; a file that cannot be read is a branch of the outcome
 */
export async function readPublished(docroot: string, request: FetchRequest): Promise<FetchOutcome> {
  const { path, maxBytes } = request;
  const name = path.startsWith(publishedFolder) ? path.slice(publishedFolder.length).replaceAll("%2B", "+") : "";
  const gone: FetchOutcome = { kind: "gone", status: 404, receivedBytes: 0, requests: 0 };
  const failed = (reason: "too-large" | "protocol" | "aborted", message: string): FetchOutcome => {
    return { kind: "failed", reason, message, receivedBytes: 0, requests: 0 };
  };
  if (!publishedName.test(name)) return gone;
  if (request.signal?.aborted === true) return failed("aborted", "stopped before the end");
  let handle: FileHandle | undefined;
  try {
    // A pipe in the place of a file must not make us wait.
    handle = await open(join(docroot, publishedFolder, name), constants.O_RDONLY | constants.O_NONBLOCK);
    const status = await handle.stat();
    if (!status.isFile()) return failed("protocol", `${name} is no file`);
    if (status.size > maxBytes) return failed("too-large", `${name} has ${status.size} bytes`);
    const body = Buffer.alloc(status.size);
    let receivedBytes = 0;
    while (receivedBytes < body.length) {
      const { bytesRead } = await handle.read(body, receivedBytes, body.length - receivedBytes, receivedBytes);
      if (bytesRead === 0) return failed("protocol", `${name} became shorter while it was read`);
      receivedBytes += bytesRead;
    }
    const facts = { validators: {}, contentType: undefined, contentEncoding: undefined, cacheControl: undefined };
    return { kind: "fetched", status: 200, receivedBytes, requests: 0, body, finalPath: path, ...facts };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return gone;
    return failed("protocol", `${name} cannot be read: ${(error as Error).message}`);
  } finally {
    await handle?.close();
  }
}

async function* inBlocks(changes: AsyncIterable<Change>, most: number): AsyncGenerator<Change[], void, void> {
  let block: Change[] = [];
  for await (const change of changes) {
    if (block.push(change) < most) continue;
    yield block;
    block = [];
  }
  yield block;
}
