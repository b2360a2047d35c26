import type { FetchOutcome, FetchRequest, Requests } from "../../core/index.ts";
import { Capture } from "./warc-capture.ts";
import type { PausedWarc, WarcFiles } from "./warc-files.ts";
import type { HeldPayload, WarcMemory } from "./warc-memory.ts";

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const maxPending = 20_000;

/**
 * Writes every request and its answer into WARC files, on its way to who asked. What came of a failed download is no
 * capture and is not written.
 */
export class WarcRecorder {
  readonly #files: WarcFiles;
  readonly #memory: WarcMemory;
  /** The last of those who want the files. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(files: WarcFiles, memory: WarcMemory) {
    this.#files = files;
    this.#memory = memory;
  }

  /** Requests that are sent as `sender` does, and recorded; an outcome is given once its records are written. */
  record(sender: Requests): Requests {
    return { get: async (request) => await this.#get(sender, request) };
  }

  /** Makes everything that was recorded durable, and then what is remembered of it. */
  async flush(): Promise<void> {
    await this.#enqueue(async () => await this.#flush());
  }

  /** Ends the file that is being written. @returns how many files were finished */
  async close(): Promise<number> {
    return await this.#enqueue(async () => {
      await this.#flush();
      await this.#files.close();
      return this.#files.finished;
    });
  }

  /** Leaves the file that is being written to be gone on with, see {@link WarcFiles.pause}. */
  async pause(): Promise<PausedWarc | undefined> {
    return await this.#enqueue(async () => {
      await this.#flush();
      return await this.#files.pause();
    });
  }

  async #get(sender: Requests, asked: FetchRequest): Promise<FetchOutcome> {
    const { validators, ...whole } = asked;
    const held = validators === undefined ? undefined : this.#memory.find(asked.origin + asked.path);
    const request = held !== undefined && canBeRevisited(held) ? asked : whole;
    const captures: Capture[] = [];
    try {
      const outcome = await sender.get({
        ...request,
        onExchange: (exchange) => {
          const capture = new Capture(exchange, () => this.#files.newTemporary());
          captures.push(capture);
          return capture;
        },
      });
      for (const capture of captures) capture.throwFailure();
      const worthy = captures.filter((capture, at) => isCapture(capture, at === captures.length - 1, outcome));
      if (worthy.length > 0) await this.#enqueue(async () => await this.#write(worthy));
      return outcome;
    } finally {
      for (const capture of captures) capture.discard();
    }
  }

  async #write(captures: readonly Capture[]): Promise<void> {
    for (const capture of captures) {
      const { records, payload, replaced, original } = capture.plan(
        (url) => this.#memory.find(url),
        (digest, fields) => this.#memory.findPayload(digest, fields),
      );
      // Of what is in a finished file everything is remembered.
      if (this.#files.isFull) await this.#flush();
      const [place] = await this.#files.append(records);
      if (payload === undefined || place === undefined) continue;
      const { file, offset } = original ?? place;
      this.#memory.remember({ ...payload, file, offset }, replaced);
    }
    if (this.#memory.pendingCount >= maxPending) await this.#flush();
  }

  async #flush(): Promise<void> {
    await this.#files.flush();
    this.#memory.commit();
  }

  async #enqueue<T>(act: () => Promise<T>): Promise<T> {
    const queued = this.#queue.then(act);
    this.#queue = queued.catch(() => undefined);
    return await queued;
  }
}

/**
 * Whether the page can be replayed from what a revisit of it would refer to. An empty page is asked for whole, which costs
 * nothing: replay tools do not look for what a revisit of one refers to. Nor can it be another URL's, if that may be shown
 * in another way.
 */
function canBeRevisited({ sizeBytes, url, target, fields }: HeldPayload): boolean {
  return sizeBytes > 0 && (url === target || fields !== undefined);
}

function isCapture({ exchange, isWhole }: Capture, isLast: boolean, outcome: FetchOutcome): boolean {
  const { status } = exchange;
  if (isLast && outcome.kind === "failed" && !redirects.has(status)) return false;
  // Of bodies that no outcome carries, as much is kept as came.
  return isWhole || (status !== 200 && status !== 206);
}
