import type { ScanBatch, ScanGap, ScannedFile } from "./scanned-file.ts";

/** What is walked: a root's files below its prefix, and none that lie below the prefix of another root. */
export interface RootWalk extends AsyncDisposable {
  /** The next files in path order, or undefined after the last. */
  next(): Promise<ScanBatch | undefined>;
}

export interface SiteRoot {
  /** Encoded path under which it lies, with `/` at its end. */
  readonly prefix: string;
  readonly open: () => RootWalk;
}

class RootReading {
  readonly root: SiteRoot;
  walk: RootWalk | undefined;
  files: readonly ScannedFile[] = [];
  at = 0;
  isOver = false;

  constructor(root: SiteRoot) {
    this.root = root;
  }

  /** The next path, or a text that no path of the root comes before. */
  get head(): string {
    return this.files[this.at]?.path ?? this.root.prefix;
  }
}

/**
 * One walk over the several roots of a site, in path order. A root is opened when the walk comes to its prefix, so
 * that as many are open as prefixes are nested.
 */
export class SiteWalk implements AsyncDisposable {
  readonly #readings: RootReading[];
  readonly #batchSize: number;

  /** @param roots - with different prefixes */
  constructor(roots: readonly SiteRoot[], batchSize: number = 2048) {
    this.#readings = roots.map((root) => new RootReading(root));
    this.#batchSize = batchSize;
  }

  /**
   * Gives the next files, or undefined after the last.
   *
   * @throws TidemarkError as the roots' own walks do
   */
  async next(): Promise<ScanBatch | undefined> {
    const files: ScannedFile[] = [];
    const gaps: ScanGap[] = [];
    while (files.length < this.#batchSize) {
      const [first, second] = this.#foremost();
      if (first === undefined) break;
      if (first.at >= first.files.length) {
        await this.#fill(first, gaps);
        continue;
      }
      // No other root has a path before its head; equal paths cannot be, and equal heads are prefixes to be opened.
      const end = second?.head;
      for (; first.at < first.files.length && files.length < this.#batchSize; first.at++) {
        const file = first.files[first.at];
        if (file === undefined || (end !== undefined && file.path >= end)) break;
        files.push(file);
      }
    }
    return files.length === 0 && gaps.length === 0 && this.#readings.every(({ isOver }) => isOver)
      ? undefined
      : { files, gaps };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { walk } of this.#readings) await walk?.[Symbol.asyncDispose]();
  }

  // The two whose heads come first; what must be filled before what can be given, where heads are equal.
  #foremost(): [RootReading | undefined, RootReading | undefined] {
    const rest = this.#readings.filter(({ isOver }) => !isOver);
    const isEmpty = (reading: RootReading): number => (reading.at >= reading.files.length ? 0 : 1);
    rest.sort((a, b) => (a.head < b.head ? -1 : a.head > b.head ? 1 : isEmpty(a) - isEmpty(b)));
    return [rest[0], rest[1]];
  }

  async #fill(reading: RootReading, gaps: ScanGap[]): Promise<void> {
    reading.walk ??= reading.root.open();
    const batch = await reading.walk.next();
    reading.files = batch?.files ?? [];
    reading.at = 0;
    gaps.push(...(batch?.gaps ?? []));
    if (batch !== undefined) return;
    reading.isOver = true;
    await reading.walk[Symbol.asyncDispose]();
  }
}
