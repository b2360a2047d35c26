/** A request as a server saw it. Times in milliseconds. */
export interface LoggedRequest {
  readonly site: string;
  readonly address: string;
  readonly beganAt: number;
  readonly endedAt: number;
  /** When the answer's Retry-After allows the next one. */
  readonly retryAt?: number;
  /** Whether the answer was trouble without a Retry-After, after which the crawler chooses how long it stays away. */
  readonly isTrouble?: boolean;
}

/** What the crawler was told, or told to do. */
export interface Demands {
  readonly crawlDelayMs: (site: string) => number;
  readonly pagesBeforeRest: number;
  readonly restMs: number;
  /** How far two clocks may disagree. */
  readonly toleranceMs: number;
  /** When crawler and servers stood still together, because they share a process that did not run. */
  readonly stalls?: readonly (readonly [from: number, to: number])[];
}

/** What a log shows. */
export interface PolitenessReport {
  readonly violations: readonly string[];
  /** Time that addresses lay idle although a site there could have been asked and was asked later. */
  readonly needlessMs: number;
  /** Of that, time in which the process did not run. */
  readonly stalledMs: number;
  /** Time from the first to the last request at each address, added up. */
  readonly spanMs: number;
  /** Part of the time that was not lost needlessly; stalls count as if they had not been. */
  readonly share: number;
  /** The same with stalls counted as lost. */
  readonly grossShare: number;
}

/** What one key, a site or an address, has been sent so far. */
interface Track {
  pages: number;
  endedAt: number;
  restUntil: number;
  notBefore: number;
  why: string;
}

class Tracks {
  readonly #tracks = new Map<string, Track>();
  readonly #demands: Demands;

  constructor(demands: Demands) {
    this.#demands = demands;
  }

  of(key: string): Track {
    let track = this.#tracks.get(key);
    if (track === undefined) {
      track = { pages: 0, endedAt: Number.NEGATIVE_INFINITY, restUntil: 0, notBefore: 0, why: "" };
      this.#tracks.set(key, track);
    }
    return track;
  }

  allowedAt(key: string): number {
    const track = this.of(key);
    return Math.max(track.restUntil, track.notBefore);
  }

  /** Enters a request, and says what it violates. */
  enter(key: string, request: LoggedRequest): string[] {
    const { toleranceMs, restMs, pagesBeforeRest } = this.#demands;
    const track = this.of(key);
    const violations: string[] = [];
    const say = (what: string, ms: number): void => void violations.push(`${key}: ${what}, ${Math.round(ms)} ms early`);
    if (request.beganAt < track.endedAt - toleranceMs) say("two at a time", track.endedAt - request.beganAt);
    else if (request.beganAt < track.restUntil - toleranceMs) say("no rest", track.restUntil - request.beganAt);
    if (request.beganAt < track.notBefore - toleranceMs) say(track.why, track.notBefore - request.beganAt);
    if (request.beganAt - track.endedAt >= restMs - toleranceMs) track.pages = 0;
    track.pages++;
    track.endedAt = request.endedAt;
    if (track.pages >= pagesBeforeRest) track.restUntil = request.endedAt + restMs;
    return violations;
  }
}

function overlapMs(from: number, to: number, stalls: Demands["stalls"]): number {
  return (stalls ?? []).reduce((sum, stall) => sum + Math.max(0, Math.min(to, stall[1]) - Math.max(from, stall[0])), 0);
}

/** Reads a log and finds what is impolite in it, and how much of what was allowed was used. */
export function checkPoliteness(log: readonly LoggedRequest[], demands: Demands): PolitenessReport {
  const requests = log.toSorted((a, b) => a.beganAt - b.beganAt);
  const sites = new Tracks(demands);
  const addresses = new Tracks(demands);
  const violations: string[] = [];
  const left = new Map<string, Map<string, LoggedRequest[]>>();
  for (const request of requests) {
    const ofAddress = left.get(request.address) ?? new Map<string, LoggedRequest[]>();
    left.set(request.address, ofAddress);
    ofAddress.set(request.site, [...(ofAddress.get(request.site) ?? []), request]);
  }
  let needlessMs = 0;
  let stalledMs = 0;
  const spans = new Map<string, [number, number]>();
  for (const request of requests) {
    const { site, address } = request;
    const toCome = left.get(address);
    const [first, last] = spans.get(address) ?? [request.beganAt, request.beganAt];
    if (request.beganAt > last) {
      // The first of a site may come when somebody asks for it; after that it is always wanted.
      const wanted = [...(toCome ?? [])].filter(([name, ahead]) => ahead.length > 0 && sites.of(name).pages > 0);
      const allowed = wanted.map(([name]) => Math.max(last, addresses.allowedAt(address), sites.allowedAt(name)));
      const couldBegin = Math.min(request.beganAt, ...allowed);
      needlessMs += request.beganAt - couldBegin;
      stalledMs += overlapMs(couldBegin, request.beganAt, demands.stalls);
    }
    spans.set(address, [first, Math.max(last, request.endedAt)]);
    violations.push(...sites.enter(site, request), ...addresses.enter(address, request));
    toCome?.get(site)?.shift();
    const track = sites.of(site);
    const delayMs = demands.crawlDelayMs(site);
    track.notBefore = request.endedAt + delayMs;
    track.why = "faster than its Crawl-delay";
    if (request.retryAt !== undefined && request.retryAt > track.notBefore) {
      track.notBefore = request.retryAt;
      track.why = "before its Retry-After";
    }
    const next = toCome?.get(site)?.[0];
    if (request.isTrouble === true && next !== undefined) track.notBefore = Math.max(track.notBefore, next.beganAt);
  }
  const spanMs = [...spans.values()].reduce((sum, [from, to]) => sum + to - from, 0);
  const shareOf = (lostMs: number): number => (spanMs === 0 ? 1 : (spanMs - lostMs) / spanMs);
  const net = spanMs - stalledMs;
  const share = net === 0 ? 1 : (net - (needlessMs - stalledMs)) / net;
  return { violations, needlessMs, stalledMs, spanMs, share, grossShare: shareOf(needlessMs) };
}
