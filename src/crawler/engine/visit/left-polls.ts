import type { EpochMs } from "../../../core/index.ts";

/** Among which pages polls are chosen: all known ones, those that a list calls changed, or what nobody asked for in the longest interval. */
export type ChoiceKind = "known" | "moved" | "hinted" | "overdue";

/** Polls in their order, by path. */
export interface ChosenPaths {
  readonly paths: readonly string[];
  /** When the first of the pages that were not chosen is due; undefined if there is none. */
  readonly nextDueAt: EpochMs | undefined;
}

/** What a visit chose and did not come to. */
export interface LeftChoice extends ChosenPaths {
  readonly chosenAt: EpochMs;
}

/** After that it is chosen anew, since more pages are due, and more is known of them; a day cost freshness of large sites. */
const choiceAgeMs = 3 * 3_600_000;
/** Of all sites: some 200,000 usual paths. */
const defaultMostBytes = 2 ** 24;

/** About the memory of a choice. */
function bytesOf(left: LeftChoice | undefined): number {
  return left?.paths.reduce((sum, { length }) => sum + 16 + length, 100) ?? 0;
}

/**
 * Polls that visits chose before they were ended in order, for those that go on with them. To choose means to look at all known pages of the
 * site: each visit of a few requests would do so anew. What is not here is chosen again, so nothing depends on it; it ends with the process.
 */
export class LeftPolls {
  readonly #mostBytes: number;
  /** By origin, in the order in which they were kept. */
  readonly #sites = new Map<string, Map<ChoiceKind, LeftChoice>>();
  #bytes = 0;

  constructor(mostBytes: number = defaultMostBytes) {
    this.#mostBytes = mostBytes;
  }

  /**
   * What is left of a choice.
   *
   * @param after - earlier ones do not count: lists were read since
   */
  read(origin: string, kind: ChoiceKind, now: EpochMs, after: EpochMs): LeftChoice | undefined {
    const left = this.#sites.get(origin)?.get(kind);
    if (left === undefined || left.chosenAt < after || left.chosenAt > now) return undefined;
    return now - left.chosenAt < choiceAgeMs ? left : undefined;
  }

  /** Keeps what is left of a choice; where there is no room, that of the sites whose visits are longest ago is forgotten. */
  keep(origin: string, kind: ChoiceKind, left: LeftChoice): void {
    const kinds = this.#sites.get(origin) ?? new Map<ChoiceKind, LeftChoice>();
    this.#bytes += bytesOf(left) - bytesOf(kinds.get(kind));
    kinds.set(kind, left);
    this.#sites.delete(origin);
    this.#sites.set(origin, kinds);
    for (const oldest of this.#sites.keys()) {
      if (this.#bytes <= this.#mostBytes) return;
      this.forget(oldest);
    }
  }

  /** Forgets what is left of a site, because its visit came to its end, or of one choice of it. */
  forget(origin: string, kind?: ChoiceKind): void {
    const kinds = this.#sites.get(origin);
    for (const [one, left] of kinds ?? [])
      if (kind === undefined || one === kind) {
        this.#bytes -= bytesOf(left);
        kinds?.delete(one);
      }
    if (kinds?.size === 0) this.#sites.delete(origin);
  }
}
