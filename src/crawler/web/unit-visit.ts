import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, type EpochMs, maxTimerMs, omitUndefined, type Requests, type Timing } from "../../core/index.ts";
import { pageKinds, readLinks } from "../../formats/html/index.ts";
import { type RobotsAgent, robotsAgentOf } from "../../formats/robots/index.ts";
import { compileUrlFilter } from "../../formats/url/index.ts";
import { isCanonicalLink, type WorkPage, type WorkResult, type WorkUnit } from "../../formats/work-unit/index.ts";
import { createFetcher, type FetcherOptions, namedTypes, nodeCodec, parseTypes, realTiming } from "../../http/index.ts";
import { openMemoryStore } from "../../storage/index.ts";
import type { LinkedPage } from "../engine/discovery/crawl-visit.ts";
import { visitPages } from "../engine/visit-pages.ts";
import { openKeptSite } from "../kept-site.ts";
import { createPoliteness, type Politeness } from "../politeness.ts";
import { resolveLocation } from "./redirects.ts";

/** What the person decides who runs the unit; nothing of it is said by the unit. */
export interface VisitUnitOptions extends Pick<FetcherOptions, "allowPrivate" | "ca" | "proxy" | "resolve"> {
  /** What units of one process share, so that two of one address do not meet. Default: its own. */
  readonly politeness?: Politeness;
  readonly clock?: Clock | undefined;
  readonly delay?: Timing["delay"];
  /** Ends it in order, with what was done. */
  readonly signal?: AbortSignal | undefined;
}

const requestTimeoutMs = 30_000;
const leastBytesPerSecond = 1024;
/** Turns in which nothing came, until the rest is given up. */
const maxVainTurns = 3;
const vainTurnMs = 2000;
/** Links of all pages of a unit together, in characters: its result stays below the size that a result may have. */
const maxLinkCharacters = 6 * 1024 * 1024;

/** What was seen of the pages of a unit. */
class UnitPages {
  readonly #unit: WorkUnit;
  readonly #agent: RobotsAgent;
  readonly #now: Clock;
  readonly #answers = new Map<string, Omit<WorkPage, "path" | "body" | "links">>();
  readonly #links = new Map<string, readonly string[]>();
  #characters = 0;

  constructor(unit: WorkUnit, agent: RobotsAgent, now: Clock) {
    this.#unit = unit;
    this.#agent = agent;
    this.#now = now;
  }

