import { Worker } from "node:worker_threads";
import { type ContentRuleSource, contentDigestLength } from "../../formats/html/index.ts";
import type { ScannedFile } from "../walk/scanned-file.ts";
import type { DigestibleFile, FileDigest, FileDigesterOptions } from "./file-digest.ts";

export interface DigestThreadSettings extends Pick<FileDigesterOptions, "findsNoindex" | "includes"> {
  readonly ruleSource: ContentRuleSource | undefined;
  readonly ioLimitBytesPerSecond: number | undefined;
  readonly threadMemoryMiB: number;
  /** Where the thread says what it is doing; see {@link watchAt}. */
  readonly watch: Int32Array;
}

/** Files on their way to a thread: a few long texts cost less than many short ones. */
export interface DigestTask {
  /** Locations, one character a byte, NUL between; no location contains one. */
  readonly locations: string;
  /** Media types, NUL between. */
  readonly mediaTypes: string;
  /** Why the rules are not to be applied to a file, by its number. */
  readonly troubles: ReadonlyMap<number, string>;
}

/** The digests on their way back. */
export interface DigestAnswer {
  readonly count: number;
  /** Size and both times of each file of which nothing but the digest is known. */
  readonly numbers: Float64Array<ArrayBuffer>;
  /** The digests of those files, one behind the other. */
  readonly digests: string;
  /** All other files, by their numbers. */
  readonly others: ReadonlyMap<number, FileDigest>;
}

/** Number of the file in its task; number of the pattern that is applied, -1 for none; files whose content was examined. */
export const watchAt = { file: 0, pattern: 1, steps: 2 } as const;

const separator = "\0";
const ascii = /^[\x00-\x7f]*$/;

function packFiles(files: readonly ScannedFile[], troubles: ReadonlyMap<number, string>): DigestTask {
  const locations = files.map(({ location }) =>
    typeof location === "string" ? location : location.toString("latin1"),
  );
  const mediaTypes = files.map(({ mediaType }) => mediaType);
  return { locations: locations.join(separator), mediaTypes: mediaTypes.join(separator), troubles };
}

export function unpackFiles({ locations, mediaTypes }: DigestTask): DigestibleFile[] {
  const types = mediaTypes.split(separator);
  return locations.split(separator).map((location, at) => ({
    location: ascii.test(location) ? location : Buffer.from(location, "latin1"),
    mediaType: types[at] ?? "",
  }));
}

export function packDigests(digests: readonly FileDigest[]): DigestAnswer {
  const numbers: number[] = [];
  const others = new Map<number, FileDigest>();
  let texts = "";
  for (const [at, digest] of digests.entries()) {
    if (digest.kind !== "digested" || digest.content !== undefined || digest.includes !== undefined) {
      others.set(at, digest);
      continue;
    }
    numbers.push(digest.sizeBytes, digest.mtimeUs, digest.ctimeUs);
    texts += digest.digest;
  }
  return { count: digests.length, numbers: Float64Array.from(numbers), digests: texts, others };
}

function unpackDigests({ count, numbers, digests, others }: DigestAnswer): FileDigest[] {
  let [number, text] = [0, 0];
  return Array.from({ length: count }, (_, at): FileDigest => {
    const other = others.get(at);
    if (other !== undefined) return other;
    const sizeBytes = numbers[number++] ?? 0;
    const mtimeUs = numbers[number++] ?? 0;
    const ctimeUs = numbers[number++] ?? 0;
    const digest = digests.slice(text, text + contentDigestLength);
    text += contentDigestLength;
    return { kind: "digested", digest, sizeBytes, mtimeUs, ctimeUs };
  });
}

/** A thread that digests, and what can be seen of it from outside. */
export class DigestThread {
  readonly #worker: Worker;
  readonly #watch: Int32Array = new Int32Array(new SharedArrayBuffer(12));
  #seenSteps = -1;
  #seenSinceMs = 0;

  /** @param onEnd - called once if the thread ends by itself or is stopped by {@link kill} */
  constructor(
    settings: Omit<DigestThreadSettings, "watch">,
    onDigests: (digests: FileDigest[]) => void,
    onEnd: (cause: string) => void,
  ) {
    this.#watch[watchAt.pattern] = -1;
    const workerData: DigestThreadSettings = { ...settings, watch: this.#watch };
    this.#worker = new Worker(new URL("./digest-worker.js", import.meta.url), {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: settings.threadMemoryMiB },
    });
    let cause = "it ended";
    this.#worker.on("message", (answer: DigestAnswer) => onDigests(unpackDigests(answer)));
    this.#worker.on("error", (error) => {
      cause = error.message;
    });
    this.#worker.on("exit", () => onEnd(cause));
  }

  /** Sends files. A thread digests what it is sent in turn. */
  send(files: readonly ScannedFile[], troubles: ReadonlyMap<number, string>): void {
    this.#worker.postMessage(packFiles(files, troubles));
  }

  /** The file and the pattern that the thread is busy with, if it applies one. */
  get step(): { readonly file: number; readonly pattern: number } | undefined {
    const pattern = this.#watch[watchAt.pattern] ?? -1;
    return pattern < 0 ? undefined : { file: this.#watch[watchAt.file] ?? 0, pattern };
  }

  /** Since when, on the clock of `nowMs`, the content of one file has been examined, as far as was seen. */
  busySinceMs(nowMs: number): number {
    const steps = Atomics.load(this.#watch, watchAt.steps);
    if (steps !== this.#seenSteps || this.step === undefined) {
      this.#seenSteps = steps;
      this.#seenSinceMs = nowMs;
    }
    return this.#seenSinceMs;
  }

  /** Stops the thread wherever it is; its end is reported. */
  kill(): void {
    void this.#worker.terminate();
  }

  /** Stops the thread; its end is not reported. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#worker.removeAllListeners();
    this.#worker.on("error", () => undefined);
    await this.#worker.terminate();
  }
}
