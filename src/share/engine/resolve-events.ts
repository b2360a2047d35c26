import type { WebEvent } from "../../formats/web-events/index.ts";

/** What two events of a URL come to. */
export interface ResolvedEvent {
  readonly event: WebEvent;
  /** The sequence of the events was wrong: the URL is to be polled, whatever is recorded. */
  readonly isDisputed: boolean;
}

/** Of two observations of the same change the last one is kept; the rest only makes the order total. */
function isBetter(a: WebEvent, b: WebEvent): boolean {
  if (a.polledAt !== b.polledAt) return a.polledAt > b.polledAt;
  if (a.crawler !== b.crawler) return a.crawler < b.crawler;
  if (a.sizeBytes !== b.sizeBytes) return a.sizeBytes > b.sizeBytes;
  return (a.lifetimeSeconds ?? -1) > (b.lifetimeSeconds ?? -1);
}

const laterOf = (a: WebEvent, b: WebEvent): WebEvent =>
  a.modifiedAt === b.modifiedAt ? (isBetter(a, b) ? a : b) : a.modifiedAt > b.modifiedAt ? a : b;
const earlierOf = (a: WebEvent, b: WebEvent): WebEvent =>
  a.modifiedAt === b.modifiedAt ? (isBetter(a, b) ? a : b) : a.modifiedAt < b.modifiedAt ? a : b;

function isSame(a: WebEvent, b: WebEvent): boolean {
  return a.kind === b.kind && a.modifiedAt === b.modifiedAt;
}

function resolveLiving(a: WebEvent, b: WebEvent): WebEvent {
  const later = laterOf(a, b);
  // The same change, seen twice.
  if (isSame(a, b)) return later;
  // "If a URL has two different CREATE events [...] the most recent CREATE event is assumed to reflect an update."
  // "If a URL has two different UPDATE events [...] then the most recent is recorded".
  // "If a URL [...] has an UPDATE event and crawler S has a more recent CREATE event, then S's CREATE event is assumed to
  // be an invalid detection of an update".
  // "all UPDATE events occur after CREATE events": the update is recorded.
  return { ...later, kind: "updated" };
}

/**
 * Resolves two events of one URL, each the resolution of any number of others.
 *
 * Commutative and idempotent. Associative among creations and updates, and with one deletion; not with two deletions and a
 * creation or update between them, for there the thesis's rules contradict each other (`docs/protocol.md`).
 *
 * "When trying to determine recency, the last-modified-date of an event is used."
 *
 * @throws TypeError if they are of different URLs
 * @see G. L. McLearn, Autonomous Cooperating Web Crawlers, M.Math. thesis, Waterloo 2002, section 3.3.1
 */
export function resolveEvents(a: ResolvedEvent, b: ResolvedEvent): ResolvedEvent {
  if (a.event.url !== b.event.url) throw new TypeError("they are of different URLs");
  const isDisputed = a.isDisputed || b.isDisputed;
  const [first, second] = [a.event, b.event];
  if (first.kind !== "deleted" && second.kind !== "deleted") return { event: resolveLiving(first, second), isDisputed };
  // "If a URL has two different DELETE events [...] the least recent event is assume[d] to be the most accurate".
  if (first.kind === "deleted" && second.kind === "deleted") return { event: earlierOf(first, second), isDisputed };
  const [deleted, living] = first.kind === "deleted" ? [first, second] : [second, first];
  // "all DELETE events occur after UPDATE events".
  if (deleted.modifiedAt >= living.modifiedAt) return { event: deleted, isDisputed };
  // "Any deviation indicates an error, and the crawler should attempt to investigate by scheduling a network poll".
  // "Exactly one CREATE": what was deleted had been created before.
  return { event: { ...living, kind: "updated" }, isDisputed: true };
}
