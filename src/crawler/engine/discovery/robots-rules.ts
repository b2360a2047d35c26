import {
  confirmValidators,
  type EpochMs,
  type FetchOutcome,
  ok,
  problem,
  type Result,
  type RobotsCopy,
  saysNoRobots,
  type Validators,
} from "../../../core/index.ts";
import {
  maxRobotsBytes,
  parseRobots,
  type Robots,
  type RobotsAgent,
  robotsCrawlDelaySeconds,
} from "../../../formats/robots/index.ts";
import { describeOutcome, getPatiently, type Postponed } from "../politeness/patient-request.ts";
import { type ReadingVisit, warn } from "../visit/reading-visit.ts";
import { maxCopyAgeMs, robotsFreshMs } from "../visit/robots-freshness.ts";
import { withoutShared } from "../visit/shared-tags.ts";
import type { VisitProgress } from "../visit/visit-progress.ts";

/** Applies the site's Crawl-delay to the next requests. @returns it, in milliseconds; 0 if there is none */
export function keepCrawlDelay(visit: ReadingVisit, robots: Robots): number {
  const crawlDelayMs = Math.ceil((robotsCrawlDelaySeconds(robots, visit.agent) ?? 0) * 1000);
  visit.ports.rateLimiter?.describe(visit.origin, { crawlDelayMs });
  return crawlDelayMs;
}

/** The agent names of a copy of robots.txt; see {@link RobotsCopy}. */
export function copyKeyOf(agent: RobotsAgent): string {
  return agent.join(" ");
}

/** Whether two copies have the same agent names and the same body. */
export function isSameRobots(a: RobotsCopy | undefined, b: RobotsCopy): boolean {
  return (
    a !== undefined &&
    a.agent === b.agent &&
    a.body.length === b.body.length &&
    a.body.every((byte, at) => byte === b.body[at])
  );
}

/** The rules of a visit. */
export interface RobotsRules {
  readonly robots: Robots;
  /** To be remembered; undefined if the copy is unchanged. */
  readonly copy: RobotsCopy | undefined;
  /** When they are requested again, even during a visit. */
  readonly until: EpochMs;
}

// A robots.txt that announces archives is requested in each visit, because it names the index.
function freshRules(kept: RobotsCopy, nowMs: number, resumed: VisitProgress | undefined): RobotsRules | undefined {
  const ageMs = nowMs - kept.confirmedAt;
  const limitMs = resumed?.robotsAgeMs ?? Math.min(kept.freshMs, maxCopyAgeMs);
  if (ageMs < 0 || ageMs >= limitMs) return undefined;
  const robots = parseRobots(kept.body);
  if (resumed === undefined && robots.archiveIndexes.length > 0) return undefined;
  return { robots, copy: undefined, until: kept.confirmedAt + Math.max(maxCopyAgeMs, limitMs) };
}

// Requested without coding. If it is coded all the same, it has to be decoded.
function askForRobots(
  visit: ReadingVisit,
  validators: Validators | undefined,
  isDecoded: boolean,
): Promise<FetchOutcome | Postponed> {
  return getPatiently(visit, "metadata", () => ({
    path: "/robots.txt",
    maxBytes: maxRobotsBytes + 1,
    truncateAtBytes: maxRobotsBytes + 1,
    maxRedirects: 5,
    crossOrigin: true,
    headers: { "accept-encoding": "identity" },
    acceptCoding: isDecoded,
    ...(validators === undefined ? {} : { validators }),
  }));
}

/** Requests a file whose named coding is not one, such as `utf-8`; undefined if it is not plain text. */
async function askAsText(
  visit: ReadingVisit,
  validators: Validators | undefined,
): Promise<FetchOutcome | Postponed | undefined> {
  const outcome = await askForRobots(visit, validators, false);
  // Binary data read as text would contain no rules, and allow everything.
  return outcome.kind === "fetched" && outcome.body.some(isControl) ? undefined : outcome;
}

function isControl(byte: number): boolean {
  return byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d;
}

/**
 * Uses the kept copy of robots.txt if it is fresh and announces no archives; otherwise requests it, with the validators of
 * the copy.
 *
 * A 404 or 410 is kept like a file. Other 4xx except 429, and redirects that lead nowhere, allow everything, and the file is
 * requested again in the next visit. After 429, 5xx, a timeout or a lost connection a copy of the last day is used.
 *
 * @param sharedTags - entity tags that the site gives to different contents
 * @param progress - of the visit; if it continues an earlier one, the copy of that one is used
 * @returns the rules; a problem `site-unavailable` if the server is in trouble and no copy of the last day is kept
 * @see RFC 9309 sections 2.3.1 and 2.4
 */
