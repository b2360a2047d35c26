import {
  type ExportEvent,
  type FetchedOutcome,
  type FetchOutcome,
  isSiteInTrouble,
  omitUndefined,
  saysNoRobots,
  type Timing,
  type Validators,
} from "../../core/index.ts";
import { parseHttpDate } from "../../formats/http/index.ts";
import {
  maxRobotsBytes,
  ownProductToken,
  parseRobots,
  type Robots,
  robotsAllow,
  robotsCrawlDelaySeconds,
} from "../../formats/robots/index.ts";
import {
  createDigest,
  createFetcher,
  type Fetcher,
  isOverloaded,
  PoliteRequests,
  realTiming,
} from "../../http/index.ts";
import { parseListedType } from "./listed-page.ts";
import type { ProbeAnswer } from "./probe-record.ts";

export interface ProbeOptions {
  /** The site's origin, without a slash at the end. */
  readonly origin: string;
  /** Pages that are asked for in a run. @default 1000 */
  readonly budget?: number | undefined;
  /** Requests under way at once. @default 1 */
  readonly concurrency?: number | undefined;
  /** Time between the beginnings of two requests, in milliseconds; robots.txt may ask for more. @default 250 */
  readonly delayMs?: number | undefined;
  /** A run asks no more after this time, in milliseconds. @default 1800000 (half an hour) */
  readonly timeLimitMs?: number;
  /** A larger body is not read. @default 256 MiB */
  readonly maxBytes?: number;
  /** Time for one request with its body, in milliseconds. @default 30000 */
  readonly timeoutMs?: number;
  /** @default the real time */
  readonly timing?: Timing;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent: (event: ExportEvent) => void;
}

/** After so many requests in a row that found the server in trouble, a run asks no more. */
const maxTroublesInARow = 10;
/** The same of a server that says it is overloaded, without a time to wait: one such page must not keep all others from their turn. */
const maxOverloadsInARow = 3;
const maxToldTroubles = 20;

/**
 * Asks the site's own server for pages: one conditional request each, as slowly as robots.txt and the options say,
 * and no more once the server does not cope.
 */
