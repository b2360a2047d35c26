import { excerpt, omitUndefined, TidemarkError, type Timing } from "../../core/index.ts";
import { type VisitUnitOptions, visitUnit } from "../../crawler/index.ts";
import {
  formatWorkResult,
  maxUnitBytes,
  parseWorkUnit,
  type WorkResult,
  type WorkUnit,
} from "../../formats/work-unit/index.ts";
import { BytePoster, type PostBytesOutcome, realTiming } from "../../http/index.ts";

/** For whom a volunteer works, and how. */
export interface WorkLoopOptions extends Omit<VisitUnitOptions, "politeness" | "signal"> {
  /** Root of the server. */
  readonly from: string;
  /** As its file has it. */
  readonly key: string;
  /** Most units. Default: until the signal. */
  readonly units?: number | undefined;
  /** Ends the work; a unit that is under way is given back. */
  readonly signal: AbortSignal;
  readonly onEvent?: ((event: WorkEvent) => void) | undefined;
}

/** What a volunteer is told. */
export type WorkEvent =
  | { readonly event: "unit"; readonly unit: string; readonly site: string; readonly pages: number }
  | { readonly event: "result"; readonly unit: string; readonly answer: string }
  | { readonly event: "idle"; readonly seconds: number; readonly why: string };

/** What came of it. */
export interface WorkLoopSummary {
  readonly units: number;
  readonly accepted: number;
  readonly pages: number;
}

const timeoutMs = 60_000;
const leastIdleSeconds = 1;
const mostIdleSeconds = 600;
const troubleSeconds = 15;
const maxTries = 5;

/** Fetches units from a server, one after the other. */
class Worker {
  readonly #options: WorkLoopOptions;
  readonly #poster: BytePoster;
  readonly #timing: Timing;

  constructor(options: WorkLoopOptions, poster: BytePoster) {
    this.#options = options;
    this.#poster = poster;
    this.#timing = realTiming(options.clock, options.delay);
  }

  async run(): Promise<WorkLoopSummary> {
    const { units = Number.POSITIVE_INFINITY, signal, onEvent } = this.#options;
    const summary = { units: 0, accepted: 0, pages: 0 };
    while (summary.units < units && !signal.aborted) {
      const answer = await this.#post("unit", new Uint8Array(0), maxUnitBytes, signal);
      if (signal.aborted) break;
      if (answer.kind === "answered" && answer.status === 401)
        throw new TidemarkError("bad-option", `${this.#options.from} does not know the key.`, {
          hint: "Ask who runs the project for a new one.",
        });
      const name = answer.kind === "answered" && answer.status === 200 ? answer.field("tidemark-unit") : undefined;
      if (answer.kind === "failed" || name === undefined || !/^[a-z0-9_-]{1,64}$/.test(name)) {
        await this.#idle(answer);
        continue;
      }
      summary.units++;
      const unit = parseWorkUnit(answer.body);
      if (!unit.ok) {
        await this.#post(`fail?unit=${name}`, new Uint8Array(0), 1024, signal);
        await this.#idle({ kind: "failed", message: `the server sent no work unit: ${unit.error.message}` });
        continue;
      }
      const { origin, paths, deadline } = unit.value;
      onEvent?.({ event: "unit", unit: name, site: origin, pages: paths.length });
      const result = await this.#visit(unit.value);
      if (result === undefined) {
        await this.#post(`fail?unit=${name}`, new Uint8Array(0), 1024, undefined);
        break;
      }
      const submission = await this.#submit(name, Buffer.from(formatWorkResult(result)), deadline * 1000);
      if (submission === "accepted") summary.accepted++;
      summary.pages += result.pages.length;
      onEvent?.({ event: "result", unit: name, answer: submission });
    }
    return summary;
  }

  /** @returns undefined after the signal */
  async #visit(unit: WorkUnit): Promise<WorkResult | undefined> {
    const { allowPrivate, ca, proxy, resolve, clock, delay, signal } = this.#options;
    const means = omitUndefined({ allowPrivate, ca, proxy, resolve, clock, delay });
    const result = await visitUnit(unit, { ...means, signal });
    return signal.aborted ? undefined : result;
  }

  /** Sends a result until the server has taken it or refused it, or its deadline is over. */
  async #submit(name: string, result: Uint8Array, deadline: number): Promise<string> {
    const { signal } = this.#options;
    for (let tries = 1; ; tries++) {
      const answer = await this.#post(`result?unit=${name}`, result, 1024, signal);
      const isFinal = answer.kind === "answered" && answer.status !== 429 && answer.status < 500;
      if (isFinal) return Buffer.from(answer.body).toString("latin1").trim().slice(0, 100);
      const isOver = tries >= maxTries || signal.aborted || this.#timing.now() > deadline;
      if (isOver) return answer.kind === "failed" ? answer.message : `status ${answer.status}`;
      await this.#timing.delay(troubleSeconds * 1000, signal);
    }
  }

  async #idle(answer: PostBytesOutcome): Promise<void> {
    const { signal, onEvent } = this.#options;
    const isNone = answer.kind === "answered" && answer.status === 204;
    const after = answer.kind === "answered" ? Number(answer.field("retry-after")) : Number.NaN;
    const wanted = Number.isFinite(after) ? after : troubleSeconds;
    const seconds = Math.min(mostIdleSeconds, Math.max(leastIdleSeconds, wanted));
    const why = isNone ? "no work" : answer.kind === "failed" ? answer.message : `status ${answer.status}`;
    onEvent?.({ event: "idle", seconds, why: excerpt(why, 200) });
    await this.#timing.delay(seconds * 1000, signal);
  }

  async #post(
    path: string,
    body: Uint8Array,
    maxBytes: number,
    signal: AbortSignal | undefined,
  ): Promise<PostBytesOutcome> {
    const { from, key } = this.#options;
    const url = new URL(path, from.endsWith("/") ? from : `${from}/`).href;
    const headers = { authorization: `Bearer ${key.trim()}`, "content-type": "text/plain" };
    return await this.#poster.post({ url, body, headers, maxBytes, timeoutMs, signal });
  }
}

/**
 * Fetches units from a server, visits their pages, and sends the results, until the signal.
 *
 * @throws TidemarkError `bad-option` if the server does not know the key
 */
export async function workFor(options: WorkLoopOptions): Promise<WorkLoopSummary> {
  await using poster = new BytePoster(options.ca);
  return await new Worker(options, poster).run();
}
