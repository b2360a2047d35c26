import type { Clock, ExportEvent, ProbeCounts, Validators } from "../../core/index.ts";
import type { ListedPage, ListedPageSource } from "./listed-page.ts";
import { ProbeReader, ProbeWriter } from "./probe-file.ts";
import { completePage, contradicts, judgeProbe, type ProbeAnswer } from "./probe-judgement.ts";
import type { ProbeRecord } from "./probe-record.ts";
import { type ProbeReason, RotationPlan } from "./probe-rotation.ts";

/** Asks the server for pages. */
export interface ProbeRequests {
  /** Requests that may still be made in this run. */
  readonly budgetLeft: number;
  /** How many may be under way at once. */
  readonly concurrency: number;
  /** Asks for one page; never rejects for anything that a server or a network does. */
  ask(path: string, validators: Validators): Promise<ProbeAnswer>;
}

/** What a run of probes needs. */
export interface ProbedPagesOptions {
  readonly source: ListedPageSource;
  readonly requests: ProbeRequests;
  /** Where answers are remembered. */
  readonly file: string;
  /** Whether the file stays as it is, as when nothing is to be written. */
  readonly readOnly?: boolean;
  readonly clock: Clock;
  readonly onEvent: (event: ExportEvent) => void;
}

interface Probe {
  readonly page: ListedPage;
  readonly before: ProbeRecord | undefined;
  readonly reason: ProbeReason | undefined;
  answer: ProbeAnswer;
}

const deferred: ProbeAnswer = { kind: "deferred" };

/**
 * Completes listed pages that have no last-modified by what the server says of them, within a budget, and remembers
 * it in a file. One merge of two streams in path order: memory is a batch of each. What is not listed any more is
 * forgotten; the file is replaced when all pages have gone by, and stays as it was if they do not.
 */
export class ProbedPages implements ListedPageSource {
  readonly #options: ProbedPagesOptions;
  readonly #reader: ProbeReader;
  readonly #plan: RotationPlan;
  #writer: ProbeWriter | undefined;
  #isBegun = false;
  #isEnded = false;
  readonly #counts = { asked: 0, same: 0, fetched: 0, gone: 0, troubled: 0, deferred: 0 };

  /** @throws TidemarkError `no-permission`, `io` */
  constructor(options: ProbedPagesOptions) {
    this.#options = options;
    this.#reader = new ProbeReader(options.file, (message) =>
      options.onEvent({ event: "warning", code: "probes-corrupt", message: `${message}. Pages are asked for again.` }),
    );
    this.#plan = new RotationPlan(this.#reader.rotation, options.requests.budgetLeft);
  }

  get counts(): ProbeCounts {
    return { ...this.#counts };
  }

  get isComplete(): boolean {
    return this.#options.source.isComplete;
  }

  get kept(): ReadonlySet<string> {
    return this.#options.source.kept;
  }

  /** @throws TidemarkError as the source does; `disk-full`, `no-permission` */
  async next(): Promise<readonly ListedPage[] | undefined> {
    if (!this.#isBegun) await this.#begin();
    while (!this.#isEnded) {
      const batch = await this.#options.source.next();
      if (batch === undefined) {
        this.#isEnded = true;
        await this.#passOver(undefined);
        await this.#writer?.commit(this.#plan.end);
        return undefined;
      }
      const probes = await this.#choose(batch);
      await this.#ask(probes.filter(({ reason }) => reason !== undefined));
      const pages = await this.#settle(probes);
      if (pages.length > 0) return pages;
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader[Symbol.asyncDispose]();
    await this.#writer?.[Symbol.asyncDispose]();
    await this.#options.source[Symbol.asyncDispose]();
  }

  async #begin(): Promise<void> {
    this.#isBegun = true;
    if (this.#options.readOnly !== true) this.#writer = new ProbeWriter(this.#options.file);
    await this.#reader.fill();
  }

  async #choose(batch: readonly ListedPage[]): Promise<Probe[]> {
    const probes: Probe[] = [];
    for (const page of batch) {
      if ((this.#reader.head?.path ?? page.path) < page.path) await this.#passOver(page.path);
      const known = this.#reader.head?.path === page.path ? this.#reader.head : undefined;
      if (known !== undefined && this.#reader.step()) await this.#reader.fill();
      if (page.lastModified !== undefined) {
        probes.push({ page, before: undefined, reason: undefined, answer: deferred });
        continue;
      }
      const before = known !== undefined && contradicts(page, known) ? undefined : known;
      probes.push({ page, before, reason: this.#plan.choose(page.path, before !== undefined), answer: deferred });
    }
    return probes;
  }

  // Of what an incomplete list does not name, and of what it names in a line that is not understood, nothing is forgotten.
  async #passOver(path: string | undefined): Promise<void> {
    for (let head = this.#reader.head; head !== undefined; head = this.#reader.head) {
      if (path !== undefined && head.path >= path) return;
      if ((!this.isComplete || this.kept.has(head.path)) && this.#writer?.add(head) === true)
        await this.#writer.drain();
      if (this.#reader.step()) await this.#reader.fill();
    }
  }

  async #ask(probes: readonly Probe[]): Promise<void> {
    const { requests } = this.#options;
    let next = 0;
    const askSome = async (): Promise<void> => {
      for (let probe = probes[next++]; probe !== undefined; probe = probes[next++])
        probe.answer = await requests.ask(probe.page.path, probe.before?.validators ?? {});
    };
    await Promise.all(Array.from({ length: Math.min(requests.concurrency, probes.length) }, askSome));
  }

  async #settle(probes: readonly Probe[]): Promise<ListedPage[]> {
    const pages: ListedPage[] = [];
    const now = Math.floor(this.#options.clock() / 1000);
    for (const { page, before, reason, answer } of probes) {
      if (page.lastModified !== undefined) {
        pages.push(page);
        continue;
      }
      this.#count(answer);
      const record = judgeProbe(page.path, before, answer, now);
      this.#plan.settle(page.path, reason, record !== undefined, answer.kind === "deferred");
      if (record !== undefined && this.#writer?.add(record) === true) await this.#writer.drain();
      const complete = completePage(page, record);
      if (complete !== undefined) pages.push(complete);
    }
    return pages;
  }

  #count(answer: ProbeAnswer): void {
    const counts = this.#counts;
    if (answer.kind === "deferred") {
      counts.deferred += 1;
      return;
    }
    counts.asked += 1;
    if (answer.kind === "same") counts.same += 1;
    else if (answer.kind === "body") counts.fetched += 1;
    else if (answer.kind === "gone") counts.gone += 1;
    else counts.troubled += 1;
  }
}