  /** The same requests; redirects of pages are noted, and not followed. */
  watch(requests: Requests): Requests {
    return {
      ...requests,
      get: async (request) => {
        if (request.crossOrigin === true) return await requests.get(request);
        const { origin, path } = request;
        let status: number | undefined;
        let location: string | undefined;
        const outcome = await requests.get({
          ...request,
          maxRedirects: 0,
          onAnswer: (answer) => {
            status = answer.status;
            location = answer.fields.get("location");
          },
        });
        const at = Math.floor(this.#now() / 1000);
        const isRedirect = status !== undefined && status >= 300 && status < 400;
        if (outcome.kind !== "failed" || isRedirect) this.#answers.set(path, { answer: status ?? "failed", at });
        else if (outcome.reason === "too-large") this.#answers.set(path, { answer: "too-large", at });
        else if (outcome.reason !== "aborted") this.#answers.set(path, { answer: "failed", at });
        const target = isRedirect && location !== undefined ? resolveLocation(location, origin + path) : undefined;
        if (target !== undefined) this.#keep(path, [target]);
        return outcome;
      },
    };
  }

  takeLinks({ path, body, head }: LinkedPage): void {
    const { contentType, link, refresh, usage } = head;
    if (/^text\/css\b/i.test(contentType ?? "")) return;
    const options = { robotsNames: this.#agent, fields: { link, refresh, usage } };
    const { links, isNofollow } = readLinks(body, contentType, this.#unit.origin + path, options);
    const followed = isNofollow ? [] : links.filter(({ kind, isNofollow }) => pageKinds.has(kind) && !isNofollow);
    this.#keep(path, [...new Set(followed.map(({ url }) => url))]);
  }

  #keep(path: string, links: readonly string[]): void {
    const kept = links.filter(isCanonicalLink).slice(0, this.#unit.pageLinks);
    const characters = kept.reduce((sum, { length }) => sum + length + 1, 0);
    if (this.#characters + characters > maxLinkCharacters) return;
    this.#characters += characters;
    this.#links.set(path, kept);
  }

  pageOf(path: string, body: WorkPage["body"], isDisallowed: boolean, now: EpochMs): WorkPage {
    const seen = this.#answers.get(path);
    const at = seen?.at ?? Math.floor(now / 1000);
    const answer = seen?.answer ?? (isDisallowed ? "disallowed" : "left");
    const isRedirect = typeof answer === "number" && answer >= 300 && answer < 400;
    const held = answer === 200 ? body : undefined;
    return { path, answer, at, body: held, links: held || isRedirect ? (this.#links.get(path) ?? []) : [] };
  }
}

/**
 * Fetches the pages of a work unit as a crawl does: robots.txt first, then one page at a time, as politely as the site and the unit
 * want, from no private address unless the user allows it. Only these pages and robots.txt are requested; no redirect of a page is followed.
 *
 * Whatever a site does is part of the result. What is not done when the time is over, or after the signal, is `left`.
 *
 * @throws TidemarkError what the file system says of a temporary folder
 */
export async function visitUnit(unit: WorkUnit, options: VisitUnitOptions = {}): Promise<WorkResult> {
  const { origin, userAgent, crawlDelayMs } = unit;
  const { allowPrivate, ca, proxy, resolve, clock, delay, signal: stop } = options;
  const timing = realTiming(clock, delay);
  const startedAt = timing.now();
  const agent = robotsAgentOf(userAgent);
  const endsAt = Math.min(startedAt + unit.timeMs, unit.deadline * 1000);
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), Math.min(maxTimerMs, Math.max(0, endsAt - startedAt)));
  const signal = stop === undefined ? ending.signal : AbortSignal.any([stop, ending.signal]);
  const politeness = options.politeness ?? createPoliteness({ crawlDelayMs, ...omitUndefined({ clock, delay }) });
  const temporary = await mkdtemp(join(tmpdir(), "tidemark-work-"));
  try {
    await using fetcher = createFetcher({ userAgent, ...omitUndefined({ allowPrivate, ca, proxy, resolve, clock }) });
    using store = openMemoryStore(temporary);
    const pages = new UnitPages(unit, agent, timing.now);
    const site = await openKeptSite(store, origin, { keep: "metadata", clock: timing.now, warcBytes: undefined });
    const { memory, reading, urls, bodies } = site;
    let isReached = true;
    let left: readonly string[] = unit.paths;
    for (let vain = 0; left.length > 0 && vain < maxVainTurns && !signal.aborted && timing.now() < endsAt; ) {
      const restMs = politeness.restsUntil(origin) - timing.now();
      if (restMs > 0) await timing.delay(Math.min(restMs, endsAt - timing.now()), signal);
      const turn = await visitPages(
        {
          ...{ requests: pages.watch(fetcher), codec: nodeCodec, timing, rateLimiter: politeness },
          ...{ reading, memory, urls, bodies, mediaTypes: namedTypes, packages: undefined },
        },
        {
          ...{ origin, agent, signal, timeoutMs: requestTimeoutMs, since: Math.floor(startedAt / 1000) },
          filter: { ...parseTypes([]), urlsKey: "", admits: compileUrlFilter({ within: "/" }).admits },
          paths: new Map(left.map((path) => [path, 0])),
          bounds: { pageBytes: unit.pageBytes, leastBytesPerSecond },
          takeLinks: (page) => pages.takeLinks(page),
        },
      );
      isReached = turn.whyUnreachable === undefined;
      vain = turn.left.length < left.length ? 0 : vain + 1;
      left = turn.left;
      if (vain > 0 && vain < maxVainTurns && left.length > 0) await timing.delay(vainTurnMs, signal);
    }
    const robots = memory.read().robots;
    const done = unit.paths.map((path) => {
      const { held, postponed } = urls.find(path) ?? {};
      return pages.pageOf(path, held, postponed?.trouble === "disallowed", timing.now());
    });
    site.close();
    return {
      nonce: unit.nonce,
      startedAt: Math.floor(startedAt / 1000),
      endedAt: Math.floor(timing.now() / 1000),
      isComplete: done.every(({ answer }) => answer !== "left"),
      robots: !isReached || robots === undefined ? "unreachable" : nodeCodec.digestOf(robots.body),
      pages: done.map((page) => (page.body === undefined ? page : { ...page, body: bodyOf(page.body) })),
    };
  } finally {
    clearTimeout(timer);
    await rm(temporary, { recursive: true, force: true });
  }
}

function bodyOf({ sizeBytes, digest, mediaType }: NonNullable<WorkPage["body"]>): WorkPage["body"] {
  return { sizeBytes, digest, mediaType };
}
