import type { EpochSeconds } from "../../core/index.ts";
import type { WebEvent } from "../../formats/web-events/index.ts";
import { resolveEvents } from "./resolve-events.ts";

/** What a crawler knows of a URL that a peer tells of. */
export interface KnownUrl {
  /** Its own event; undefined if it holds nothing of the URL and saw nothing of it go. */
  readonly event: WebEvent | undefined;
  /** When it was last answered; undefined if it never was. */
  readonly askedAt: EpochSeconds | undefined;
}

/** What a peer's event does to the next visit of a page. It never does more. */
export type Candidate =
  /** The crawler's own view is as new: nothing. */
  | { readonly kind: "known" }
  /** The URL is not known: it is to be polled. */
  | { readonly kind: "new" }
  /** The page is to be polled at the next visit to its site. */
  | { readonly kind: "sooner" }
  /**
   * The peer found the version that we hold: as if we had polled the page then, for all that is planned. Besides, it needs
   * no poll before `dueAt`; 0 if the peer expects nothing.
   */
  | { readonly kind: "later"; readonly checkedAt: EpochSeconds; readonly dueAt: EpochSeconds };

/** A page that a peer knows especially well is left to it as long as it looks at the page at least so often: a day, in seconds. */
const specialSeconds = 86_400;

/** No peer puts a poll off for longer than this after our own last one: a week, in seconds. */
const maxPutOffSeconds = 7 * 86_400;

/** Whether both are of the same version; undefined if it is another one that need not be newer than ours. */
function agrees(peer: WebEvent, own: WebEvent): boolean | undefined {
  if (own.kind === "deleted") return undefined;
  // A server need not say when a page changed: then each crawler has a time of its own, and the digest alone tells.
  if (peer.digest !== undefined && own.digest !== undefined) return own.digest.startsWith(peer.digest);
  return (peer.modifiedAt === own.modifiedAt && peer.sizeBytes === own.sizeBytes) || undefined;
}

/**
 * Whether a peer may have seen the version that we hold, and could not tell when it changed: without a digest, and with the
 * time of its poll in place of the server's.
 */
function isUndated(peer: WebEvent, own: WebEvent): boolean {
  return peer.digest === undefined && peer.modifiedAt === peer.polledAt && peer.sizeBytes === own.sizeBytes;
}

/**
 * Decides what a peer's event does to a page's next visit.
 *
 * An event from before our own last answer does nothing, so that an event that comes twice, or that is our own and comes
 * back, does nothing the second time. The decision depends on this event and on what we saw alone, so that the order in
 * which peers are merged does not matter.
 *
 * @param peer - the event
 * @param own - what we know of the URL
 * @param isSpecial - whether the peer knows the URL especially well, and is believed that
 */
export function planCandidate(peer: WebEvent, { event, askedAt }: KnownUrl, isSpecial = false): Candidate {
  if (askedAt !== undefined && askedAt >= peer.polledAt) return { kind: "known" };
  // "[crawler M] has no prior record of the URL [...] then crawler M simply mirrors the web-event".
  if (event === undefined) return peer.kind === "deleted" ? { kind: "known" } : { kind: "new" };
  const ours = { event, isDisputed: false };
  const { event: resolved, isDisputed } = resolveEvents(ours, { event: peer, isDisputed: false });
  if (isDisputed) return { kind: "sooner" };
  if (resolved.kind === "deleted") return { kind: event.kind === "deleted" ? "known" : "sooner" };
  const isAgreed = agrees(peer, event);
  if (isAgreed === undefined && isUndated(peer, event)) return { kind: "known" };
  if (isAgreed === false || (isAgreed === undefined && resolved.modifiedAt > event.modifiedAt))
    return { kind: "sooner" };
  if (isAgreed === undefined || askedAt === undefined) return { kind: "known" };
  const { polledAt } = peer;
  const lifetimeSeconds = Math.max(peer.lifetimeSeconds ?? -polledAt, isSpecial ? specialSeconds : -polledAt);
  const latest = askedAt + maxPutOffSeconds;
  return {
    kind: "later",
    checkedAt: Math.min(polledAt, latest),
    dueAt: Math.min(polledAt + lifetimeSeconds, latest),
  };
}