export async function readRobots(
  visit: ReadingVisit,
  kept: RobotsCopy | undefined,
  sharedTags: ReadonlySet<string> = new Set(),
  progress?: VisitProgress,
): Promise<Result<RobotsRules>> {
  const resumed = progress?.isResumed === true ? progress : undefined;
  const fresh = kept && freshRules(kept, visit.ports.timing.now(), resumed);
  if (fresh !== undefined) return ok(fresh);
  const sent = kept && withoutShared(kept.validators, sharedTags);
  const decoded = await askForRobots(visit, sent, true);
  const isMiscoded = decoded.kind === "failed" && decoded.reason === "bad-coding";
  const outcome = isMiscoded ? ((await askAsText(visit, sent)) ?? decoded) : decoded;
  const agent = copyKeyOf(visit.agent);
  const confirmedAt = visit.ports.timing.now();
  const until = confirmedAt + maxCopyAgeMs;
  if (outcome.kind === "postponed")
    return problem("site-unavailable", `robots.txt is not asked for: ${outcome.message}`);
  if (saysNoRobots(outcome)) {
    const freshMs = outcome.kind === "gone" ? maxCopyAgeMs : 0;
    const copy = { agent, body: new Uint8Array(0), validators: {}, confirmedAt, freshMs };
    return ok({ robots: parseRobots(copy.body), copy, until });
  }
  if (outcome.kind === "fetched") {
    const { body, validators, cacheControl } = outcome;
    const copy = { agent, body, validators, confirmedAt, freshMs: robotsFreshMs(cacheControl) };
    return ok({ robots: parseRobots(body), copy, until });
  }
  if (outcome.kind === "not-modified" && kept !== undefined) {
    // RFC 9111 section 4.3.4: what a 304 omits stays.
    const freshMs = outcome.cacheControl === undefined ? kept.freshMs : robotsFreshMs(outcome.cacheControl);
    const validators = confirmValidators(kept.validators, outcome.validators);
    return ok({ robots: parseRobots(kept.body), copy: { ...kept, validators, confirmedAt, freshMs }, until });
  }
  if (kept !== undefined && confirmedAt - kept.confirmedAt <= maxCopyAgeMs) {
    warn(
      visit,
      "robots-kept",
      `robots.txt could not be fetched (${describeOutcome(outcome)}); the copy from the last visit is used.`,
    );
    return ok({ robots: parseRobots(kept.body), copy: undefined, until: kept.confirmedAt + maxCopyAgeMs });
  }
  return problem("site-unavailable", `robots.txt could not be fetched: ${describeOutcome(outcome)}`);
}

/** Most other hosts in a visit. */
const maxHosts = 10;

/** A visit to a host, with its rules. */
interface HostVisit extends ReadingVisit {
  readonly robots: Robots;
}

/** Other hosts with lists of a site. Each has its own robots.txt and its own rate limit. */
export class OtherHosts {
  readonly #visit: HostVisit;
  readonly #found = new Map<string, Promise<Result<HostVisit>>>();

  /** @param visit - to the site itself */
  constructor(visit: HostVisit) {
    this.#visit = visit;
  }

  /**
   * The visit in which an origin is requested.
   *
   * @returns a problem `host-unavailable` if its robots.txt cannot be fetched, `too-many`
   */
  async visitOf(origin: string): Promise<Result<HostVisit>> {
    if (origin === this.#visit.origin) return ok(this.#visit);
    const known = this.#found.get(origin);
    if (known !== undefined) return await known;
    if (this.#found.size >= maxHosts) return problem("too-many", `more than ${maxHosts} other hosts`);
    const found = this.#ask(origin);
    this.#found.set(origin, found);
    return await found;
  }

  async #ask(origin: string): Promise<Result<HostVisit>> {
    // Only the site's own clock is saved.
    const { clocks: _, ...own } = this.#visit;
    const visit: ReadingVisit = { ...own, origin, isElsewhere: true, concurrency: 1 };
    const rules = await readRobots(visit, undefined);
    if (!rules.ok) return problem("host-unavailable", `${origin}: ${rules.error.message}`);
    const { robots } = rules.value;
    keepCrawlDelay(visit, robots);
    return ok({ ...visit, robots });
  }
}
