import type { FetchFailure, FetchOutcome, Validators } from "./fetch-outcome.ts";

/**
 * Who is responsible for a failure: `passing` and `site` mean the server or network is in trouble (`passing` may be
 * over at once); `page` means this URL has no usable body and will not get one by itself; `ours` means we stopped.
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
  "redirect-taken": "ours",
  aborted: "ours",
};

/**
 * Whether an outcome says that the site is in trouble: unreachable, broken off, or 429 or 5xx. Each delays the next
 * request; several in a row end a visit. An unusable page does not count, because the server answered.
 */
export function isSiteInTrouble(outcome: FetchOutcome): boolean {
  if (outcome.kind === "failed") return meanings[outcome.reason] === "passing" || meanings[outcome.reason] === "site";
  return outcome.kind === "unavailable";
}

/** Whether the same request may succeed a moment later. After a timeout or a bad certificate it will not. */
export function mayPassAtOnce(outcome: FetchOutcome): boolean {
  return outcome.kind === "failed" ? meanings[outcome.reason] === "passing" : outcome.kind === "unavailable";
}

/** Whether an outcome is lasting, so that an early retry is pointless: a 4xx, or an unusable body. */
export function isLasting(outcome: FetchOutcome): boolean {
  return outcome.kind === "refused" || (outcome.kind === "failed" && meanings[outcome.reason] === "page");
}

/**
 * Updates held validators after a 304: what the response states replaces the known value, what it omits stays.
 *
 * @returns `held` itself if nothing changed
 * @see RFC 9110 section 15.4.5; RFC 9111 section 4.3.4
 */
export function confirmValidators(held: Validators, told: Validators): Validators {
  const { etag = held.etag, lastModified = held.lastModified } = told;
  return etag === held.etag && lastModified === held.lastModified ? held : { ...held, ...told };
}

/**
 * Whether a response means that the site has no robots.txt and allows everything: 4xx except 429, or redirects without
 * end. A redirect that is not followed, such as to another port, does not: the file exists, and was not read.
 *
 * @see RFC 9309 sections 2.3.1.2 and 2.3.1.3
 */
export function saysNoRobots(outcome: FetchOutcome): boolean {
  if (outcome.kind === "failed") return outcome.reason === "redirect-loop";
  return outcome.kind === "gone" || outcome.kind === "refused";
}
