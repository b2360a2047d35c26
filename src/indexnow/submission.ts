import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  type Change,
  type Clock,
  type Cursor,
  type IndexNowEvent,
  type IndexNowSummary,
  type PostOutcome,
  type PostRequest,
  pathOf,
  TidemarkError,
} from "../core/index.ts";
import { keyPath } from "../exporter/index.ts";
import { isCanonicalPath } from "../formats/url/index.ts";
import { readSideFile, writeDurably } from "../fs/index.ts";
import { judgeAnswer, maxPauseMs, planNextRun, planRetryDelayMs, type Verdict } from "./verdict.ts";

/** Changes that a site published. */
export interface ChangeReading {
  /** Whether what was asked for is not known any more, so that the changes are a guess. */
  readonly isGuess: boolean;
  /** Where the changes lead to. */
  readonly cursor: Cursor;
  /** Each path once, in path order; to be read once. */
  readonly changes: Iterable<Change>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What the site published. */
export interface ChangeSource {
  /** The newest publication. */
  readNewest(): Promise<Cursor>;
  /** Changes after a cursor; without one, the whole site. */
  openChanges(after: Cursor | undefined): Promise<ChangeReading>;
}

/** What is submitted, where, and how long that may take. */
export interface SubmissionOptions {
  /** Folder of the state; it exists, and is the caller's alone meanwhile. */
  readonly folder: string;
  readonly source: ChangeSource;
  /** The site's origin with `/`. */
  readonly site: string;
  /** URL of the endpoint. */
  readonly endpoint: string;
  readonly key: string;
  /** Paths that are no pages. */
  readonly ownPaths: readonly string[];
  /** Whether the first run submits the whole site. */
  readonly all: boolean;
  /** Time that one call may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Time after which a run makes no further call, in milliseconds. */
  readonly maxElapsedMs: number;
  /** URLs a call, 1 to 10,000. */
  readonly urlsPerCall: number;
  readonly signal: AbortSignal | undefined;
  /** Sends a call once; never rejects for anything that a server or a network does. */
  readonly post: (request: PostRequest) => Promise<PostOutcome>;
  readonly clock: Clock;
  /** At least 0 and below 1. */
  readonly random: () => number;
  /** Resolves after `delayMs`, or earlier if the signal is aborted; never rejects. */
  readonly delay: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly onEvent: (event: IndexNowEvent) => void;
}

interface Position {
  /** Everything until here has been submitted; nothing has, if the publication is 0. */
  readonly cursor: Cursor;
  /** Of the paths up to this one, everything until `to` has been submitted. */
  readonly done?: { readonly to: Cursor; readonly path: string } | undefined;
  /** Runs in a row that ended in trouble. */
  readonly failedRuns: number;
  /** Which endpoint is not asked before what time. */
  readonly pause?: { readonly endpoint: string; readonly until: number } | undefined;
  /** URLs that are known to be still to submit. */
  readonly pending?: number | undefined;
}

const positionFile = "position.json";
/** The position before: an older one only repeats. */
const olderFile = "position-before.json";
const maxPositionBytes = 16 * 1024;
/** Lists of URLs that an earlier version left. */
const listName = /^urls-[0-9a-f]{16}\.txt$/;
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
 * The changes come from the archives, in path order, and the position in them is kept after each call: a run that ends
 * anywhere repeats one call at the most and leaves nothing out. What is published meanwhile is read by a pass of its own.
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
  readonly #ownPaths: ReadonlySet<string>;
  readonly #counts = { told: 0, refused: 0, leftOut: 0, calls: 0 };
  #position: Position | undefined;
  #saved: string | undefined;

  constructor(options: SubmissionOptions) {
    const { host, origin } = new URL(options.site);
    this.#options = options;
    this.#origin = origin;
    this.#facts = { host, keyLocation: origin + keyPath(options.key) };
    this.#endsAt = options.clock() + options.maxElapsedMs;
    this.#ownPaths = new Set(options.ownPaths);
  }

