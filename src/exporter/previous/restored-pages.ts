import { type Change, ok, pathOf, problem, type Result } from "../../core/index.ts";
import { parseChangeLine, writeChangeLine } from "../../formats/archive/index.ts";
import { RecordSort } from "../../fs/index.ts";
import { PageWriter } from "../publish/page-file.ts";
import type { Yielder } from "../publish/yielder.ts";

/** The list of pages that base and intervals come to. */
export interface RestoredPages {
  /** To be committed or disposed of by the caller. */
  readonly writer: PageWriter;
  readonly pages: number;
  /** Those published without a digest. */
  readonly undigested: number;
}

/** Gathers changes, the oldest first, and writes the pages that are there after all of them, in bounded memory. */
export class PageRestoration implements Disposable {
  readonly #folder: string;
  readonly #sort: RecordSort;

  /** @param folder - the state's: for what does not fit in memory, and for the list of pages */
  constructor(folder: string) {
    this.#folder = folder;
    this.#sort = new RecordSort(folder);
  }

  /** Takes changes; a later one of a path replaces an earlier one. */
  add(changes: readonly Change[]): void {
    for (const change of changes) {
      const path = pathOf(change);
      this.#sort.text.put(path);
      writeChangeLine(this.#sort.text, change);
      this.#sort.add(path.length);
    }
  }

  /**
   * Writes the pages. Nothing is known of their files: their times say nothing, so that the next comparison looks at
   * each one, and equal bytes keep their last-modified.
   */
  async write(yielder: Yielder): Promise<RestoredPages> {
    const writer = new PageWriter(this.#folder);
    let undigested = 0;
    try {
      let path: string | undefined;
      let last: Change | undefined;
      const keep = (): boolean => {
        if (last === undefined || last.kind === "deleted") return false;
        const { page } = last;
        if (page.digest === undefined) undigested += 1;
        // What a list says of a page is compared with the last-modified.
        return writer.add({ ...page, mtimeUs: page.lastModified * 1e6, ctimeUs: 0, racy: true });
      };
      for (const { bytes, start, keyEnd, end } of this.#sort.drain()) {
        const change = parseChangeLine(bytes.toString("latin1", keyEnd, end - 1));
        if (!change.ok) throw new TypeError(change.error.message);
        const next = bytes.toString("latin1", start, keyEnd);
        if (next !== path && keep()) await writer.drain();
        path = next;
        last = change.value;
        if (yielder.count()) await yielder.pause();
      }
      keep();
      await writer.end();
      return { writer, pages: writer.count, undigested };
    } catch (error) {
      await writer[Symbol.asyncDispose]();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#sort[Symbol.dispose]();
  }
}

/** Changes of an archive of a tier stand in path order. @returns a problem otherwise */
export function checkPathOrder(changes: readonly Change[]): Result<undefined> {
  for (let at = 1; at < changes.length; at++) {
    const [before, after] = [changes[at - 1], changes[at]];
    if (before !== undefined && after !== undefined && pathOf(before) >= pathOf(after))
      return problem("bad-order", "its changes are not in the order of paths");
  }
  return ok(undefined);
}
