import { availableParallelism } from "node:os";
import { TidemarkError } from "../../core/index.ts";
import type { ContentRules } from "../../formats/html/index.ts";
import type { ScannedFile } from "../walk/scanned-file.ts";
import { DigestThread } from "./digest-thread.ts";
import { bytesPerSlice, type FileDigest, FileDigester, type FileDigesterOptions } from "./file-digest.ts";

export interface DigestPoolOptions extends Pick<FileDigesterOptions, "findsNoindex" | "includes"> {
  /** What of the bytes counts; undefined if all do. */
  readonly rules?: ContentRules | undefined;
  /** Bytes that are read from files a second at most; a file counts 4 KiB at least. Default no limit. */
  readonly ioLimitBytesPerSecond?: number | undefined;
  /** Threads that read; default one less than processors, 1 to 4. With a limit there is one. */
  readonly threads?: number | undefined;
  /** Files at a time that are worth the start of threads. @default 512 */
  readonly filesWorthThreads?: number | undefined;
  /** How long the rules may look at one page, in milliseconds. @default 5000 */
  readonly examineLimitMs?: number | undefined;
  /** Memory that a thread may use, in MiB; a page whose tree needs more counts whole. @default 256 */
  readonly threadMemoryMiB?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Chunk {
  readonly files: readonly ScannedFile[];
  readonly troubles: Map<number, string>;
  deaths: number;
  /** Undefined asks for the files to be read in the thread that wants them. */
  readonly settle: (digests: FileDigest[] | undefined) => void;
  readonly fail: (error: Error) => void;
}

interface Slot {
  readonly thread: DigestThread;
  /** What it was sent, in order: the first is under way. */
  readonly chunks: Chunk[];
  /** What it was at when it was stopped for being slow. */
  slow: { readonly chunk: Chunk; readonly file: number; readonly pattern: number } | undefined;
}

const maxThreads = 4;
/** Two, so that a thread is not idle while its answer travels. */
const chunksAThread = 2;
const maxChunkFiles = 128;
const maxChunkBytes = 8 * 1024 * 1024;
const bytesWorthThreads = 64 * 1024 * 1024;
/** Threads that may end without being asked to. */
const maxEnds = 8;
/** Pages that may be too much for the rules in one run. */
const maxPagesInTrouble = 8;

/**
 * Reads and digests files by threads, so that the event loop stays free. A few files are read in the
 * caller's own thread unless there are rules of content or a limit: the rules run where they can be
 * stopped.
 *
 * A page that the rules take too long for is digested whole, and says so; after
 * {@link maxPagesInTrouble} of them the run ends. What a thread that died had under way is read again.
 */
export class DigestPool implements AsyncDisposable {
  readonly #options: DigestPoolOptions;
  readonly #digester: FileDigester;
  readonly #queue: Chunk[] = [];
  readonly #slots = new Set<Slot>();
  readonly #onAbort = () => this.#fail(new TidemarkError("aborted", "Stopped before anything was published."));
  #watcher: NodeJS.Timeout | undefined;
  #failure: Error | undefined;
  #ends = 0;
  #pagesInTrouble = 0;

