import { rmSync } from "node:fs";
import { SiteFile } from "../../storage/index.ts";

/** States that are left in the folder after their visit: whoever leases the site next without a change in between needs not read it. */
const mostCopies = 1000;

/** The copies of the states of sites that a worker has. */
export class SiteCopies implements Disposable {
  readonly #folder: string;
  /** By number of the site; the least recently used first. */
  readonly #idle = new Map<number, { readonly epoch: number; readonly file: SiteFile }>();

  /** @param folder - of the worker alone; what is in it is removed */
  constructor(folder: string) {
    this.#folder = folder;
    rmSync(folder, { recursive: true, force: true });
  }

  /** The copy of a state as it was committed under an epoch, if there is one. */
  take(site: number, epoch: number): SiteFile | undefined {
    const copy = this.#idle.get(site);
    this.#idle.delete(site);
    if (copy === undefined || copy.epoch === epoch) return copy?.file;
    copy.file.remove();
    return undefined;
  }

  /** A new copy, to be loaded. */
  open(site: number): SiteFile {
    return new SiteFile({ folder: this.#folder, site });
  }

  /** Leaves a copy as it was committed under an epoch. */
  leave(site: number, epoch: number, file: SiteFile): void {
    file[Symbol.dispose]();
    this.#idle.set(site, { epoch, file });
    const [oldest] = this.#idle.keys();
    if (this.#idle.size <= mostCopies || oldest === undefined) return;
    this.#idle.get(oldest)?.file.remove();
    this.#idle.delete(oldest);
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
