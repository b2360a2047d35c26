import type { FetchFailure, FetchOutcome, Validators } from "./fetch-outcome.ts";

/**
 * What a failure says: `passing` and `site`, that the server or the network is in trouble, where the first may be over at once;
 * `page`, that this URL has no usable body and will have none by itself; `ours`, that we did not want to go on.
 */
const meanings: Readonly<Record<FetchFailure, "passing" | "site" | "page" | "ours">> = {
  connection: "passing",
  dns: "passing",
  truncated: "passing",
  timeout: "site",
  tls: "site",
  "too-large": "page",
  "redirect-loop": "page",
  "redirect-elsewhere": "page",
  "private-address": "page",
  "bad-coding": "page",
  protocol: "page",
  "redirect-disallowed": "ours",
  aborted: "ours",
};

/**
 * Whether an outcome says that the site is in trouble: it could not be reached, broke off, or answered 429 or 5xx. Some of
 * them in a row end a visit, and each makes it wait. A page that cannot be used is none: the server answered.
 */
export function isSiteInTrouble(outcome: FetchOutcome): boolean {
  if (outcome.kind === "failed") return meanings[outcome.reason] === "passing" || meanings[outcome.reason] === "site";
  return outcome.kind === "unavailable";
}

/** Whether the same request may succeed a moment later. A timeout has had its time, and a bad certificate stays. */
export function mayPassAtOnce(outcome: FetchOutcome): boolean {
  return outcome.kind === "failed" ? meanings[outcome.reason] === "passing" : outcome.kind === "unavailable";
}

/** Whether an outcome does not pass by itself, so that an early retry is in vain: a 4xx, or a body that cannot be used. */
export function isLasting(outcome: FetchOutcome): boolean {
  return outcome.kind === "refused" || (outcome.kind === "failed" && meanings[outcome.reason] === "page");
}

/**
 * Validators of what is held, after the server confirmed it: what a 304 says replaces what was known, what it leaves out
 * stays.
 *
 * @returns `held` itself if nothing is new
 * @see RFC 9110 section 15.4.5; RFC 9111 section 4.3.4
 */
export function confirmValidators(held: Validators, told: Validators): Validators {
  const { etag = held.etag, lastModified = held.lastModified } = told;
  return etag === held.etag && lastModified === held.lastModified ? held : { ...held, ...told };
}

/**
 * Whether an answer says that a site has no robots.txt, which allows everything: 4xx but 429, or redirects that lead nowhere.
 *
 * @see RFC 9309 sections 2.3.1.2 and 2.3.1.3
 */
export function saysNoRobots(outcome: FetchOutcome): boolean {
  if (outcome.kind === "failed") return outcome.reason === "redirect-loop" || outcome.reason === "redirect-elsewhere";
  return outcome.kind === "gone" || outcome.kind === "refused";
}
