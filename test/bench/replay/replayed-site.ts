import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, statfsSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { digestBytes, type Page } from "../../../src/core/page.ts";
import { mediaTypeOfName } from "../../../src/exporter/walk/media-types.ts";
import { encodePathSegment } from "../../../src/formats/url/url-path.ts";
import type { TempFolder } from "../../temp-folder.ts";
import type { HistoryEvent } from "./history.ts";

/** How events become files. */
export interface ReplayOptions {
  /** Added to the time of each event, in seconds. */
  readonly shiftSeconds: number;
  /** Sizes are divided by this; default 1. */
  readonly scale?: number;
}

/** Size of a file whose size the history does not know. */
const unknownSizeBytes = 512;
const maxNameBytes = 255;
const maxPathBytes = 2000;

function isFileName(path: string): boolean {
  const names = path.split("/");
  return (
    path.length <= maxPathBytes &&
    !path.includes("\0") &&
    !path.startsWith(".well-known/tidemark") &&
    names.every((name) => name !== "" && name !== "." && name !== ".." && name.length <= maxNameBytes)
  );
}

/** Two versions of a path that follow each other differ, whatever their size: in the first byte. */
function makeContent(path: string, version: number, sizeBytes: number): Buffer {
  const filling = createHash("sha256").update(`${version} ${path}`, "latin1").digest("hex");
  const content = Buffer.alloc(sizeBytes, `${filling}\n`, "latin1");
  content[0] = 0x21 + (version % 90);
  return content;
}

/** A folder of real files that lives through a history. */
export class ReplayedSite {
  readonly #docroot: string;
  readonly #options: ReplayOptions;
  readonly #versions = new Map<string, number>();
  /** Each file as the exporter should publish it, by its encoded path. */
  readonly pages: Map<string, Page> = new Map();
  /** Events that no file system could follow: a name that is too long, `..`. */
  skipped = 0;

  constructor(docroot: string, options: ReplayOptions) {
    this.#docroot = docroot;
    this.#options = options;
    mkdirSync(docroot, { recursive: true });
  }

  /** Lets a day pass. What is deleted goes first, so that a folder may take a file's place. */
  apply(events: readonly HistoryEvent[]): void {
    const possible = events.filter(({ path }) => isFileName(path));
    this.skipped += events.length - possible.length;
    for (const event of possible) if (event.sizeBytes === undefined) this.#delete(event.path);
    for (const event of possible) if (event.sizeBytes !== undefined) this.#write(event, event.sizeBytes);
  }

  #locate(path: string): Buffer {
    return Buffer.concat([Buffer.from(`${this.#docroot}/`), Buffer.from(path, "latin1")]);
  }

  #delete(path: string): void {
    if (!this.pages.delete(encodePath(path))) return;
    rmSync(this.#locate(path));
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
      try {
        rmdirSync(this.#locate(folder));
      } catch {
        return; // Something else lies in it.
      }
    }
  }

  #write({ path, time }: HistoryEvent, listedBytes: number): void {
    this.#makeRoom(path);
    const version = (this.#versions.get(path) ?? 0) + 1;
    this.#versions.set(path, version);
    const scaled = Math.ceil(listedBytes / (this.#options.scale ?? 1));
    const content = makeContent(path, version, scaled === 0 ? unknownSizeBytes : scaled);
    const lastModified = Math.max(time, 1) + this.#options.shiftSeconds;
    const file = this.#locate(path);
    writeFileSync(file, content);
    utimesSync(file, lastModified, lastModified);
    const encoded = encodePath(path);
    this.pages.set(encoded, {
      path: encoded,
      sizeBytes: content.length,
      lastModified,
      mediaType: mediaTypeOfName(path.slice(path.lastIndexOf("/") + 1)),
      digest: createHash("sha256").update(content).digest().subarray(0, digestBytes).toString("base64url"),
    });
  }

  /** What stands in a new file's way was deleted without an event. */
  #makeRoom(path: string): void {
    const folders = path.split("/").slice(0, -1);
    for (let length = 1; length <= folders.length; length++) this.#delete(folders.slice(0, length).join("/"));
    mkdirSync(this.#locate(folders.join("/")), { recursive: true });
    if (statSync(this.#locate(path), { throwIfNoEntry: false })?.isDirectory() !== true) return;
    rmSync(this.#locate(path), { recursive: true });
    const below = `${encodePath(path)}/`;
    for (const page of this.pages.keys()) if (page.startsWith(below)) this.pages.delete(page);
  }
}

function encodePath(path: string): string {
  return `/${path.split("/").map(encodePathSegment).join("/")}`;
}

const memoryFolder = "/dev/shm";
const wantedBytes = 4 * 1024 ** 3;

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= wantedBytes;
  } catch {
    return false;
  }
}

/**
 * Makes a folder that vanishes with its scope, in memory where there is room: a replay writes and syncs hundreds of
 * thousands of files, and on a disk it would wait for whatever else is being written there. TMPDIR decides if it is set.
 */
export function makeRoomyFolder(): TempFolder {
  const parent = process.env.TMPDIR === undefined && hasRoom(memoryFolder) ? memoryFolder : tmpdir();
  const path = mkdtempSync(join(parent, "tidemark-replay-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}
