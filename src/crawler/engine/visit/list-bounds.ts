import type { Clock } from "../../../core/index.ts";

/** So many lists are read in each visit, and under a budget half as many as it has requests beside them. */
const freeLists = 10;
const listShare = 0.5;
/** After so long, and the first lists, the pages that are known have their turn before more lists are read. */
const listSliceMs = 150_000;

/** Lists take a part of a visit only: pages have their turn in each visit, however many lists there are. */
export class ListBounds {
  #left: number;

  /** @param budget - page requests of the visit */
  constructor(budget: number) {
    this.#left = freeLists + budget * listShare;
  }

  /** Whether the visit may read another list at all. */
  get isOpen(): boolean {
    return this.#left >= 1;
  }

  /** Begins a look. @returns counts a list that is to be read; whether it may be */
  begin(now: Clock): () => boolean {
    const from = now();
    let read = 0;
    return () => {
      if (!this.isOpen || (read >= freeLists && now() - from >= listSliceMs)) return false;
      this.#left--;
      read++;
      return true;
    };
  }
}