  async run(): Promise<IndexNowSummary> {
    const { folder, endpoint } = this.#options;
    for (const name of await readdir(folder)) if (listName.test(name)) await rm(join(folder, name), { force: true });
    const position = await this.#findPosition();
    this.#position = position;
    if (!this.#isPaused(position)) for (let pass = 0; pass < maxReadings && (await this.#submitOn()); pass++);
    const { pending = 0, pause, cursor } = this.#position;
    const { keyLocation } = this.#facts;
    return { endpoint, keyLocation, ...this.#counts, pending, notBefore: pause?.until, cursor };
  }

  async #findPosition(): Promise<Position> {
    const { folder, all, source, onEvent } = this.#options;
    const [newest, older] = [positionFile, olderFile].map((name) => readSideFile(join(folder, name), maxPositionBytes));
    for (const read of [newest, ...(newest === "missing" ? [] : [older])]) {
      const position = parsePosition(read);
      if (position === undefined) continue;
      if (read !== newest) this.#warn("The submission state is unreadable; some URLs are submitted once more.");
      this.#saved = JSON.stringify({ version: 1, ...position });
      return position;
    }
    const cursor = await source.readNewest();
    if (newest !== "missing") this.#warn("The submission state is unreadable; all URLs are submitted once more.");
    if (all || newest !== "missing") return { cursor: { ...cursor, publication: 0 }, failedRuns: 0 };
    await this.#save({ cursor, failedRuns: 0 });
    onEvent({ event: "index-now", step: "begun", publication: cursor.publication });
    return { cursor, failedRuns: 0 };
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

  /** Submits what was published since the cursor. @returns whether there may be more */
  async #submitOn(): Promise<boolean> {
    const { source, signal, onEvent } = this.#options;
    const { cursor, done, failedRuns } = this.#position ?? (await this.#findPosition());
    if (isSame(cursor, await source.readNewest())) return false;
    await using reading = await source.openChanges(cursor.publication === 0 ? undefined : cursor);
    if (reading.isGuess) {
      const message = "The archives do not reach back to the last submission; pages modified since then are submitted.";
      onEvent({ event: "warning", code: "index-now-gap", message });
    }
    const resumed = done?.to.epoch === reading.cursor.epoch ? done : undefined;
    const to = resumed?.to ?? reading.cursor;
    let pause: Position["pause"];
    let [stop, pending] = ["", 0];
    for (const paths of this.#batches(reading.changes, resumed?.path ?? "")) {
      throwIfStopped(signal);
      if (stop === "" && this.#leftMs() < shortestCallMs) stop = "The time limit of a submission is reached.";
      if (stop !== "") {
        pending += paths.length;
        continue;
      }
      const verdict = await this.#send(paths, reading.cursor.publication);
      if (verdict.kind === "again") {
        const { clock, random, endpoint } = this.#options;
        pause = { endpoint, until: planNextRun(failedRuns, verdict.retryAt, clock(), random()) };
        pending = paths.length;
        stop = `The endpoint cannot be reached now: ${verdict.message}.`;
        await this.#save({ ...this.#position, cursor, failedRuns: failedRuns + 1, pause, pending });
        continue;
      }
      await this.#save({ cursor, done: { to, path: paths.at(-1) ?? "" }, failedRuns: 0 });
      // Its cause concerns the rest as well: what is left waits until somebody may have seen to it.
      if (verdict.kind === "refused") stop = "After a refusal the rest is left to the next run.";
    }
    if (pending > 0) {
      await this.#save({ ...this.#position, cursor, failedRuns: this.#position?.failedRuns ?? 0, pending });
      this.#postpone(stop, pending, pause?.until);
      return false;
    }
    await this.#save({ cursor: to, failedRuns: 0 });
    return stop === "";
  }

  /** Paths to submit together, of those that follow a path. */
  *#batches(changes: Iterable<Change>, after: string): Generator<readonly string[], void, void> {
    const most = Math.min(this.#options.urlsPerCall, maxUrlsPerCall);
    let [paths, bytes]: [string[], number] = [[], 0];
    for (const change of changes) {
      const path = pathOf(change);
      if (path <= after || this.#ownPaths.has(path)) continue;
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
    const urlList = paths.map((path) => this.#urlOf(path));
    const json = JSON.stringify({ ...this.#facts, key, urlList });
    const urls = paths.length;
    for (let failures = 0; ; failures++) {
      const leftMs = Math.max(shortestCallMs, this.#leftMs());
      const request = { url, json, timeoutMs: Math.min(timeoutMs, leftMs) };
      const verdict = judgeAnswer(await post(signal === undefined ? request : { ...request, signal }), this.#facts);
      if (verdict.kind === "again") throwIfStopped(signal);
      this.#counts.calls += 1;
      const { kind } = verdict;
      if (kind !== "again") {
        this.#counts[kind] += urls;
        const { kind: step, ...answer } = verdict;
        onEvent({ event: "index-now", step, publication, urls, ...answer } as IndexNowEvent);
        return verdict;
      }
      const { status, message, retryAt } = verdict;
      const delayMs = planRetryDelayMs(failures, retryAt, clock(), random());
      if (failures + 1 >= maxAttempts || delayMs + shortestCallMs > this.#leftMs()) return verdict;
      onEvent({ event: "index-now", step: "retrying", status, message, delayMs });
      await delay(delayMs, signal);
      throwIfStopped(signal);
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

  #warn(message: string): void {
    this.#options.onEvent({ event: "warning", code: "index-now-state", message });
  }

  #postpone(message: string, urls: number, notBefore: number | undefined): void {
    const time = notBefore === undefined ? {} : { notBefore };
    this.#options.onEvent({ event: "index-now", step: "postponed", urls, message, ...time });
  }

  /** Replaces the position: the old one or the new one is there, whatever happens. */
  async #save(position: Position): Promise<void> {
    const { folder } = this.#options;
    const text = JSON.stringify({ version: 1, ...position });
    for (const [name, content] of [
      [olderFile, this.#saved ?? text],
      [positionFile, text],
    ] as const)
      await writeDurably(join(folder, name), Buffer.from(`${content}\n`), { mode: 0o600 });
    this.#position = position;
    this.#saved = text;
  }
}

function parsePosition(read: ReturnType<typeof readSideFile> | undefined): Position | undefined {
  if (read === undefined || typeof read === "string") return undefined;
  let value: Partial<Position & { version: unknown }>;
  try {
    value = JSON.parse(read.text) ?? {};
  } catch {
    return undefined;
  }
  const { version, cursor, failedRuns, done, pause, pending } = value;
  if (version !== 1 || !isCursor(cursor) || !isCount(failedRuns)) return undefined;
  // What is wrong with the rest costs only that something is submitted or asked once more.
  return {
    cursor,
    failedRuns,
    done: isCursor(done?.to) && typeof done.path === "string" && isCanonicalPath(done.path) ? done : undefined,
    pause: typeof pause?.endpoint === "string" && isCount(pause.until) ? pause : undefined,
    pending: isCount(pending) ? pending : undefined,
  };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isCursor(value: Partial<Cursor> | undefined | null): value is Cursor {
  return isCount(value?.publication) && /^[A-Za-z0-9_-]{8,64}$/.test(String(value.epoch));
}

function isSame(one: Cursor, other: Cursor): boolean {
  return one.epoch === other.epoch && one.publication === other.publication;
}

/** @throws TidemarkError `aborted` if the run was stopped */
function throwIfStopped(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new TidemarkError("aborted", "Not all changes were submitted to search engines.", {
    hint: "Run the same command again: it goes on where it stopped.",
    cause: signal.reason,
  });
}
