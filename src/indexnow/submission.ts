import {
  type Change,
  type Clock,
  type IndexNowEvent,
  type IndexNowSummary,
  omitUndefined,
  type PostOutcome,
  type PostRequest,
  pathOf,
  TidemarkError,
} from "../core/index.ts";
import { keyPath } from "../exporter/index.ts";
import type { FolderChanges } from "./folder-changes.ts";
import { type Position, readPosition, writePosition } from "./position.ts";
import { judgeAnswer, maxPauseMs, planNextRun, planRetryDelayMs, type Verdict } from "./verdict.ts";

/** How search engines are told of a site's changes. Times are in milliseconds. */
export interface TellIndexNowOptions {
  /** Folder that the web server shows as the site's root; the site has been exported into it. */
  readonly docroot: string;
  /** The site's origin with `/`, as it was exported. */
  readonly baseUrl: string;
  /** The exporter's state folder; `index-now` below it is ours. */
  readonly stateDir: string;
  /** 8 to 128 of a-z, A-Z, 0-9 and the hyphen. Default: the one used last, else a new one. */
  readonly key?: string;
  /** @default `defaultIndexNowEndpoint` */
  readonly endpoint?: string;
  /** Submit all URLs on the first run, and deleted ones that the archives still list; later runs always submit changes. @default false */
  readonly all?: boolean;
  readonly userAgent?: string;
  /** Time limit of one call, at least 1000. @default 20000 */
  readonly timeoutMs?: number;
  /** Time limit of all calls of this run and the waits between them, at least 1000. @default 60000 */
  readonly maxElapsedMs?: number;
  /** URLs a call, 1 to 10000. @default 10000 */
  readonly urlsPerCall?: number;
  /** @default Date.now */
  readonly clock?: Clock;
  /** Waits between calls; resolves early if the signal is aborted, never rejects. Default: real time. */
  readonly delay?: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;
  /** At least 0 and below 1. @default Math.random */
  readonly random?: () => number;
  /** Stops it; what was submitted is remembered. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: IndexNowEvent) => void;
}

/** A run's options, validated and with their defaults. */
export interface SubmissionOptions
  extends Required<Omit<TellIndexNowOptions, "baseUrl" | "docroot" | "stateDir" | "userAgent" | "signal">> {
  /** Folder of the position. It exists, and no other run uses it meanwhile. */
  readonly folder: string;
  readonly source: FolderChanges;
  /** The site's origin with `/`. */
  readonly site: string;
  /** Paths that are no pages. */
  readonly ownPaths: ReadonlySet<string>;
  readonly signal: AbortSignal | undefined;
  /** Sends a call once; never rejects for anything that a server or a network does. */
  readonly post: (request: PostRequest) => Promise<PostOutcome>;
}

const maxUrlsPerCall = 10_000;
const maxBatchBytes = 2 * 1024 * 1024;
/** What sitemaps allow; longer URLs are left out. */
const maxUrlLength = 2048;
/** A call with less time than this before it is left to another run. */
const shortestCallMs = 1000;
// Only a clock that is set back can make it so many.
const maxAttempts = 20;
// Publications may follow each other faster than they are submitted.
const maxReadings = 3;

/**
 * Submits to an IndexNow endpoint what changed since the last submission.
 *
 * The changes come from the archives in path order, and the position in them is stored after each call: a run that is
 * killed repeats one call at most and omits nothing. What is published meanwhile is read in another pass.
 *
 * @throws TidemarkError `aborted`, `disk-full`, `no-permission`, `read-only`, `io`; what the source throws
 * @see https://www.indexnow.org/documentation "Submitting set of URLs"
 */
export async function submitChanges(options: SubmissionOptions): Promise<IndexNowSummary> {
  return await new Submission(options).run();
}

class Submission {
  readonly #options: SubmissionOptions;
  readonly #origin: string;
  readonly #facts: { readonly host: string; readonly keyLocation: string };
  readonly #endsAt: number;
  readonly #counts = { told: 0, refused: 0, leftOut: 0, calls: 0 };

