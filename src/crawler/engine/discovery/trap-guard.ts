import { findDate } from "./calendar-date.ts";
import { withoutSession } from "./session-id.ts";

/** Bounds against sites that go on for ever. */
export interface TrapBounds {
  /** Of a URL, in characters. Default 2048. */
  readonly maxUrlLength?: number;
  /** Of a path, in segments. Default 32. */
  readonly maxSegments?: number;
  /** How often a group of segments may follow itself, as in `/a/b/a/b/a/b`. Default 3: the third time is one too many. */
  readonly maxRepeats?: number;
  /** How many queries of one path are followed. Default 200. */
  readonly maxQueries?: number;
  /** How many months into the past a calendar is followed without question, for archives do end. Default 360. */
  readonly pastMonths?: number;
  /** The same into the future. Default 24. */
  readonly futureMonths?: number;
  /** How many months of one calendar beyond those are followed. Default 12. */
  readonly maxOtherMonths?: number;
  /** How many pages of one list may follow one another without anything new. Default 3. */
  readonly maxBarrenPages?: number;
  /** Of how many paths, and of how many calendars and lists, it is remembered what was seen. Default 10,000. */
  readonly maxRemembered?: number;
}

/** Why a URL is taken for part of a trap. */
export const trapRefusals = [
  "url-too-long",
  "path-too-deep",
  "repeating-path",
  "too-many-queries",
  "calendar",
  "barren-list",
] as const;

/** See {@link trapRefusals}. */
export type TrapRefusal = (typeof trapRefusals)[number];

/** What is to be done with a URL. */
export type TrapVerdict =
  | {
      readonly kind: "follow";
      /** Without what only names a visit: this is the page's identity, and what is asked for. */
      readonly url: string;
      /** Whether a session id was taken out. */
      readonly hadSession: boolean;
    }
  | { readonly kind: "refused"; readonly reason: TrapRefusal };

const pageNumber = /(?<=[?&/](?:page|pg|paged|offset|seite)[=/])[0-9]{1,9}(?=$|[&/])/gi;

/** Forgets what was not used for longest when it is full. */
class Memory<Value> {
  readonly #values = new Map<string, Value>();
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  take(key: string, make: () => Value): Value {
    const known = this.#values.get(key);
    const value = known ?? make();
    if (known !== undefined) this.#values.delete(key);
    else if (this.#values.size >= this.#size) {
      const oldest = this.#values.keys().next();
      if (oldest.done !== true) this.#values.delete(oldest.value);
    }
    this.#values.set(key, value);
    return value;
  }
}

/** FNV-1a, 32 bits, over UTF-16 units: a collision lets one query too many through. */
function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  return hash;
}

/**
 * Keeps a crawl of links out of what has no end: calendars, lists that go on without content, paths that repeat, queries
 * without number. What it remembers is bounded; a URL that it let through is let through again as long as it remembers.
 */
export class TrapGuard {
  readonly #bounds: Required<TrapBounds>;
  readonly #thisMonth: number;
  readonly #queries: Memory<Set<number>>;
  readonly #calendars: Memory<Set<number>>;
  readonly #lists: Memory<{ barren: number }>;

  /** @param nowMs - milliseconds since 1970: where calendars have their middle */
  constructor(nowMs: number, bounds: TrapBounds = {}) {
    const remembered = bounds.maxRemembered ?? 10_000;
    this.#bounds = {
      maxUrlLength: 2048,
      maxSegments: 32,
      maxRepeats: 3,
      maxQueries: 200,
      pastMonths: 360,
      futureMonths: 24,
      maxOtherMonths: 12,
      maxBarrenPages: 3,
      ...bounds,
      maxRemembered: remembered,
    };
    const now = new Date(nowMs);
    this.#thisMonth = now.getUTCFullYear() * 12 + now.getUTCMonth() + 1;
    this.#queries = new Memory(remembered);
    this.#calendars = new Memory(remembered);
    this.#lists = new Memory(remembered);
  }

  /** @param text - an absolute URL without fragment. @throws TypeError if it is none */
  judge(text: string): TrapVerdict {
    const { maxUrlLength, maxSegments, maxQueries } = this.#bounds;
    if (text.length > maxUrlLength) return { kind: "refused", reason: "url-too-long" };
    const bare = withoutSession(text);
    const url = new URL(bare);
    const segments = url.pathname.split("/").filter((segment) => segment !== "");
    if (segments.length > maxSegments) return { kind: "refused", reason: "path-too-deep" };
    if (this.#repeats(segments)) return { kind: "refused", reason: "repeating-path" };
    if (this.#isBarren(bare)) return { kind: "refused", reason: "barren-list" };
    if (!this.#isInCalendar(url)) return { kind: "refused", reason: "calendar" };
    if (url.search !== "") {
      const queries = this.#queries.take(url.origin + url.pathname, () => new Set());
      if (!takePlace(queries, hashOf(url.search), maxQueries)) return { kind: "refused", reason: "too-many-queries" };
    }
    return { kind: "follow", url: bare, hadSession: bare !== text };
  }

  /**
   * Tells what a page was worth. A numbered page of a list (`?page=7`, `/page/7/`) that brought nothing new brings the
   * list nearer to its end.
   *
   * @param text - its URL, as {@link judge} gave it
   * @param isNew - whether its content, or any of its links, was not known before
   */
  learn(text: string, isNew: boolean): void {
    const list = this.#listOf(text);
    if (list === undefined) return;
    list.barren = isNew ? 0 : list.barren + 1;
  }

  #isBarren(text: string): boolean {
    return (this.#listOf(text)?.barren ?? 0) >= this.#bounds.maxBarrenPages;
  }

  #listOf(text: string): { barren: number } | undefined {
    const form = text.replace(pageNumber, "*");
    return form === text ? undefined : this.#lists.take(form, () => ({ barren: 0 }));
  }

  #isInCalendar(url: URL): boolean {
    const date = findDate(url);
    const { pastMonths, futureMonths, maxOtherMonths } = this.#bounds;
    if (date === undefined) return true;
    const monthsAhead = date.month - this.#thisMonth;
    if (monthsAhead <= futureMonths && monthsAhead >= -pastMonths) return true;
    const months = this.#calendars.take(url.origin + date.form, () => new Set());
    return takePlace(months, date.month, maxOtherMonths);
  }

  // A group of segments that stands `maxRepeats` times in a row, anywhere.
  #repeats(segments: readonly string[]): boolean {
    const { maxRepeats } = this.#bounds;
    for (let size = 1; size * maxRepeats <= segments.length; size++) {
      let equal = 0;
      for (let at = size; at < segments.length; at++) {
        equal = segments[at] === segments[at - size] ? equal + 1 : 0;
        if (equal >= size * (maxRepeats - 1)) return true;
      }
    }
    return false;
  }
}

function takePlace(places: Set<number>, place: number, limit: number): boolean {
  if (places.has(place)) return true;
  if (places.size >= limit) return false;
  places.add(place);
  return true;
}
