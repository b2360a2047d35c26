import type { Clock, ExportEvent, ProbeCounts } from "../../core/index.ts";
import type { ListedPage, ListedPageSource } from "./listed-page.ts";
import { PathCursor } from "./merged-pages.ts";
import { ProbeReader, ProbeWriter } from "./probe-file.ts";
import type { PageProbes } from "./probe-pages.ts";
import { completePage, contradicts, judgeProbe, type ProbeAnswer, type ProbeRecord } from "./probe-record.ts";
import { type ProbeReason, RotationPlan } from "./probe-rotation.ts";

export interface ProbedPagesOptions {
  readonly source: ListedPageSource;
  readonly requests: PageProbes;
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
  readonly #known: PathCursor<ProbeRecord>;
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
    this.#known = new PathCursor(() => this.#reader.next());
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
    await this.#known.fill();
  }

  async #choose(batch: readonly ListedPage[]): Promise<Probe[]> {
    const probes: Probe[] = [];
    for (const page of batch) {
      if ((this.#known.head?.path ?? page.path) < page.path) await this.#passOver(page.path);
      const known = this.#known.head?.path === page.path ? this.#known.head : undefined;
      if (known !== undefined) this.#known.step();
      if (!this.#known.isKnown) await this.#known.fill();
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
    for (let { head } = this.#known; head !== undefined; { head } = this.#known) {
      if (path !== undefined && head.path >= path) return;
      if ((!this.isComplete || this.kept.has(head.path)) && this.#writer?.add(head) === true)
        await this.#writer.drain();
      this.#known.step();
      if (!this.#known.isKnown) await this.#known.fill();
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
    const names = { deferred: "deferred", same: "same", body: "fetched", gone: "gone", trouble: "troubled" } as const;
    this.#counts[names[answer.kind]] += 1;
    if (answer.kind !== "deferred") this.#counts.asked += 1;
  }
}
