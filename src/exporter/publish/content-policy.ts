import { type Cover, resemblance } from "../../formats/html/index.ts";
import type { PublishedPage } from "./published-page.ts";

/** What decides whether a change of bytes is a change of a page. */
export interface ContentPolicy {
  /** Tells the rules from others that marks may have been made by. */
  readonly fingerprint: number;
  /** Whether the rules say anything about pages of this type. */
  readonly appliesTo: (mediaType: string) => boolean;
  /** Texts that resemble each other so much or more are the same, 0 to 1; undefined if texts are not compared. */
  readonly significant: number | undefined;
}

/** Whether what is remembered of a page's content was found by the rules that hold now for its media type. */
export function hasFreshMark(before: PublishedPage, mediaType: string, policy: ContentPolicy | undefined): boolean {
  return before.mark?.rules === (policy?.appliesTo(mediaType) === true ? policy.fingerprint : undefined);
}

/**
 * Whether a page of other bytes is still the one that was published: what is left of its bytes is the
 * same, or its text is nearly so.
 *
 * @param published - what was remembered when it was published
 * @param digest - of all bytes that it has now
 * @param now - its cover now, if it has one
 */
export function isInsignificant(
  published: Cover,
  digest: string,
  now: Cover | undefined,
  policy: ContentPolicy | undefined,
): boolean {
  if ((now?.contentDigest ?? digest) === published.contentDigest) return true;
  if (policy?.significant === undefined || published.sketch === undefined || now?.sketch === undefined) return false;
  return resemblance(published.sketch, now.sketch) >= policy.significant;
}
