import type { Cursor, EpochMs } from "../model/index.ts";
import { judgeAnswer, planRetryDelayMs, type Verdict } from "./answer-verdict.ts";
import { appendCall, type CallRecord } from "./call-log.ts";
import type { AnnouncePorts } from "./ports.ts";
import { SiteCalls, type TellingOptions } from "./site-calls.ts";
import { throwIfStopped } from "./stop.ts";

/** A call with less time than this before it is left to another run. */
const shortestCallMs = 1000;
// Only a clock that is set back can make it so many.
const maxAttempts = 20;

/** Which changes URLs belong to. */
export interface CallContext {
  /** The publication that they lead to. */
  readonly to: Cursor;
  /** Everything until here was told or refused before. */
  readonly after: Cursor;
}

/** An IndexNow endpoint during one run: sends, waits, sends again, and records each call. */
export class Endpoint {
  readonly calls: SiteCalls;
  told = 0;
  refused = 0;
  callsMade = 0;
  readonly #ports: AnnouncePorts;
  readonly #options: TellingOptions;
  readonly #endsAt: EpochMs;

  constructor(ports: AnnouncePorts, options: TellingOptions) {
    this.calls = new SiteCalls(options);
    this.#ports = ports;
    this.#options = options;
    this.#endsAt = ports.timing.now() + options.maxElapsedMs;
  }

  /** Whether the run's time leaves none for another call. */
  get isTimeUp(): boolean {
    return this.#endsAt - this.#ports.timing.now() < shortestCallMs;
  }

  /**
   * Sends URLs until the endpoint has taken or refused them, or until what is left of the time is too short for the
   * next wait.
   *
   * @returns `again` if they are to be told by another run
   * @throws TidemarkError `aborted`
   */
  async send(paths: readonly string[], context: CallContext): Promise<Verdict> {
    const { endpoint: url, timeoutMs, maxElapsedMs, signal, onEvent } = this.#options;
    const { sending, timing } = this.#ports;
    const json = this.calls.formatCall(paths);
    for (let failures = 0; ; failures++) {
      const leftMs = Math.max(shortestCallMs, Math.min(this.#endsAt - timing.now(), maxElapsedMs));
      const request = { url, json, timeoutMs: Math.min(timeoutMs, leftMs) };
      const outcome = await sending.post(signal === undefined ? request : { ...request, signal });
      const verdict = judgeAnswer(outcome, this.calls);
      if (verdict.kind === "again") throwIfStopped(signal);
      await this.#record(paths, context, verdict);
      if (verdict.kind !== "again") return verdict;
      const now = timing.now();
      const delayMs = planRetryDelayMs(failures, verdict.retryAt, now, timing.random());
      if (failures + 1 >= maxAttempts || now + delayMs + shortestCallMs > this.#endsAt) return verdict;
      const { status, message } = verdict;
      onEvent({ event: "index-now", step: "retrying", status, message, delayMs });
      await timing.delay(delayMs, signal);
      throwIfStopped(signal);
    }
  }

  /** Records from where on changes are told. */
  async recordBeginning(cursor: Cursor): Promise<void> {
    await this.#append({ result: "begun", urls: 0, publication: cursor.publication, after: cursor });
  }

  async #record(paths: readonly string[], { to, after }: CallContext, verdict: Verdict): Promise<void> {
    const { onEvent } = this.#options;
    const urls = paths.length;
    const { publication } = to;
    const { kind: result, status } = verdict;
    const [first = ""] = paths;
    const example = result === "refused" ? { firstUrl: this.calls.urlOf(first) } : {};
    this.callsMade += 1;
    await this.#append({ result, status, urls, publication, after, ...example });
    if (verdict.kind === "told") {
      this.told += urls;
      onEvent({ event: "index-now", step: "told", publication, urls, status: verdict.status });
    } else if (verdict.kind === "refused") {
      this.refused += urls;
      const { message, hint } = verdict;
      onEvent({ event: "index-now", step: "refused", publication, urls, status: verdict.status, message, hint });
    }
  }

  async #append(facts: Omit<CallRecord, "time" | "endpoint">): Promise<void> {
    const { folder, endpoint } = this.#options;
    await appendCall(folder, { time: new Date(this.#ports.timing.now()).toISOString(), endpoint, ...facts });
  }
}
