import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { type EntryFailure, type FolderListing, type Location, listFolder } from "./folder-listing.ts";
import { type PackedListing, unpackListing } from "./listing-codec.ts";

/** What a thread is asked. */
export interface ListingTask {
  readonly key: string;
  readonly location: Location;
  readonly rootRealPath: string;
}

/** What a thread answers. */
export type ListingAnswer =
  | { readonly key: string; readonly listing: PackedListing }
  | { readonly key: string; readonly failure: EntryFailure };

interface Flight {
  answer: ListingAnswer | undefined;
  readonly settled: Promise<ListingAnswer>;
}

/** Threads begin when this many folders wait: a small site is listed before a thread has started. */
const foldersWorthThreads = 64;
const maxThreads = 2;
/** Folders under way a thread, so that none is idle while its answer travels. */
const tasksAThread = 4;
/** Listings, and entries in them, that may wait to be taken. */
const maxWaitingFolders = 512;
const maxWaitingEntries = 100_000;

/**
 * Lists folders ahead of a walk in other threads: `lstat` of each file is most of a scan's time. Whatever no thread has begun when the walk needs it is listed on the spot.
 */
export class FolderLister implements AsyncDisposable {
  readonly #rootRealPath: string;
  /** Folders to come, the next one last. */
  readonly #queue: ListingTask[] = [];
  readonly #flights = new Map<string, Flight & { readonly resolve: (answer: ListingAnswer) => void }>();
  readonly #workers: { readonly worker: Worker; busy: number }[] = [];
  #waitingEntries = 0;

  /** @param rootRealPath - the document root without links, one character a byte */
  constructor(rootRealPath: string) {
    this.#rootRealPath = rootRealPath;
  }

  /** Says which folders the walk will need next, in its order; they come before all that were named earlier. */
  expect(folders: readonly { readonly key: string; readonly location: Location }[]): void {
    for (const { key, location } of [...folders].reverse())
      this.#queue.push({ key, location, rootRealPath: this.#rootRealPath });
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
    const answer = flight.answer ?? (await flight.settled);
    this.#flights.delete(key);
    if ("failure" in answer) throw Object.assign(new Error(answer.failure.message), { code: answer.failure.code });
    this.#waitingEntries -= answer.listing.kinds.length;
    this.#dispatch();
    return unpackListing(answer.listing);
  }

  /** Ends the threads. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.splice(0).map(({ worker }) => worker.terminate()));
  }

  #start(): void {
    // The walk's own thread is busy as well.
    const threads = Math.max(1, Math.min(maxThreads, availableParallelism() - 1));
    for (let count = 0; count < threads; count++) {
      const worker = new Worker(new URL("./listing-worker.js", import.meta.url), {
        resourceLimits: { maxYoungGenerationSizeMb: 8 },
      });
      const slot = { worker, busy: 0 };
      worker.on("message", (answer: ListingAnswer) => {
        slot.busy -= 1;
        this.#settle(answer);
      });
      // A thread that dies takes no folder with it: the walk lists what it had.
      worker.on("error", () => this.#abandon());
      this.#workers.push(slot);
    }
  }

  #settle(answer: ListingAnswer): void {
    const flight = this.#flights.get(answer.key);
    if (flight === undefined) return;
    flight.answer = answer;
    if ("listing" in answer) this.#waitingEntries += answer.listing.kinds.length;
    flight.resolve(answer);
    this.#dispatch();
  }

  #abandon(): void {
    for (const { worker } of this.#workers) worker.removeAllListeners("message");
    for (const [key, flight] of this.#flights) {
      if (flight.answer === undefined)
        flight.resolve({ key, failure: { code: "EAGAIN", message: "a scanning thread died" } });
    }
    this.#queue.length = 0;
  }

  #dispatch(): void {
    while (
      this.#queue.length > 0 &&
      this.#flights.size < maxWaitingFolders &&
      this.#waitingEntries < maxWaitingEntries
    ) {
      const slot = this.#workers.reduce(
        (least, other) => (other.busy < least.busy ? other : least),
        this.#workers[0] ?? { worker: undefined, busy: tasksAThread },
      );
      if (slot.worker === undefined || slot.busy >= tasksAThread) return;
      const task = this.#queue.pop();
      if (task === undefined) return;
      let resolve: (answer: ListingAnswer) => void = () => undefined;
      const settled = new Promise<ListingAnswer>((done) => {
        resolve = done;
      });
      this.#flights.set(task.key, { answer: undefined, settled, resolve });
      slot.busy += 1;
      slot.worker.postMessage(task);
    }
  }
}