  constructor(options: SubmissionOptions) {
    const { host, origin } = new URL(options.site);
    this.#options = options;
    this.#origin = origin;
    this.#facts = { host, keyLocation: origin + keyPath(options.key) };
    this.#endsAt = options.clock() + options.maxElapsedMs;
  }

  async run(): Promise<IndexNowSummary> {
    let position = await this.#findPosition();
    if (!this.#isPaused(position)) {
      for (let pass = 0, mayBeMore = true; pass < maxReadings && mayBeMore; pass++)
        ({ position, mayBeMore } = await this.#submitAfter(position));
    }
    const { endpoint } = this.#options;
    const { pending = 0, pause, cursor } = position;
    const { keyLocation } = this.#facts;
    return { endpoint, keyLocation, ...this.#counts, pending, notBefore: pause?.until, cursor };
  }

  async #findPosition(): Promise<Position> {
    const { folder, all, source, onEvent } = this.#options;
    const found = await readPosition(folder);
    if (found !== undefined && found !== "missing") return found;
    const cursor = await source.readNewest();
    if (found === undefined) {
      const message = "The submission state is unreadable; all URLs are submitted once more.";
      onEvent({ event: "warning", code: "index-now-state", message });
    }
    if (all || found === undefined) return { cursor: { ...cursor, publication: 0 }, failedRuns: 0 };
    const position = await this.#save({ cursor, failedRuns: 0 });
    onEvent({ event: "index-now", step: "begun", publication: cursor.publication });
    return position;
  }

  #isPaused({ pause, pending = 0 }: Position): boolean {
    const now = this.#options.clock();
    if (pause?.endpoint !== this.#options.endpoint || pause.until <= now) return false;
    // A time too far away is that of a clock that was wrong.
    if (pause.until > now + maxPauseMs) return false;
    const message =
      "No request is sent to the endpoint for now, because of an earlier failure or because it asked for a wait.";
    this.#postpone(message, pending, pause.until);
    return true;
  }

  /** Submits what was published since the position's cursor. */
  async #submitAfter(before: Position): Promise<{ position: Position; mayBeMore: boolean }> {
    const { source, clock, random, endpoint, onEvent } = this.#options;
    const { cursor, done, failedRuns } = before;
    const newest = await source.readNewest();
    if (cursor.epoch === newest.epoch && cursor.publication === newest.publication)
      return { position: before, mayBeMore: false };
    await using reading = await source.openChanges(cursor.publication === 0 ? undefined : cursor);
    if (reading.isGuess) {
      const message = "The archives do not reach back to the last submission; pages modified since then are submitted.";
      onEvent({ event: "warning", code: "index-now-gap", message });
    }
    const resumed = done?.to.epoch === reading.cursor.epoch ? done : undefined;
    const to = resumed?.to ?? reading.cursor;
    let position = before;
    let pause: Position["pause"];
    let [stop, pending] = ["", 0];
    for (const paths of this.#batches(reading.changes, resumed?.path ?? "")) {
      this.#throwIfStopped();
      if (stop === "" && this.#leftMs() < shortestCallMs) stop = "The time limit of a submission is reached.";
      if (stop !== "") {
        pending += paths.length;
        continue;
      }
      const verdict = await this.#send(paths, reading.cursor.publication);
      if (verdict.kind === "again") {
        pause = { endpoint, until: planNextRun(failedRuns, verdict.retryAt, clock(), random()) };
        pending = paths.length;
        stop = `The endpoint cannot be reached now: ${verdict.message}.`;
        position = await this.#save({ ...position, failedRuns: failedRuns + 1, pause, pending });
        continue;
      }
      position = await this.#save({ cursor, done: { to, path: paths.at(-1) ?? "" }, failedRuns: 0 });
      // The cause of a refusal concerns the rest as well, which waits until somebody may have removed it.
      if (verdict.kind === "refused") stop = "After a refusal the rest is left to the next run.";
    }
    if (pending === 0) return { position: await this.#save({ cursor: to, failedRuns: 0 }), mayBeMore: stop === "" };
    position = await this.#save({ ...position, pending });
    this.#postpone(stop, pending, pause?.until);
    return { position, mayBeMore: false };
  }

  /** Paths to submit together, of those that follow a path. */
  *#batches(changes: Iterable<Change>, after: string): Generator<readonly string[], void, void> {
    const { urlsPerCall, ownPaths } = this.#options;
    const most = Math.min(urlsPerCall, maxUrlsPerCall);
    let [paths, bytes]: [string[], number] = [[], 0];
    for (const change of changes) {
      const path = pathOf(change);
      if (path <= after || ownPaths.has(path)) continue;
      if (this.#urlOf(path).length > maxUrlLength) {
        this.#counts.leftOut += 1;
        continue;
      }
      if (paths.length >= most || bytes + path.length > maxBatchBytes) {
        yield paths;
        [paths, bytes] = [[], 0];
      }
      paths.push(path);
      bytes += path.length;
    }
    if (paths.length > 0) yield paths;
  }

  /** Sends until the endpoint has taken or refused it, or the time left is too short for the next wait. */
  async #send(paths: readonly string[], publication: number): Promise<Verdict> {
    const { endpoint: url, key, timeoutMs, signal, clock, random, post, delay, onEvent } = this.#options;
    const json = JSON.stringify({ ...this.#facts, key, urlList: paths.map((path) => this.#urlOf(path)) });
    const urls = paths.length;
    for (let failures = 0; ; failures++) {
      const leftMs = Math.max(shortestCallMs, this.#leftMs());
      const request = { url, json, timeoutMs: Math.min(timeoutMs, leftMs), ...omitUndefined({ signal }) };
      const verdict = judgeAnswer(await post(request), this.#facts);
      if (verdict.kind === "again") this.#throwIfStopped();
      this.#counts.calls += 1;
      if (verdict.kind !== "again") {
        const { kind: step, ...answer } = verdict;
        this.#counts[step] += urls;
        onEvent({ event: "index-now", step, publication, urls, ...answer } as IndexNowEvent);
        return verdict;
      }
      const { status, message, retryAt } = verdict;
      const delayMs = planRetryDelayMs(failures, retryAt, clock(), random());
      if (failures + 1 >= maxAttempts || delayMs + shortestCallMs > this.#leftMs()) return verdict;
      onEvent({ event: "index-now", step: "retrying", status, message, delayMs });
      await delay(delayMs, signal);
      this.#throwIfStopped();
    }
  }

  /** What is left of the run's time, also where the clock was set back. */
  #leftMs(): number {
    const { clock, maxElapsedMs } = this.#options;
    return Math.min(this.#endsAt - clock(), maxElapsedMs);
  }

  /** A page's URL as RFC 3986 has it: the WHATWG URL parser leaves some characters alone that it does not allow. */
  #urlOf(path: string): string {
    return this.#origin + path.replace(/[[\]|^`{}"<>\\]/g, (character) => encodeURIComponent(character));
  }

  #postpone(message: string, urls: number, notBefore: number | undefined): void {
    this.#options.onEvent({ event: "index-now", step: "postponed", urls, message, ...omitUndefined({ notBefore }) });
  }

  async #save(position: Position): Promise<Position> {
    await writePosition(this.#options.folder, position);
    return position;
  }

  /** @throws TidemarkError `aborted` */
  #throwIfStopped(): void {
    const { signal } = this.#options;
    if (signal?.aborted !== true) return;
    throw new TidemarkError("aborted", "Not all changes were submitted to search engines.", {
      hint: "Run the same command again: it goes on where it stopped.",
      cause: signal.reason,
    });
  }
}
