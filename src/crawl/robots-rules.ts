import { maxRobotsBytes, parseRobots, type Robots, robotsCrawlDelaySeconds } from "../format/index.ts";
import { ok, problem, type Result, type RobotsCopy } from "../model/index.ts";
import { describeOutcome, getPatiently } from "./patient-request.ts";
import { type ReadingVisit, warn } from "./reading-visit.ts";

/** The name by which robots.txt files speak to us. */
export const productToken = "tidemark";

/** RFC 9309 section 2.4: a copy is not used longer than this without asking. */
const maxCopyAgeMs = 24 * 60 * 60 * 1000;

/** Lets the site's Crawl-delay hold for what is asked next. */
export function keepCrawlDelay(visit: ReadingVisit, robots: Robots): void {
  const crawlDelayMs = Math.ceil((robotsCrawlDelaySeconds(robots, productToken) ?? 0) * 1000);
  visit.ports.gate?.describe(visit.origin, { crawlDelayMs });
}

/** The rules that hold for this visit. */
export interface RobotsRules {
  readonly robots: Robots;
  /** What is to be remembered; undefined if the copy stays as it is. */
  readonly copy: RobotsCopy | undefined;
}

/**
 * Asks for robots.txt.
 *
 * @returns the rules; a problem `site-unavailable` if the server is in trouble and no copy of the last day is kept
 * @see RFC 9309 sections 2.3.1 and 2.4
 */
export async function readRobots(visit: ReadingVisit, kept: RobotsCopy | undefined): Promise<Result<RobotsRules>> {
  const outcome = await getPatiently(visit, "metadata", () => ({
    path: "/robots.txt",
    maxBytes: maxRobotsBytes + 1,
    truncateAtBytes: maxRobotsBytes + 1,
    maxRedirects: 5,
    crossOrigin: true,
    ...(kept === undefined ? {} : { validators: kept.validators }),
  }));
  const confirmedAt = visit.ports.timing.now();
  const none: RobotsCopy = { body: new Uint8Array(0), validators: {}, confirmedAt };
  switch (outcome.kind) {
    case "fetched": {
      const copy = { body: outcome.body, validators: outcome.validators, confirmedAt };
      return ok({ robots: parseRobots(outcome.body), copy });
    }
    case "not-modified":
      if (kept !== undefined) return ok({ robots: parseRobots(kept.body), copy: { ...kept, confirmedAt } });
      break;
    case "gone":
    case "refused":
      return ok({ robots: parseRobots(none.body), copy: none });
    case "failed":
      // RFC 9309 section 2.3.1.2: more than five redirects are as if there were none.
      if (outcome.reason === "redirect-loop" || outcome.reason === "redirect-elsewhere")
        return ok({ robots: parseRobots(none.body), copy: none });
      break;
    case "unavailable":
      break;
    case "postponed":
      return problem("site-unavailable", `robots.txt is not asked for: ${outcome.message}`);
  }
  if (kept !== undefined && confirmedAt - kept.confirmedAt <= maxCopyAgeMs) {
    warn(
      visit,
      "robots-kept",
      `robots.txt could not be had (${describeOutcome(outcome)}); the copy of the last visit is used.`,
    );
    return ok({ robots: parseRobots(kept.body), copy: undefined });
  }
  return problem("site-unavailable", `robots.txt could not be had: ${describeOutcome(outcome)}`);
}
