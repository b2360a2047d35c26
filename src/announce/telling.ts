import type { Cursor, IndexNowSummary } from "../model/index.ts";
import { maxPauseMs, planNextRun, type Verdict } from "./answer-verdict.ts";
import { type Batch, readBatch, removeBacklogs, writeBacklog } from "./backlog-file.ts";
import { readCalls } from "./call-log.ts";
import { Endpoint } from "./endpoint.ts";
import type { AnnouncePorts } from "./ports.ts";
import { type Backlog, type Position, readPosition, writePosition } from "./position-file.ts";
import type { TellingOptions } from "./site-calls.ts";
import { keyPath } from "./site-key.ts";
import { throwIfStopped } from "./stop.ts";

// A backlog that is damaged again and again is not our doing.
const maxReadings = 3;

type Trouble = Verdict & { readonly kind: "again" };

/**
 * Tells an IndexNow endpoint what changed since it was told last.
 *
 * Changes are read from the archives into a file, the backlog, and told from there, so that a run may end anywhere: a
 * crash tells some URLs twice, and leaves none out. The cursor moves once the backlog is done.
 *
 * @throws TidemarkError `aborted`, `disk-full`, `no-permission`, `read-only`, `io`; what the source throws
 */
export async function tellChanges(ports: AnnouncePorts, options: TellingOptions): Promise<IndexNowSummary> {
  const telling = new Telling(ports, options);
  return await telling.run();
}

class Telling {
  readonly #ports: AnnouncePorts;
  readonly #options: TellingOptions;
  readonly #endpoint: Endpoint;
  #position: Position | undefined;
  #leftOut = 0;

  constructor(ports: AnnouncePorts, options: TellingOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#endpoint = new Endpoint(ports, options);
  }

