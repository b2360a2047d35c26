import { createHash } from "node:crypto";
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { TidemarkError, wrapSystemError } from "../../core/index.ts";
import { writeWhole } from "../../fs/index.ts";
import type { Connection } from "../sqlite/database.ts";
import { inDatabase, wrapDatabaseError } from "../sqlite/database-error.ts";
import { openState } from "./open-state.ts";
import { migrations } from "./schema.ts";
import { type NumberedChange, readNewestNumber, readSeenEvents } from "./seen-changes.ts";
import { Store } from "./store.ts";

/** The version of the schema of a state. */
export const stateVersion: number = migrations.length;

/** A block is a piece of the file, so that a few changed pages do not move all of a large state. */
const blockBytes = 32 * 1024;

/** A compressed piece of a state's file. */
export interface FileBlock {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** What changed since the state was loaded, or its changes were taken. */
export interface FileChanges {
  /** Of the whole file. */
  readonly blocks: number;
  readonly changed: readonly FileBlock[];
  /** Marks them as kept elsewhere. */
  readonly settle: () => void;
}

export interface SiteFileOptions {
  /** Folder of the files of states; whoever opens it holds it alone. */
  readonly folder: string;
  /** Names the file. */
  readonly site: number;
}

/**
 * The state of one site in a file of its own, which lies elsewhere in blocks and comes and goes with the lease of the site. It is a copy:
 * nothing of it is synced to the disk, and a power cut loses it. Bodies are kept elsewhere.
 */
export class SiteFile implements Disposable {
  readonly #file: string;
  readonly #temporary: string;
  readonly #folder: string;
  #connection: Connection | undefined;
  #store: Store | undefined;
  /** Digests of the blocks as they are kept elsewhere. */
  #kept: string[] = [];

  constructor({ folder, site }: SiteFileOptions) {
    this.#folder = folder;
    this.#file = join(folder, `${site}.db`);
    this.#temporary = join(folder, `${site}.tmp`);
  }

  /** Replaces the state by blocks in their order; by an empty one if there are none. @throws TidemarkError `state-corrupt` */
  load(blocks: readonly FileBlock[]): void {
    this[Symbol.dispose]();
    try {
      mkdirSync(this.#folder, { recursive: true });
      if (blocks.length === 0) {
        copyFileSync(emptyStateIn(this.#folder), this.#file);
        this.#kept = [];
        return;
      }
      const pieces = blocks.map(({ number, bytes }, at) => this.#unpack(number, at, bytes));
      const file = openSync(this.#file, "w");
      try {
        for (const piece of pieces) writeWhole(file, piece);
      } finally {
        closeSync(file);
      }
      this.#kept = pieces.map(digestOf);
    } catch (error) {
      throw wrapSystemError(error, `write ${this.#file}`, { file: this.#file });
    }
  }

  #unpack(number: number, at: number, bytes: Uint8Array): Uint8Array {
    try {
      if (number === at) return inflateRawSync(bytes, { maxOutputLength: blockBytes });
    } catch {
      // As a block that is missing.
    }
    throw new TidemarkError("state-corrupt", `Block ${at} of the state of a site is missing or damaged.`, {
      hint: "Remove the site from the fleet's database and add it again: it is crawled anew.",
      details: { block: at, file: this.#file },
    });
  }

  /** The state, open. */
  get store(): Store {
    if (this.#store !== undefined) return this.#store;
    this.#connection = openState(this.#file, "copy");
    this.#store = new Store(this.#folder, this.#file, this.#temporary, [], this.#connection);
    return this.#store;
  }

  /** The number of the newest change of a page. */
  get newestChange(): number {
    void this.store;
    return inDatabase(this.#file, () => readNewestNumber(this.#connection as Connection));
  }

  /** What happened to pages after a change, each page once. */
  *changesAfter(number: number): Generator<NumberedChange, void, void> {
    void this.store;
    try {
      yield* readSeenEvents(this.#connection as Connection, number);
    } catch (error) {
      throw wrapDatabaseError(error, this.#file);
    }
  }

  /** The blocks that differ from what is kept elsewhere. Between two transactions only. O(the file). */
  changes(): FileChanges {
    const digests: string[] = [];
    const changed: FileBlock[] = [];
    const file = openSync(this.#file, "r");
    try {
      const { size } = statSync(this.#file);
      const block = Buffer.alloc(blockBytes);
      for (let number = 0; number * blockBytes < size; number++) {
        const piece = block.subarray(0, readSync(file, block, 0, blockBytes, number * blockBytes));
        const digest = digestOf(piece);
        digests.push(digest);
        if (digest !== this.#kept[number]) changed.push({ number, bytes: deflateRawSync(piece, { level: 1 }) });
      }
    } finally {
      closeSync(file);
    }
    const settle = (): void => {
      this.#kept = digests;
    };
    return { blocks: digests.length, changed, settle };
  }

  /** Closes the state; the file stays. */
  [Symbol.dispose](): void {
    this.#store?.[Symbol.dispose]();
    this.#store = undefined;
    this.#connection = undefined;
  }

  /** Closes the state and removes the file. */
  remove(): void {
    this[Symbol.dispose]();
    rmSync(this.#file, { force: true });
  }
}

function digestOf(piece: Uint8Array): string {
  return createHash("sha1").update(piece).digest("base64url");
}

/** To make a state's tables anew for each site would take longer than a visit. */
function emptyStateIn(folder: string): string {
  const file = join(folder, "empty.db");
  if (!existsSync(file)) openState(file, "copy").close();
  return file;
}
