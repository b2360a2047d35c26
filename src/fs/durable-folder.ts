import { TidemarkError } from "../core/index.ts";
import { syncFiles } from "./file-sync.ts";
import { GroupSync } from "./group-sync.ts";

/**
 * Makes files durable many at a time: the whole file system with one call where there is a `sync -f`,
 * which costs less than a call a file; else file by file.
 */
export class DurableFolder {
  readonly #folder: string;
  readonly #sync: GroupSync;
  #isDirty = false;
  /** Paths written since the last flush; not kept any more once `sync -f` has worked. */
  #written: (string | Buffer)[] | undefined = [];

  /** @param sync - shared by all folders of a file system. Default: one of its own */
  constructor(folder: string, sync: GroupSync = new GroupSync(folder)) {
    this.#folder = folder;
    this.#sync = sync;
  }

  /** Notes that a file was written, replaced or removed. */
  note(path: string | Buffer): void {
    this.#isDirty = true;
    this.#written?.push(path);
  }

  /** Makes everything that was noted until now durable. */
  async flush(): Promise<void> {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    const written = this.#written;
    if (written !== undefined) this.#written = [];
    if (await this.#sync.run()) this.#written = undefined;
    else if (written !== undefined) await syncFiles(written, { mayBeGone: true });
    else throw new TidemarkError("io", `Could not make ${this.#folder} durable.`, { hint: "Look at the disk." });
  }
}