  async run(): Promise<IndexNowSummary> {
    const { folder } = this.#options;
    this.#position = await this.#findPosition();
    await removeBacklogs(folder, this.#position?.backlog?.file);
    if (this.#isPaused()) return this.#summarise();
    for (let readings = 0; ; ) {
      const backlog = this.#position?.backlog;
      if (backlog !== undefined) {
        if (!(await this.#tellBacklog(backlog))) break;
      } else if (++readings > maxReadings || !(await this.#readOn())) break;
    }
    return this.#summarise();
  }

  async #findPosition(): Promise<Position | undefined> {
    const { folder, onEvent, all } = this.#options;
    const found = await readPosition(folder);
    if (found !== undefined && found !== "corrupt") return found;
    if (found === undefined && all) return undefined;
    const last = found === "corrupt" ? (await readCalls(folder)).at(-1) : undefined;
    const cursor = last?.after ?? (await this.#ports.source.readNewest());
    if (found === "corrupt") {
      const message =
        last === undefined
          ? "What search engines were told cannot be read; they are told what changes from now on."
          : "How far search engines were told cannot be read; some URLs are told once more.";
      onEvent({ event: "warning", code: "index-now-state", message });
    }
    const position = { cursor, failedRuns: 0 };
    if (last === undefined) {
      await this.#endpoint.recordBeginning(cursor);
      onEvent({ event: "index-now", step: "begun", publication: cursor.publication });
    }
    await writePosition(folder, position);
    return position;
  }

  #isPaused(): boolean {
    const pause = this.#position?.pause;
    const now = this.#ports.timing.now();
    // A time too far away is that of a clock that was wrong.
    if (pause?.endpoint !== this.#options.endpoint || pause.until <= now || pause.until > now + maxPauseMs)
      return false;
    this.#postpone("The endpoint is left alone for a while, after trouble or because it asked for that.", pause.until);
    return true;
  }

  /** Reads what was published since the cursor. @returns whether there may be something to tell */
  async #readOn(): Promise<boolean> {
    const { folder, key, oldKeys, signal, onEvent } = this.#options;
    const { source } = this.#ports;
    const before = this.#position;
    const newest = await source.readNewest();
    if (before !== undefined && isSame(before.cursor, newest)) return false;
    await using reading = await source.openChanges(before?.cursor);
    if (reading.isGuess) {
      const message = "The archives do not lead from what was told to now; pages are told that were modified since.";
      onEvent({ event: "warning", code: "index-now-gap", message });
    }
    if (before !== undefined && isSame(before.cursor, reading.cursor)) return false;
    const own = new Set([key, ...oldKeys].map(keyPath));
    const isTellable = (path: string): boolean => this.#endpoint.calls.isTellable(path);
    const { backlog, leftOut } = await writeBacklog(folder, reading.changes, { own, isTellable, signal });
    this.#leftOut += leftOut;
    // Without a cursor, nothing is told yet of anything: the cursor of an epoch's beginning.
    const after = before?.cursor ?? { epoch: reading.cursor.epoch, publication: 0 };
    const { cursor: to } = reading;
    await this.#save(
      backlog === undefined
        ? { ...unburdened(before), cursor: to }
        : { ...unburdened(before), cursor: after, backlog: { ...backlog, to } },
    );
    return true;
  }

  /** Tells a backlog to its end. @returns false if the rest is for another run */
  async #tellBacklog(start: Backlog): Promise<boolean> {
    const { folder, onEvent } = this.#options;
    let backlog: Backlog | undefined = start;
    while (backlog !== undefined) {
      throwIfStopped(this.#options.signal);
      const batch = await readBatch(folder, backlog, this.#endpoint.calls.urlsPerCall);
      if (!batch.ok) {
        const message = `What was to be told is read from the archives again: ${batch.error.message}.`;
        onEvent({ event: "warning", code: "index-now-state", message });
        await this.#save(unburdened(this.#position));
        break;
      }
      if (this.#endpoint.isTimeUp) {
        this.#postpone("The time for telling search engines is over; the next run goes on.");
        return false;
      }
      const verdict = await this.#endpoint.send(batch.value.paths, {
        to: backlog.to,
        after: this.#position?.cursor ?? backlog.to,
      });
      if (verdict.kind === "again") {
        await this.#giveUp(verdict);
        return false;
      }
      backlog = await this.#advance(backlog, batch.value);
      if (verdict.kind === "refused") {
        // Its cause concerns the rest as well: what is left is kept until somebody may have seen to it.
        if (backlog !== undefined) this.#postpone("After a refusal the rest is left to the next run.");
        return false;
      }
    }
    return true;
  }

  /** Notes that URLs are done with. @returns the backlog that remains */
  async #advance(backlog: Backlog, batch: Batch): Promise<Backlog | undefined> {
    const doneBytes = backlog.doneBytes + batch.sizeBytes;
    const rest = { ...backlog, doneBytes, doneUrls: backlog.doneUrls + batch.paths.length };
    if (doneBytes < backlog.sizeBytes) {
      await this.#save({ cursor: this.#position?.cursor ?? backlog.to, failedRuns: 0, backlog: rest });
      return rest;
    }
    await this.#save({ cursor: backlog.to, failedRuns: 0 });
    await removeBacklogs(this.#options.folder, undefined);
    return undefined;
  }

  async #giveUp({ message, retryAt }: Trouble): Promise<void> {
    const { timing } = this.#ports;
    const position = this.#position;
    if (position === undefined) return;
    const { failedRuns } = position;
    const until = planNextRun(failedRuns, retryAt, timing.now(), timing.random());
    await this.#save({ ...position, failedRuns: failedRuns + 1, pause: { endpoint: this.#options.endpoint, until } });
    this.#postpone(`The endpoint cannot be told now: ${message}.`, until);
  }

  #postpone(message: string, notBefore?: number): void {
    const facts = { urls: this.#pending(), message };
    this.#options.onEvent({
      event: "index-now",
      step: "postponed",
      ...facts,
      ...(notBefore === undefined ? {} : { notBefore }),
    });
  }

  async #save(position: Position | undefined): Promise<void> {
    if (position === undefined) return;
    await writePosition(this.#options.folder, position);
    this.#position = position;
  }

  #pending(): number {
    const backlog = this.#position?.backlog;
    return backlog === undefined ? 0 : backlog.urls - backlog.doneUrls;
  }

  #summarise(): IndexNowSummary {
    return {
      endpoint: this.#options.endpoint,
      keyLocation: this.#endpoint.calls.keyLocation,
      told: this.#endpoint.told,
      refused: this.#endpoint.refused,
      leftOut: this.#leftOut,
      calls: this.#endpoint.callsMade,
      pending: this.#pending(),
      notBefore: this.#position?.pause?.until,
      cursor: this.#position?.cursor,
    };
  }
}

function isSame(one: Cursor, other: Cursor): boolean {
  return one.epoch === other.epoch && one.publication === other.publication;
}

/** A position without its backlog. */
function unburdened(position: Position | undefined): Position {
  const { cursor, failedRuns, pause } = position ?? { cursor: { epoch: "", publication: 0 }, failedRuns: 0 };
  return { cursor, failedRuns, ...(pause === undefined ? {} : { pause }) };
}
