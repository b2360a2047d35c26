import {
  type AnswerHead,
  type FetchOutcome,
  type FetchRequest,
  isSiteInTrouble,
  saysNoRobots,
  TidemarkError,
  type Timing,
} from "../core/index.ts";
import { findIncludes } from "../exporter/index.ts";
import {
  maxMetaBytes,
  maxRobotsBytes,
  parseRobots,
  type Robots,
  type RobotsAgent,
  robotsAgentOf,
  robotsAllow,
  robotsCrawlDelaySeconds,
  saysNoindex,
} from "../formats/robots/index.ts";
import { createDigest, type Fetcher } from "../http/index.ts";
import type { ServedPage } from "./served-page.ts";

/** How a site's pages are requested to compare them. */
export interface AskOptions {
  /** Seed of the sample: an integer. Default: another one each time. */
  readonly seed?: number;
  /** Pause before each request, in milliseconds. Default: the Crawl-delay of robots.txt, at least 100. */
  readonly delayMs?: number;
  readonly userAgent?: string;
  /** Time limit of a small request in milliseconds; a large body gets more. @default 30000 */
  readonly timeoutMs?: number;
  /** Waits between requests. Default: real time. */
  readonly delay?: Timing["delay"];
  readonly signal?: AbortSignal;
}

/** A response, with its body if it was small and requested. */
interface Asked {
  readonly head: AnswerHead | undefined;
  readonly outcome: FetchOutcome;
}

export interface AskedPage extends ServedPage {
  /** The beginning of an HTML page, at most {@link maxMetaBytes}; empty for other types. */
  readonly start: Buffer;
}

const leastDelayMs = 100;
/** A body is cut off when it exceeds the expected size by this much. */
const spareBytes = 1024 * 1024;
/** If a server asks for a longer wait than this, requests to it stop. */
const maxRetryWaitMs = 30_000;
/** Nothing larger is read, whatever size was published. */
const maxPageBytes = 1024 ** 3;
/** After so many failed requests in a row, requests to the site stop. */
const maxTroublesInARow = 10;

/** Sends one request after another to one site, with a pause before each. Redirects are followed for robots.txt only. */
export class SiteAsker {
  readonly origin: string;
  readonly timing: Timing;
  /** The name by which robots.txt knows us. */
  readonly agent: RobotsAgent;
  readonly #fetcher: Fetcher;
  readonly #options: AskOptions;
  /** Empty until {@link readRobots}, and where there is none. */
  robots: Robots = parseRobots(new Uint8Array(0));
  #delayMs = 0;
  #requests = 0;
  #troublesInARow = 0;
  #restsUntil = 0;

  constructor(fetcher: Fetcher, origin: string, timing: Timing, options: AskOptions) {
    this.#fetcher = fetcher;
    this.origin = origin;
    this.timing = timing;
    this.agent = robotsAgentOf(options.userAgent);
    this.#options = options;
  }

  /** Requests robots.txt, and pauses as it asks from then on. */
  async readRobots(): Promise<{ readonly head: AnswerHead | undefined; readonly isReachable: boolean }> {
    // RFC 9309 section 2.3.1.2, as a crawler does.
    const redirects = { maxRedirects: 5, crossOrigin: true };
    const { head, outcome } = await this.ask("/robots.txt", maxRobotsBytes + 1, redirects);
    if (outcome.kind === "fetched") this.robots = parseRobots(outcome.body);
    const crawlDelayMs = (robotsCrawlDelaySeconds(this.robots, this.agent) ?? 0) * 1000;
    this.#delayMs = this.#options.delayMs ?? Math.max(leastDelayMs, crawlDelayMs);
    return { head, isReachable: outcome.kind === "fetched" || saysNoRobots(outcome) };
  }

  /** Whether robots.txt allows us a path. */
  allows(path: string): boolean {
    return robotsAllow(this.robots, this.agent, path);
  }

  get requests(): number {
    return this.#requests;
  }

  /** Requests a small resource, at most `maxBytes` of it. */
  async ask(
    path: string,
    maxBytes: number,
    redirects: Pick<FetchRequest, "maxRedirects" | "crossOrigin"> = {},
  ): Promise<Asked> {
    return await this.#ask(() => ({ path, maxBytes, truncateAtBytes: maxBytes, ...redirects }));
  }

