import { type Change, type CrawlEvent, type Cursor, type EpochSeconds, TidemarkError } from "../core/index.ts";
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
import { SiteFolder } from "./site-folder.ts";
import type { ChangeReading, ChangeSource } from "./submission.ts";

type Warning = CrawlEvent & { readonly event: "warning" };

/** A site's own changes, from the archives in its document root. */
export class FolderChanges implements ChangeSource {
  readonly #requests: SiteFolder;
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
    options: { readonly signal?: AbortSignal; readonly onEvent: (event: Omit<Warning, "site">) => void },
  ) {
    this.#requests = new SiteFolder(docroot);
    this.#origin = new URL(site).origin;
    this.#signal = options.signal;
    this.#report = (event) => {
      if (event.event !== "warning") return;
      const { code, message } = event;
      options.onEvent({ event: "warning", code, message });
    };
  }

  /** The newest publication. @throws TidemarkError `no-archives` */
  async readNewest(): Promise<Cursor> {
    const { epoch, publication } = await this.#readIndex();
    return { epoch, publication };
  }

  /**
   * Reads changes after a cursor, or the whole site, in path order. Where no archives lead from the cursor, it gives a guess: pages
   * that were modified since its publication. Whole site and guess hold each deletion that the archives still list, too.
   */
  async openChanges(after: Cursor | undefined): Promise<ChangeReading> {
    if (after === undefined) return await this.#open({}, false);
    const reading = await this.#open({ cursor: after }, false);
    if (!reading.reset) return reading;
    await reading[Symbol.asyncDispose]();
    // Last-modified is true of what is published: it tells what changed as well as can be known.
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
    return await openChangeStream(
      { requests: this.#requests, codec: nodeCodec, timing: realTiming(), rateLimiter: undefined },
      {
        origin: this.#origin,
        agent: [ownProductToken],
        filter: parseTypes([]),
        ...from,
        ...(this.#signal === undefined ? {} : { signal: this.#signal }),
        onEvent: this.#report,
      },
      openMerge,
    );
  }

  async #readIndex(): Promise<ArchiveIndex> {
    const path = publishedFolder + indexFileName;
    const outcome = await this.#requests.get({ origin: this.#origin, path, maxBytes: maxIndexBytes, timeoutMs: 0 });
    const content = outcome.kind === "fetched" ? nodeCodec.unpack(outcome.body, maxIndexBytes) : undefined;
    const index = content?.ok === true ? parseArchiveIndex(content.value) : undefined;
    if (index?.ok === true) return index.value;
    throw new TidemarkError("no-archives", `There are no archives that can be read: no index at ${path}.`, {
      hint: "Run `tidemark export` first.",
    });
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
