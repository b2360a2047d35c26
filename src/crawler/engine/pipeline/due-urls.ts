import type { CandidateChoice, PollCandidate, TrackedUrl, UrlChoice } from "../../../core/index.ts";
import type { CrawlVisit } from "../discovery/crawl-visit.ts";
import { patienceVisits } from "../politeness/patient-request.ts";

const urlsAtATime = 250;
/** At most so many URLs that were unavailable before are requested in a visit. */
export const maxAway = 10_000;
/** So many requests of a budget are theirs, should the rest be used up before their turn. */
const reservedRequests = 2;

/** Whether a page was unavailable at the last request. */
export function isAway({ postponed }: Pick<TrackedUrl, "postponed">): boolean {
  return postponed?.trouble === "unavailable";
}

/** Whether it was unavailable in so many visits that one attempt a visit is enough. */
export function isLongAway({ postponed }: Pick<TrackedUrl, "postponed">): boolean {
  return postponed?.trouble === "unavailable" && postponed.attempts >= patienceVisits;
}

function* readParts<U extends Pick<TrackedUrl, "id" | "path">>(
  take: (after: Pick<TrackedUrl, "id" | "path">, limit: number) => U[],
  behind = "",
): Generator<U, void, void> {
  for (let after: Pick<TrackedUrl, "id" | "path"> | undefined = { id: 0, path: behind }; after !== undefined; ) {
    const urls: U[] = take(after, urlsAtATime);
    yield* urls;
    after = urls.length < urlsAtATime ? undefined : urls.at(-1);
  }
}

/**
 * URLs of a kind in their order, read from the store a part at a time.
 *
 * @param behind - only announced ones behind this path
 */
export function readUrls({ ports, since }: CrawlVisit, choice: UrlChoice, behind?: string): Generator<TrackedUrl> {
  return readParts((after, limit) => ports.urls.take(choice, since, after, limit), behind);
}

/** Candidates of {@link readUrlsAtHand}. */
export function* readCandidates(
  { ports, since }: CrawlVisit,
  choice: CandidateChoice,
): Generator<PollCandidate, void, void> {
  const candidates = readParts((after, limit) => ports.urls.takeCandidates(choice, since, after, limit));
  for (const url of candidates) if (!isAway(url)) yield url;
}

/**
 * URLs of a kind without those that were unavailable before, which come last: a few of them one after the other are taken
 * for a site in trouble, and one can ask for a long rest. They would keep those behind them waiting for ever.
 */
export function* readUrlsAtHand(visit: CrawlVisit, choice: UrlChoice): Generator<TrackedUrl, void, void> {
  for (const url of readUrls(visit, choice)) if (!isAway(url)) yield url;
}

/** How many requests of a budget are left to URLs that were unavailable before. */
export function reservedFor(away: number, budget: number): number {
  return Math.min(away, reservedRequests, Math.floor(budget / 2));
}
