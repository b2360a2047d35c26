import type { AnsweredClaim } from "../../../core/index.ts";

/** What our own answer of a page says of a peer's claim. */
export type Verdict =
  | "true"
  | "false"
  /** It says nothing. */
  | "unclear"
  /** There was no answer yet. */
  | "open";

/** Clocks of servers and peers differ, in seconds. */
const skewSeconds = 300;

/**
 * Judges a claim by our own answer.
 *
 * A page may change between a peer's poll and ours. So an update counts if the page changed at all since our last answer
 * before the claim, and a promise that a page is the same is only broken if the site itself dates the change before the
 * promise.
 */
export function judgeClaim({ kind, polledAt, isOpen, page }: AnsweredClaim): Verdict {
  if (page === undefined || !isOpen) return "unclear";
  const { isAnswered, isHeld, isChanged, isDeleted, modifiedAt, trouble, isLinkOnly } = page;
  if (trouble === "unavailable") return "open";
  const isGone = isDeleted || trouble === "gone";
  if (kind === "delete" && isGone) return "true";
  if (trouble !== undefined) return kind === "create" && isGone ? "false" : "unclear";
  if (!isAnswered) return "open";
  switch (kind) {
    case "create":
      return isHeld ? "true" : isLinkOnly ? "unclear" : "false";
    case "update":
      return isChanged ? "true" : "false";
    case "delete":
      return isLinkOnly ? "unclear" : "false";
    case "same":
      if (!isChanged) return "true";
      return modifiedAt !== undefined && modifiedAt + skewSeconds < polledAt ? "false" : "unclear";
  }
}
