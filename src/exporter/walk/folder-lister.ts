import { availableParallelism } from "node:os";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { type EntryFailure, type FolderListing, type Location, listFolder } from "./folder-listing.ts";

export interface ListingTask {
  readonly key: string;
  readonly location: Location;
}

/** What a thread answers; first of all, that it is ready. */
export type ListingAnswer =
  | { readonly isReady: true }
  | { readonly key: string; readonly listing: PackedListing }
  | { readonly key: string; readonly failure: EntryFailure };

/** A listing on its way between threads: one text instead of many, and columns whose memory moves over. */
export interface PackedListing extends Omit<FolderListing, "segments"> {
  /** Segments, `/` between; no segment holds one. */
  readonly text: string;
}

export function packListing({ segments, ...columns }: FolderListing): PackedListing {
  return { ...columns, text: segments.join("/") };
}

function unpackListing({ text, ...columns }: PackedListing): FolderListing {
  return { ...columns, segments: columns.kinds.length === 0 ? [] : text.split("/") };
}

type Listed = { readonly listing: FolderListing } | { readonly failure: EntryFailure };

interface Flight {
  readonly task: ListingTask;
  listed: Listed | undefined;
  readonly settled: Promise<Listed>;
  readonly resolve: (listed: Listed) => void;
}

interface ListingThread {
  readonly worker: Worker;
  busy: number;
  isReady: boolean;
}

/** Threads begin when this many folders wait: a small site is listed before a thread has started. */
const foldersWorthThreads = 64;
const maxThreads = 2;
/** Folders under way a thread, so that none is idle while the walk's own thread is busy with a batch. */
const tasksAThread = 16;
/** Listings, and entries in them, that may wait to be taken. */
const maxWaitingFolders = 512;
const maxWaitingEntries = 100_000;

/**
 * Lists folders ahead of a walk in other threads: `lstat` of each file is most of a scan's time. What
 * no thread has begun when the walk needs it is listed on the spot, and instead of waiting for a
 * thread the walk's own lists what comes next.
 */
export class FolderLister implements AsyncDisposable {
  readonly #rootRealPath: string;
  /** Folders to come, the next one last. */
  readonly #queue: ListingTask[] = [];
  readonly #flights = new Map<string, Flight>();
  readonly #workers: ListingThread[] = [];
  #waitingEntries = 0;

  /** @param rootRealPath - the document root without links, one character a byte */
  constructor(rootRealPath: string) {
    this.#rootRealPath = rootRealPath;
  }

  /** Says which folders the walk will need next, in its order; they come before all that were named earlier. */
  expect(folders: readonly ListingTask[]): void {
    for (const folder of folders.toReversed()) this.#queue.push(folder);
    if (this.#workers.length === 0 && this.#queue.length >= foldersWorthThreads) this.#start();
    this.#dispatch();
  }

  /** Gives a folder's entries in path order. Throws what the file system throws. */
  async list(key: string, location: Location): Promise<FolderListing> {
    const flight = this.#flights.get(key);
    if (flight === undefined) {
      // In path order, the folder that is needed is the next of the queue, if it is in it.
      if (this.#queue.at(-1)?.key === key) this.#queue.pop();
      return listFolder(location, this.#rootRealPath);
    }
    const listed = await this.#helpUntil(flight);
    this.#flights.delete(key);
    if ("failure" in listed) throw Object.assign(new Error(listed.failure.message), { code: listed.failure.code });
    this.#waitingEntries -= listed.listing.kinds.length;
    this.#dispatch();
    return listed.listing;
  }

  async #helpUntil(flight: Flight): Promise<Listed> {
    while (flight.listed === undefined) {
      const task = this.#waitingEntries < maxWaitingEntries ? this.#queue.pop() : undefined;
      if (task === undefined) return await flight.settled;
      this.#takeOff(task);
      this.#settle(task.key, this.#listHere(task));
      await yieldToEventLoop();
    }
    return flight.listed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.splice(0).map(({ worker }) => worker.terminate()));
  }

  #start(): void {
    // The walk's own thread is busy as well.
    const threads = Math.max(1, Math.min(maxThreads, availableParallelism() - 1));
    for (let count = 0; count < threads; count++) {
      const worker = new Worker(new URL("./listing-worker.js", import.meta.url), {
        workerData: this.#rootRealPath,
        resourceLimits: { maxYoungGenerationSizeMb: 8 },
      });
      const slot = { worker, busy: 0, isReady: false };
      worker.on("message", (answer: ListingAnswer) => {
        if ("isReady" in answer) {
          // Until now the walk would have waited for folders that it could list itself.
          slot.isReady = true;
          this.#dispatch();
          return;
        }
        slot.busy -= 1;
        const { key } = answer;
        this.#settle(key, "listing" in answer ? { listing: unpackListing(answer.listing) } : answer);
        this.#dispatch();
      });
      // A thread that dies takes no folder with it: the walk lists what it had.
      worker.on("error", () => this.#abandon());
      this.#workers.push(slot);
    }
  }

  #settle(key: string, listed: Listed): void {
    const flight = this.#flights.get(key);
    if (flight === undefined) return;
    flight.listed = listed;
    if ("listing" in listed) this.#waitingEntries += listed.listing.kinds.length;
    flight.resolve(listed);
  }

  #takeOff(task: ListingTask): void {
    let resolve: (listed: Listed) => void = () => undefined;
    const settled = new Promise<Listed>((done) => {
      resolve = done;
    });
    this.#flights.set(task.key, { task, listed: undefined, settled, resolve });
  }

  #abandon(): void {
    for (const { worker } of this.#workers.splice(0)) {
      worker.removeAllListeners("message");
      void worker.terminate();
    }
    for (const { task, listed } of [...this.#flights.values()])
      if (listed === undefined) this.#settle(task.key, this.#listHere(task));
  }

  #dispatch(): void {
    while (this.#flights.size < maxWaitingFolders && this.#waitingEntries < maxWaitingEntries) {
      let slot: ListingThread | undefined;
      for (const one of this.#workers) if (one.isReady && one.busy < (slot?.busy ?? tasksAThread)) slot = one;
      if (slot === undefined) return;
      const task = this.#queue.pop();
      if (task === undefined) return;
      this.#takeOff(task);
      slot.busy += 1;
      slot.worker.postMessage(task);
    }
  }

  #listHere({ location }: ListingTask): Listed {
    try {
      return { listing: listFolder(location, this.#rootRealPath) };
    } catch (error) {
      const { code = "unknown", message } = error as NodeJS.ErrnoException;
      return { failure: { code, message } };
    }
  }
}
