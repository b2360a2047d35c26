import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { ExportEvent } from "../../core/index.ts";
import { CanonicalNames, warnOfNames } from "./canonical-names.ts";
import { PathSample } from "./path-sample.ts";

/** Bytes of a page in which its canonical URL is looked for. */
export const headBytes: number = 64 * 1024;

/** Which pages of an export are looked at, and where they are. */
export interface NameCheckOptions {
  /** The site's origin with `/`. */
  readonly site: string;
  /** Files that may be the page of a path, the likeliest first. */
  readonly locate: (path: string) => readonly Buffer[];
  /** Pages to read at most. */
  readonly pages: number;
}

/**
 * Compares the URLs of a sample of the HTML pages that an export publishes with those by which the pages call themselves.
 * A run without changed pages reads nothing.
 */
export class NameCheck {
  readonly #options: NameCheckOptions;
  #sample: PathSample;

  constructor(options: NameCheckOptions) {
    this.#options = options;
    this.#sample = new PathSample(options.pages);
  }

  /** Takes an event; what counts is an HTML page that is created or updated. */
  add(event: ExportEvent): void {
    if (event.event === "page" && event.mediaType === "text/html") this.#sample.add(event.path);
  }

  restart(): void {
    this.#sample = new PathSample(this.#options.pages);
  }

  /** Reads the sample. @returns undefined if pages call themselves as they are published */
  async warning(): Promise<ExportEvent | undefined> {
    const { site, locate } = this.#options;
    const names = new CanonicalNames(site);
    for (const path of this.#sample.paths) names.add(path, await readFirstHead(locate(path)));
    return warnOfNames(names.findings);
  }
}

async function readFirstHead(files: readonly Buffer[]): Promise<Buffer> {
  for (const file of files) {
    const head = await readHead(file);
    if (head.length > 0) return head;
  }
  return Buffer.alloc(0);
}

/** The beginning of a file; empty if it is unreadable. */
export async function readHead(file: string | Buffer, bytes: number = headBytes): Promise<Buffer> {
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } catch {
    return Buffer.alloc(0);
  }
}