export class PageProbes implements AsyncDisposable {
  /** Requests that may be under way at once. */
  readonly concurrency: number;
  readonly #options: ProbeOptions;
  readonly #timing: Timing;
  readonly #fetcher: Fetcher;
  readonly #requests: PoliteRequests;
  readonly #endsAt: number;
  #budgetLeft: number;
  #robots: Promise<Robots | undefined> | undefined;
  #isStopped = false;
  #troublesInARow = 0;
  #overloadsInARow = 0;
  #troubles = 0;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.concurrency = options.concurrency ?? 1;
    this.#timing = options.timing ?? realTiming();
    this.#fetcher = createFetcher({
      connections: this.concurrency,
      clock: this.#timing.now,
      allowedPrivateOrigins: [options.origin],
    });
    this.#requests = new PoliteRequests(this.#fetcher, this.#timing, options.delayMs ?? 250, options.signal);
    this.#endsAt = this.#timing.now() + (options.timeLimitMs ?? 30 * 60 * 1000);
    this.#budgetLeft = options.budget ?? 1000;
  }

  /** Requests that may still be made in this run. */
  get budgetLeft(): number {
    return this.#isStopped ? 0 : this.#budgetLeft;
  }

  /** Requests one page; never rejects for anything that a server or a network does. */
  async ask(path: string, validators: Validators): Promise<ProbeAnswer> {
    this.#robots ??= this.#readRobots();
    const robots = await this.#robots;
    if (robots === undefined || this.#isOver()) return { kind: "deferred" };
    this.#budgetLeft -= 1;
    if (!robotsAllow(robots, ownProductToken, path)) return { kind: "trouble" };
    let body = new Body();
    const outcome = await this.#requests.get(() => {
      body = new Body();
      return {
        origin: this.#options.origin,
        path,
        validators,
        maxBytes: this.#options.maxBytes ?? 256 * 1024 * 1024,
        timeoutMs: this.#options.timeoutMs ?? 30_000,
        sink: body,
      };
    });
    return this.#judge(path, outcome, body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#fetcher[Symbol.asyncDispose]();
  }

  #judge(path: string, outcome: FetchOutcome, body: Body): ProbeAnswer {
    if (outcome.kind === "not-modified" || outcome.kind === "gone" || outcome.kind === "fetched") {
      this.#troublesInARow = 0;
      this.#overloadsInARow = 0;
      if (outcome.kind === "fetched") return answerOf(outcome, body, this.#timing.now());
      return outcome.kind === "gone" ? { kind: "gone" } : { kind: "same", validators: outcome.validators };
    }
    if (this.#options.signal?.aborted === true) return { kind: "deferred" };
    this.#overloadsInARow = isOverloaded(outcome) ? this.#overloadsInARow + 1 : 0;
    if (isOverloaded(outcome) && (outcome.retryAt !== undefined || this.#overloadsInARow >= maxOverloadsInARow)) {
      this.#stop("the server has too much to do");
      return { kind: "deferred" };
    }
    const reason = outcome.kind === "failed" ? outcome.message : `the server answered ${outcome.status}`;
    this.#troubles += 1;
    if (this.#troubles <= maxToldTroubles) this.#warn("probe-failed", `${reason}; the known value stays`, path);
    // A page that is refused, or leads elsewhere, says that the server is well.
    if (!isSiteInTrouble(outcome)) this.#troublesInARow = 0;
    else if (++this.#troublesInARow >= maxTroublesInARow) this.#stop(`${maxTroublesInARow} requests in a row failed`);
    return { kind: "trouble" };
  }

  async #readRobots(): Promise<Robots | undefined> {
    const outcome = await this.#requests.get(() => ({
      origin: this.#options.origin,
      path: "/robots.txt",
      maxBytes: maxRobotsBytes + 1,
      truncateAtBytes: maxRobotsBytes + 1,
      timeoutMs: this.#options.timeoutMs ?? 30_000,
      maxRedirects: 5,
      crossOrigin: true,
      // Asked for as it is, and undone where it comes coded all the same.
      headers: { "accept-encoding": "identity" },
      acceptCoding: true,
    }));
    if (outcome.kind !== "fetched" && !saysNoRobots(outcome)) {
      this.#stop("robots.txt could not be fetched");
      return undefined;
    }
    const robots = parseRobots(outcome.kind === "fetched" ? outcome.body : new Uint8Array(0));
    const delaySeconds = robotsCrawlDelaySeconds(robots, ownProductToken) ?? 0;
    this.#requests.delayMs = Math.max(this.#requests.delayMs, delaySeconds * 1000);
    return robots;
  }

  #isOver(): boolean {
    if (this.#budgetLeft <= 0 || this.#options.signal?.aborted === true) return true;
    if (!this.#isStopped && this.#timing.now() >= this.#endsAt) this.#stop("the time for it is over");
    return this.#isStopped;
  }

  #stop(why: string): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#warn("probe-stopped", `No more pages are asked for in this run: ${why}.`);
  }

  #warn(code: string, message: string, path?: string): void {
    this.#options.onEvent({ event: "warning", code, message, ...omitUndefined({ path }) });
  }
}

/** Counts and digests a body as it comes. */
class Body {
  readonly #digest = createDigest();
  #sizeBytes = 0;

  write(chunk: Uint8Array): void {
    this.#digest.update(chunk);
    this.#sizeBytes += chunk.length;
  }

  end(): { readonly sizeBytes: number; readonly digest: string } {
    return { sizeBytes: this.#sizeBytes, digest: this.#digest.digest() };
  }
}

function answerOf(outcome: FetchedOutcome, body: Body, now: number): ProbeAnswer {
  const { contentType, contentEncoding = "identity", validators, lastModified = validators.lastModified } = outcome;
  const mediaType = contentType === undefined ? undefined : parseListedType(contentType);
  const lastModifiedMs = parseHttpDate(lastModified ?? "", now);
  return {
    kind: "body",
    ...(contentEncoding === "identity" ? body.end() : { sizeBytes: undefined, digest: undefined }),
    mediaType: mediaType?.ok === true ? mediaType.value : undefined,
    lastModified: lastModifiedMs === undefined ? undefined : Math.max(1, Math.floor(lastModifiedMs / 1000)),
    validators,
  };
}
