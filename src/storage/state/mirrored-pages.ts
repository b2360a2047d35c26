import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { HeldBody, Page } from "../../core/index.ts";
import { MirrorPlaces } from "../mirror/mirror-places.ts";
import { type KnownSite, StateReader } from "./state-reader.ts";
import { stateFileIn } from "./store.ts";

/** A page of a mirror and where its file is. */
export interface MirroredPage {
  /** With query, as it is requested. */
  readonly path: string;
  /** Without parameters. */
  readonly mediaType: string;
  /** Below the mirror, joined by `/`, one character (0 to 255) a byte. */
  readonly names: string;
}

/** The pages of one mirror, as the crawler's state has them at each moment. Disposed of by who opened it. */
export class MirroredPages implements Disposable {
  /** The site's origin. */
  readonly origin: string;
  readonly #reader: StateReader;
  readonly #site: number;
  readonly #places: MirrorPlaces;

  constructor(reader: StateReader, { id, origin }: KnownSite, folder: string) {
    this.origin = origin;
    this.#reader = reader;
    this.#site = id;
    this.#places = new MirrorPlaces(folder);
  }

  /** @param path - with query */
  find(path: string): MirroredPage | undefined {
    const page = this.#reader.findPage(this.#site, path);
    return page === undefined ? undefined : this.#placed(page);
  }

  /** All of them, in path order. */
  *[Symbol.iterator](): Generator<MirroredPage, void, void> {
    for (const page of this.#reader.readPages(this.#site)) yield this.#placed(page);
  }

  [Symbol.dispose](): void {
    this.#reader[Symbol.dispose]();
  }

  #placed({ path, mediaType }: Page & HeldBody): MirroredPage {
    return { path, mediaType, names: this.#places.namesOf(path) };
  }
}

/**
 * Opens the pages of a mirror.
 *
 * @param folder - a site's folder, as `crawlSite` made it
 * @param stateFile - default: the one that lies beside it, in `.tidemark`
 * @returns undefined if that is no mirror of the state, or there is no state
 * @throws TidemarkError `not-found`, `no-permission`, `state-corrupt`, `state-version`
 */
export function openMirroredPages(folder: string, stateFile?: string): MirroredPages | undefined {
  if (!existsSync(folder)) return undefined;
  const root = realpathSync(folder);
  const file = stateFile ?? stateFileIn(dirname(root));
  if (stateFile === undefined && !existsSync(file)) return undefined;
  const reader = new StateReader(file);
  const isIt = (other: string | undefined): boolean =>
    other !== undefined && existsSync(other) && realpathSync(other) === root;
  // Of sites that an earlier version kept in one folder, `https:` is the last, and most often the newer one.
  const site = reader.readSites().findLast((one) => isIt(one.folder));
  if (site !== undefined) return new MirroredPages(reader, site, root);
  reader[Symbol.dispose]();
  return undefined;
}