  /** Requests a page and digests its body as it arrives. @param expectedBytes - as published */
  async askPage(path: string, expectedBytes: number): Promise<AskedPage> {
    let digest = createDigest();
    let sizeBytes = 0;
    let start: Buffer[] = [];
    let startBytes = 0;
    const { head, outcome } = await this.#ask(() => {
      digest = createDigest();
      sizeBytes = 0;
      start = [];
      startBytes = 0;
      const write = (chunk: Uint8Array): void => {
        digest.update(chunk);
        sizeBytes += chunk.length;
        if (startBytes >= maxMetaBytes) return;
        start.push(Buffer.from(chunk.subarray(0, maxMetaBytes - startBytes)));
        startBytes += chunk.length;
      };
      return { path, maxBytes: Math.min(expectedBytes + spareBytes, maxPageBytes), sink: { write } };
    });
    const contentType = head?.fields.get("content-type") ?? "";
    const isXml = /^\s*application\/xhtml\+xml\b/i.test(contentType);
    const isHtml = isXml || /^\s*text\/html\b/i.test(contentType);
    const html = isHtml ? Buffer.concat(start) : Buffer.alloc(0);
    return {
      head,
      failure: outcome.kind === "failed" ? outcome.message : undefined,
      sizeBytes,
      digest: digest.digest(),
      saysNoindex: isHtml && saysNoindex(html.toString("latin1"), isXml),
      hasDirectives: findIncludes(html) !== undefined,
      start: html,
    };
  }

  /** Waits before each request except the first. */
  async pause(): Promise<void> {
    if (this.#requests > 0 && this.#delayMs > 0) await this.timing.delay(this.#delayMs, this.#options.signal);
  }

  #throwIfStopped(): void {
    if (this.#options.signal?.aborted === true)
      throw new TidemarkError("aborted", `The verification of ${this.origin}/ was stopped before its end.`);
  }

  #throwIfResting(): void {
    if (this.timing.now() >= this.#restsUntil) return;
    const time = new Date(this.#restsUntil).toISOString();
    throw new TidemarkError("site-unavailable", `${this.origin} asked for no request before ${time}.`, {
      hint: "Run the same command after that.",
    });
  }

  async #ask(makeRequest: () => Omit<FetchRequest, "origin" | "timeoutMs" | "signal" | "onAnswer">): Promise<Asked> {
    const { origin, timing } = this;
    const { timeoutMs = 30_000, signal } = this.#options;
    for (let isRetry = false; ; isRetry = true) {
      await this.pause();
      this.#throwIfStopped();
      this.#throwIfResting();
      let head: AnswerHead | undefined;
      const outcome = await this.#fetcher.get({
        ...makeRequest(),
        origin,
        timeoutMs,
        onAnswer: (answer) => {
          head = answer;
        },
        beforeNext: async () => {
          await timing.delay(this.#delayMs, signal);
          return true;
        },
        ...(signal === undefined ? {} : { signal }),
      });
      this.#throwIfStopped();
      this.#requests += 1;
      this.#countTrouble(outcome);
      if (isRetry || outcome.kind !== "unavailable" || outcome.retryAt === undefined) return { head, outcome };
      const waitMs = Math.max(0, outcome.retryAt - timing.now());
      if (waitMs > maxRetryWaitMs) {
        this.#restsUntil = Math.max(this.#restsUntil, outcome.retryAt);
        return { head, outcome };
      }
      await timing.delay(waitMs, signal);
    }
  }

  #countTrouble(outcome: FetchOutcome): void {
    this.#troublesInARow = isSiteInTrouble(outcome) ? this.#troublesInARow + 1 : 0;
    if (this.#troublesInARow < maxTroublesInARow) return;
    const why = outcome.kind === "failed" ? outcome.message : `it answers ${outcome.status}`;
    throw new TidemarkError("site-unavailable", `${this.origin}/ gets no more requests: ${why}.`, {
      hint: "Try again later, or with a longer --delay.",
    });
  }
}
