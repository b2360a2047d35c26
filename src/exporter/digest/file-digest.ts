import { createHash, type Hash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { digestBytes } from "../../core/index.ts";
import type { MarkedContent } from "../../formats/html/index.ts";
import { toEpochUs } from "../walk/folder-listing.ts";
import type { ScannedFile } from "../walk/scanned-file.ts";
import {
  type FoundIncludes,
  type IncludeMode,
  IncludeScanner,
  mayBeHtml,
  mayInclude,
  PageHead,
} from "./page-scanner.ts";

/** What reading a file came to. */
export type FileDigest =
  /** The bytes and the status belong together. */
  | {
      readonly kind: "digested";
      readonly digest: string;
      readonly sizeBytes: number;
      readonly mtimeUs: number;
      readonly ctimeUs: number;
      /** What of the bytes counts, where rules say so. */
      readonly content?: MarkedContent;
      /** What it asks the server to put in, where that was looked for. */
      readonly includes?: FoundIncludes;
    }
  /** It is a page that asks not to be indexed; it was read no further. */
  | { readonly kind: "noindex" }
  | { readonly kind: "vanished" }
  /** It was written to each time that it was read. */
  | { readonly kind: "unstable" }
  | { readonly kind: "unreadable"; readonly code: string; readonly message: string };

const attempts = 3;

/** How much of a file is read at a stretch; files up to this size need no slices. */
export const bytesPerSlice: number = 32 * 1024 * 1024;

export type DigestibleFile = Pick<ScannedFile, "location" | "mediaType">;

/** Takes the bytes of one reading of a file. */
export interface ByteSink {
  /** The piece is only valid during the call. */
  write(piece: Uint8Array): void;
}

export interface FileDigesterOptions {
  /** Size of a read. @default 256 KiB */
  readonly bufferBytes?: number;
  /** Told of each file with 0, and of each read's bytes; may block. */
  readonly pace?: ((bytes: number) => void) | undefined;
  /** Whether pages of HTML are searched for a `meta` element that withdraws them. @default false */
  readonly findsNoindex?: boolean | undefined;
  /** In which files server-side includes are looked for. @default "off" */
  readonly includes?: IncludeMode | undefined;
}

/** The beginning of a SHA-256, as published: base64url. */
export function shortenDigest(hash: Hash): string {
  return hash.digest().subarray(0, digestBytes).toString("base64url");
}

/** Reads files and digests them, with one buffer for all. Blocks while it reads. */
export class FileDigester {
  readonly #options: FileDigesterOptions;
  readonly #buffer: Buffer;

  constructor(options: FileDigesterOptions = {}) {
    this.#options = options;
    this.#buffer = Buffer.allocUnsafeSlow(options.bufferBytes ?? 256 * 1024);
  }

  /**
   * Digests a file whole. If its status moves between the first and the last byte, it is read again.
   *
   * @param openSink - gives what takes the bytes of the next reading
   */
  digest(file: DigestibleFile, openSink?: () => ByteSink): FileDigest {
    const steps = this.#steps(file, openSink);
    for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
  }

  /**
   * Digests a large file, yielding to the event loop every {@link bytesPerSlice}.
   *
   * @param pause - may throw, which ends the reading
   */
  async digestInSlices(file: DigestibleFile, pause: () => Promise<void>): Promise<FileDigest> {
    const steps = this.#steps(file);
    try {
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done === true) return step.value;
        await pause();
      }
    } finally {
      steps.return({ kind: "unstable" });
    }
  }

  *#steps(file: DigestibleFile, openSink?: () => ByteSink): Generator<void, FileDigest> {
    try {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const digested = yield* this.#once(file, openSink?.());
        if (digested !== undefined) return digested;
      }
      return { kind: "unstable" };
    } catch (error) {
      const { code = "unknown", message } = error as NodeJS.ErrnoException;
      return code === "ENOENT" || code === "ENOTDIR" ? { kind: "vanished" } : { kind: "unreadable", code, message };
    }
  }

  *#once({ location, mediaType }: DigestibleFile, sink: ByteSink | undefined): Generator<void, FileDigest | undefined> {
    const { pace, findsNoindex = false, includes: mode = "off" } = this.#options;
    const head = findsNoindex && mayBeHtml(mediaType, location) ? new PageHead(mediaType) : undefined;
    const scanner = mayInclude(mediaType, mode) ? new IncludeScanner() : undefined;
    pace?.(0);
    // Without O_NONBLOCK, a pipe that took the file's place would block for ever; without O_NOFOLLOW, a link
    // that did would lead anywhere. Links that were judged come as what they lead to.
    const fd = openSync(location, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const before = fstatSync(fd);
      if (!before.isFile()) return { kind: "vanished" };
      const hash = createHash("sha256");
      let total = 0;
      for (;;) {
        const length = readSync(fd, this.#buffer, 0, this.#buffer.length, null);
        if (length === 0) break;
        const piece = this.#buffer.subarray(0, length);
        hash.update(piece);
        sink?.write(piece);
        scanner?.add(piece);
        head?.add(piece, total + length >= before.size);
        total += length;
        pace?.(length);
        if (head?.saysNoindex === true) return { kind: "noindex" };
        if (total % bytesPerSlice < length) yield;
        // A short read of a regular file is its end, nearly always; the size check below decides.
        if (length < this.#buffer.length && total >= before.size) break;
      }
      const after = fstatSync(fd);
      if (total !== after.size || after.mtimeMs !== before.mtimeMs || after.ctimeMs !== before.ctimeMs)
        return undefined;
      const includes = scanner?.result();
      return {
        kind: "digested",
        digest: shortenDigest(hash),
        sizeBytes: total,
        mtimeUs: toEpochUs(after.mtimeMs),
        ctimeUs: toEpochUs(after.ctimeMs),
        ...(includes === undefined ? {} : { includes }),
      };
    } finally {
      closeSync(fd);
    }
  }
}