  constructor(options: DigestPoolOptions = {}) {
    this.#options = options;
    this.#digester = new FileDigester(options);
    options.signal?.addEventListener("abort", this.#onAbort);
    if (options.signal?.aborted === true) this.#onAbort();
  }

  /**
   * Digests files. Memory is that of the files' list and their digests.
   *
   * @param pause - awaited now and then while files are read in the caller's thread; may throw
   * @returns a digest a file, in their order
   * @throws TidemarkError `aborted`; `bad-option` if a pattern is too slow for too many pages; `io` if
   *   the threads that rules need do not live
   */
  async digestAll(files: readonly ScannedFile[], pause: () => Promise<void>): Promise<FileDigest[]> {
    if (this.#failure !== undefined) throw this.#failure;
    if (!this.#wantsThreads(files)) return await this.#digestHere(files, pause);
    const chunks = cutChunks(files);
    const settled = chunks.map(
      (chunk) =>
        new Promise<FileDigest[] | undefined>((settle, fail) => {
          this.#queue.push({ files: chunk, troubles: new Map(), deaths: 0, settle, fail });
        }),
    );
    this.#dispatch();
    const digests: FileDigest[] = [];
    for (const [at, part] of (await Promise.all(settled)).entries())
      digests.push(...(part ?? (await this.#digestHere(chunks[at] ?? [], pause))));
    return digests;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    this.#fail(new TidemarkError("aborted", "The threads that read files were ended."));
    clearInterval(this.#watcher);
    const slots = [...this.#slots];
    this.#slots.clear();
    await Promise.all(slots.map(({ thread }) => thread[Symbol.asyncDispose]()));
  }

  #wantsThreads(files: readonly ScannedFile[]): boolean {
    const { rules, ioLimitBytesPerSecond, filesWorthThreads = 512 } = this.#options;
    if (files.length === 0) return false;
    if (ioLimitBytesPerSecond !== undefined) return true;
    if (rules !== undefined && files.some(({ mediaType }) => rules.appliesTo(mediaType))) return true;
    if (this.#ends >= maxEnds) return false;
    if (files.length >= filesWorthThreads) return true;
    return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) >= bytesWorthThreads;
  }

  async #digestHere(files: readonly ScannedFile[], pause: () => Promise<void>): Promise<FileDigest[]> {
    const digests: FileDigest[] = [];
    let bytesRead = 0;
    for (const file of files) {
      // Small files are read at once: a promise for each would cost more than the reading.
      const isLarge = file.sizeBytes > bytesPerSlice;
      digests.push(isLarge ? await this.#digester.digestInSlices(file, pause) : this.#digester.digest(file));
      bytesRead += file.sizeBytes + 16_384;
      if (bytesRead < bytesPerSlice / 2) continue;
      bytesRead = 0;
      await pause();
    }
    return digests;
  }

  #dispatch(): void {
    if (this.#failure !== undefined) return;
    const { ioLimitBytesPerSecond, threads = availableParallelism() - 1 } = this.#options;
    const most = ioLimitBytesPerSecond === undefined ? Math.max(1, Math.min(maxThreads, threads)) : 1;
    while (this.#slots.size < Math.min(most, this.#slots.size + this.#queue.length)) this.#start();
    for (let round = 0; round < chunksAThread; round++) {
      for (const slot of this.#slots) {
        if (slot.chunks.length > round || slot.slow !== undefined) continue;
        const chunk = this.#queue.shift();
        if (chunk === undefined) return;
        slot.chunks.push(chunk);
        slot.thread.send(chunk.files, chunk.troubles);
      }
    }
  }

  #start(): void {
    const { rules, ioLimitBytesPerSecond, findsNoindex, includes } = this.#options;
    const { threadMemoryMiB = 256, examineLimitMs = 5000 } = this.#options;
    const slot: Slot = {
      thread: new DigestThread(
        { ruleSource: rules?.source, ioLimitBytesPerSecond, findsNoindex, includes, threadMemoryMiB },
        (digests) => this.#take(slot, digests),
        (cause) => this.#bury(slot, cause),
      ),
      chunks: [],
      slow: undefined,
    };
    this.#slots.add(slot);
    if (rules === undefined || this.#watcher !== undefined) return;
    this.#watcher = setInterval(() => this.#watch(examineLimitMs), Math.min(250, examineLimitMs / 4));
    this.#watcher.unref();
  }

  #take(slot: Slot, digests: FileDigest[]): void {
    slot.chunks.shift()?.settle(digests);
    this.#dispatch();
  }

  // A regular expression can only be stopped with its thread.
  #watch(examineLimitMs: number): void {
    const nowMs = performance.now();
    for (const slot of this.#slots) {
      const isSlow = nowMs - slot.thread.busySinceMs(nowMs) >= examineLimitMs;
      const { step } = slot.thread;
      const [chunk] = slot.chunks;
      if (!isSlow || step === undefined || chunk === undefined || slot.slow !== undefined) continue;
      slot.slow = { chunk, ...step };
      slot.thread.kill();
    }
  }

  #bury(slot: Slot, cause: string): void {
    if (!this.#slots.delete(slot)) return;
    const [first] = slot.chunks;
    this.#queue.unshift(...slot.chunks.splice(0));
    const step = slot.slow?.chunk === first ? slot.slow : slot.slow === undefined ? slot.thread.step : undefined;
    if (first !== undefined && step !== undefined)
      this.#excuse(first, step, slot.slow === undefined ? cause : undefined);
    else if (slot.slow === undefined) this.#count(first, cause);
    this.#dispatch();
  }

  /** The rules were too much for a page: next time it is read without them. */
  #excuse(chunk: Chunk, step: { readonly file: number; readonly pattern: number }, cause: string | undefined): void {
    const pattern = this.#options.rules?.source.ignore[step.pattern];
    const what = pattern === undefined ? "its visible text" : `--ignore ${pattern}`;
    const trouble = cause === undefined ? `${what} takes too long` : `${what}: ${cause}`;
    chunk.troubles.set(step.file, trouble);
    this.#pagesInTrouble += 1;
    if (this.#pagesInTrouble < maxPagesInTrouble) return;
    this.#fail(
      new TidemarkError("bad-option", `On ${this.#pagesInTrouble} pages: ${trouble}. Nothing was published.`, {
        hint: "Write the pattern so that it cannot match in many ways: no repetition inside a repetition.",
        details: { path: chunk.files[step.file]?.path, pattern },
      }),
    );
  }

  #count(chunk: Chunk | undefined, cause: string): void {
    this.#ends += 1;
    if (chunk !== undefined) chunk.deaths += 1;
    const isHopeless = this.#ends >= maxEnds;
    if (!isHopeless && (chunk === undefined || chunk.deaths < 2)) return;
    if (this.#options.rules !== undefined || this.#options.ioLimitBytesPerSecond !== undefined) {
      const facts = { hint: "Without --ignore, --significant and --io-limit no threads are needed." };
      this.#fail(new TidemarkError("io", `The threads that read files do not live: ${cause}.`, facts));
      return;
    }
    // Reading without threads always works.
    const given = isHopeless ? this.#queue.splice(0) : this.#queue.splice(0, 1);
    for (const { settle } of given) settle(undefined);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    const open = [...this.#queue.splice(0), ...[...this.#slots].flatMap(({ chunks }) => chunks.splice(0))];
    for (const { fail } of open) fail(error);
    for (const { thread } of this.#slots) thread.kill();
  }
}

function cutChunks(files: readonly ScannedFile[]): ScannedFile[][] {
  const chunks: ScannedFile[][] = [];
  let bytes = 0;
  for (const file of files) {
    const chunk = chunks.at(-1);
    const isFull = chunk === undefined || chunk.length >= maxChunkFiles || bytes + file.sizeBytes > maxChunkBytes;
    if (isFull) chunks.push([file]);
    else chunk.push(file);
    bytes = (isFull ? 0 : bytes) + file.sizeBytes;
  }
  return chunks;
}
