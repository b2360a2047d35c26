import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf, type LivingSite, readVersion } from "./living-site.ts";

interface SeenFile {
  readonly ino: bigint;
  readonly ctimeNs: bigint;
  readonly sizeBytes: bigint;
  readonly value: string | number;
}

/** How a copy stands beside the site. */
export interface CopyState {
  /** Share of the site's pages that the copy has as they are: 0 to 1. */
  readonly freshShare: number;
  /** Pages that are there and that the copy has otherwise, or not. */
  readonly missed: number;
  /** Pages that the copy has and that are there no more. */
  readonly leftOver: number;
}

/** Compares a copy's files with a site's pages, reading only what was written since the last time. */
export class CopyCheck {
  readonly #folder: string;
  readonly #isExact: boolean;
  readonly #seen = new Map<string, SeenFile>();

  /** @param isExact - by all bytes; else by the last change that a file names, for those who rewrite links */
  constructor(folder: string, isExact: boolean) {
    this.#folder = folder;
    this.#isExact = isExact;
  }

  /** @param isRead - whether the copy may be another than at the last call */
  compare(site: LivingSite, isRead: boolean): CopyState {
    if (isRead) for (const path of new Set([...site.pages.keys(), ...site.deleted])) this.#look(path);
    let fresh = 0;
    for (const [path, page] of site.pages) {
      const value = this.#seen.get(path)?.value;
      if (value === (this.#isExact ? page.digest : page.version)) fresh++;
    }
    const total = site.pages.size;
    const leftOver = [...site.deleted].filter((path) => this.#seen.has(path)).length;
    return { freshShare: fresh / total, missed: total - fresh, leftOver };
  }

  #look(path: string): void {
    const file = join(this.#folder, path);
    const status = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    if (status?.isFile() !== true) {
      this.#seen.delete(path);
      return;
    }
    const { ino, ctimeNs, size: sizeBytes } = status;
    const known = this.#seen.get(path);
    if (known?.ino === ino && known.ctimeNs === ctimeNs && known.sizeBytes === sizeBytes) return;
    const body = readFileSync(file);
    this.#seen.set(path, { ino, ctimeNs, sizeBytes, value: this.#isExact ? digestOf(body) : readVersion(body) });
  }
}
