import type { Change } from "../../src/core/change.ts";
import type { Page } from "../../src/core/page.ts";
import { createRandom, type Random } from "../../src/core/random.ts";
import type { EpochSeconds } from "../../src/core/time.ts";
import { encodePathSegment, isCanonicalPath } from "../../src/formats/url/url-path.ts";
import type { HistoryEvent, LabPorts } from "../experiment/ports.ts";
import { daySeconds, type HistoryDay } from "./history-days.ts";

/** Size of a file whose size the history does not know. */
const unknownSizeBytes = 512;

/** A day of a web that lives through a history. */
export interface WebDay {
  /** The end of the day. */
  readonly time: EpochSeconds;
  /** In path order, each path once. */
  readonly changes: readonly Change[];
  /** Numbers of the pages that the changes are of, in their order. */
  readonly numbers: readonly number[];
}

/**
 * A site in virtual time. Pages have numbers, from 0 in the order in which they were first seen; a page that comes back has its old
 * one.
 */
export class ReplayedWeb {
  readonly #days: readonly HistoryDay[];
  readonly #mediaTypeOf: LabPorts["mediaTypeOf"];
  readonly #random: Random;
  readonly #paths = new Map<string, string | undefined>();
  readonly #numbers = new Map<string, number>();
  #at = 0;
  /** All of the site as it is, by path. */
  readonly pages: Map<string, Page> = new Map();
  /** Version of each page by its number, which no two states of a page share; 0 while it is not there. */
  readonly versions: Int32Array;
  /** Size of each page by its number, in bytes. */
  readonly sizes: Float64Array;
  /** Bytes of all pages. */
  totalBytes = 0;

  constructor(days: readonly HistoryDay[], mediaTypeOf: LabPorts["mediaTypeOf"], seed: number) {
    this.#days = days;
    this.#mediaTypeOf = mediaTypeOf;
    this.#random = createRandom(seed, "replayed digests");
    const paths = new Set(days.flatMap(({ events }) => events.map(({ path }) => path)));
    this.versions = new Int32Array(paths.size);
    this.sizes = new Float64Array(paths.size);
  }

  /** How many pages have a number. */
  get known(): number {
    return this.#numbers.size;
  }

  /** Lets a day pass; undefined after the last. */
  next(): WebDay | undefined {
    const day = this.#days[this.#at++];
    if (day === undefined) return undefined;
    const changes = new Map<string, Change>();
    for (const event of day.events) {
      const path = this.#pathOf(event.path);
      const change = path === undefined ? undefined : this.#apply(path, event);
      if (change !== undefined && path !== undefined) changes.set(path, change);
    }
    // Paths are ASCII.
    const paths = [...changes.keys()].sort();
    return {
      time: (day.day + 1) * daySeconds - 1,
      changes: paths.flatMap((path) => changes.get(path) ?? []),
      numbers: paths.map((path) => this.#numbers.get(path) ?? 0),
    };
  }

  #apply(path: string, { time, path: file, sizeBytes }: HistoryEvent): Change | undefined {
    const before = this.pages.get(path);
    const number = this.#numberOf(path);
    this.totalBytes -= before?.sizeBytes ?? 0;
    if (sizeBytes === undefined) {
      this.versions[number] = 0;
      return this.pages.delete(path) ? { kind: "deleted", path } : undefined;
    }
    const size = sizeBytes === 0 ? unknownSizeBytes : sizeBytes;
    const mediaType = this.#mediaTypeOf(file) ?? "";
    const page = { path, sizeBytes: size, lastModified: Math.max(time, 1), mediaType, digest: this.#drawDigest() };
    this.pages.set(path, page);
    this.#versionCount += 1;
    this.versions[number] = this.#versionCount;
    this.sizes[number] = size;
    this.totalBytes += size;
    return { kind: before === undefined ? "created" : "updated", page };
  }

  #versionCount = 0;

  #numberOf(path: string): number {
    let number = this.#numbers.get(path);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(path, number);
    }
    return number;
  }

  /** The page's path; undefined for what the exporter holds back by its name, or no URL can have. */
  #pathOf(file: string): string | undefined {
    if (this.#paths.has(file)) return this.#paths.get(file);
    const names = file.split("/");
    const isFile = names.every((name) => name !== "" && name !== "." && name !== "..") && file !== "robots.txt";
    const encoded = `/${names.map(encodePathSegment).join("/")}`;
    const isPage = isFile && isCanonicalPath(encoded);
    const path = isPage && this.#mediaTypeOf(file) !== undefined ? encoded : undefined;
    this.#paths.set(file, path);
    return path;
  }

  // As long, and as hard to compress, as a real one: eight bytes in base64url.
  #drawDigest(): string {
    let digest = "";
    for (let letter = 0; letter < 10; letter++) digest += letters[Math.floor(this.#random() * 64)];
    return `${digest}${lastLetters[Math.floor(this.#random() * 16)]}`;
  }
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const lastLetters = "AEIMQUYcgkosw048";
