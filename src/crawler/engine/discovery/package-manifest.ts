import type { ContentHash } from "../../../core/index.ts";
import { type EpochSeconds, ok, type Problem, type Result } from "../../../core/index.ts";
import {
  packageEntryName,
  parseHashes,
  type ResourceSyncEntry,
  ResourceSyncReader,
} from "../../../formats/resourcesync/index.ts";

/** A page in a package. */
export interface PackedPage {
  /** Of its entry in the package. */
  readonly name: string;
  /** Undefined if not stated. */
  readonly sizeBytes: number | undefined;
  readonly hashes: readonly ContentHash[];
  /** Of a change: when it happened. */
  readonly changedAt: EpochSeconds | undefined;
}

/** Name of the manifest in a package (ANSI/NISO Z39.99-2017 sections 11.2 and 13.2). */
export const manifestName = "manifest.xml";

/**
 * Reads the manifest of a package as it arrives. Only the last change of a page counts. Pages of other sites and invalid
 * paths are skipped. Memory: an entry per page, at most 50,000.
 */
export class PackageManifest {
  readonly #reader = new ResourceSyncReader();
  readonly #pathOf: (location: string) => string | undefined;
  readonly #pages = new Map<string, PackedPage>();

  /** @param pathOf - the path of a URL of the site; undefined if it is of another */
  constructor(pathOf: (location: string) => string | undefined) {
    this.#pathOf = pathOf;
  }

  write(piece: Uint8Array): void {
    if (this.#reader.problem === undefined) this.#take(this.#reader.write(piece));
  }

  /** @returns pages by path */
  end(): Result<ReadonlyMap<string, PackedPage>> {
    this.#take(this.#reader.end());
    const { header, problem } = this.#reader;
    if (problem !== undefined) return { ok: false, error: problem };
    return header?.capability.endsWith("-manifest") === true ? ok(this.#pages) : { ok: false, error: noManifest };
  }

  #take(entries: readonly ResourceSyncEntry[]): void {
    for (const { location, change, path, sizeBytes, hash, changedAt } of entries) {
      const page = this.#pathOf(location);
      if (page === undefined) continue;
      const name = change === "deleted" || path === undefined ? undefined : packageEntryName(path);
      if (name === undefined) this.#pages.delete(page);
      else this.#pages.set(page, { name, sizeBytes, hashes: parseHashes(hash ?? ""), changedAt });
    }
  }
}

const noManifest: Problem = { code: "no-manifest", message: "its manifest.xml is no manifest" };
