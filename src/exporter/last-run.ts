import { join } from "node:path";
import { type Clock, type EpochMs, type ExportEvent, type ExportSummary, TidemarkError } from "../core/index.ts";
import { readAtMost, writeDurably } from "../fs/index.ts";

const lastRunFileName = "last-run.json";
/** Most troubles of one run that are kept. */
const maxTroubles = 20;
/** Longest text that is kept of a message, in characters. */
const maxMessageLength = 500;
const maxFileBytes = 256 * 1024;
const version = 1;

/** One warning, or one file that failed. */
export interface RunTrouble {
  readonly kind: "warning" | "item-error";
  readonly code: string;
  readonly message: string;
  readonly path?: string;
}

/** Result of the last run of a site's exporter, also if it failed. Plain JSON, bounded. */
export interface LastRun {
  readonly site: string;
  readonly docroot: string;
  readonly robotsDir: string;
  /** Whether it was a run of its own, or a publication of a process that watches. */
  readonly kind: "export" | "watch";
  readonly startedMs: EpochMs;
  readonly endedMs: EpochMs;
  readonly outcome: "published" | "unchanged" | "failed";
  /** What stopped it, if it failed. */
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
  /** When a run ended well for the last time. */
  readonly succeededMs?: EpochMs;
  readonly segmentSize: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly withheld: number;
  readonly errors: number;
  readonly warnings: number;
  /** The first {@link maxTroubles} of its errors and warnings. */
  readonly troubles: readonly RunTrouble[];
}

/** Reads the record of the last run; undefined if there is none that can be read. */
export async function readLastRun(stateDir: string): Promise<LastRun | undefined> {
  try {
    const bytes = await readAtMost(join(stateDir, lastRunFileName), maxFileBytes + 1, "the last run");
    if (bytes.length > maxFileBytes) return undefined;
    const text = Buffer.from(bytes).toString("utf8");
    const { version: written, ...run } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return written === version && isLastRun(run) ? run : undefined;
  } catch {
    return undefined;
  }
}

const numbers = [
  "startedMs",
  "endedMs",
  "segmentSize",
  "created",
  "updated",
  "deleted",
  "withheld",
  "errors",
  "warnings",
];
const texts = ["site", "docroot", "robotsDir"];
const words: Readonly<Record<string, readonly unknown[]>> = {
  kind: ["export", "watch"],
  outcome: ["published", "unchanged", "failed"],
};

// It lies in our own folder; still, what is damaged must not become a NaN in somebody's monitoring.
function isLastRun(value: unknown): value is LastRun {
  const run = value as Readonly<Record<string, unknown>>;
  return (
    numbers.every((key) => Number.isSafeInteger(run[key])) &&
    texts.every((key) => typeof run[key] === "string") &&
    Object.entries(words).every(([key, known]) => known.includes(run[key])) &&
    (run.succeededMs === undefined || Number.isSafeInteger(run.succeededMs)) &&
    (run.error === undefined || isTrouble(run.error)) &&
    Array.isArray(run.troubles) &&
    run.troubles.length <= maxTroubles &&
    run.troubles.every(isTrouble)
  );
}

function isTrouble(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { code, message } = value as Readonly<Record<string, unknown>>;
  return typeof code === "string" && typeof message === "string";
}

/** What is known before a run begins. */
export interface RunRecordOptions extends Pick<LastRun, "site" | "docroot" | "robotsDir" | "kind" | "segmentSize"> {
  readonly stateDir: string;
  readonly clock: Clock;
}

type Outcome = Pick<
  LastRun,
  "outcome" | "error" | "created" | "updated" | "deleted" | "withheld" | "errors" | "warnings"
>;

/**
 * Writes the result of a run to `last-run.json` in the state folder, for `tidemark status`; also if the run failed.
 *
 * One record per run, or per publication of a watch.
 */
export class RunRecord {
  readonly #options: RunRecordOptions;
  readonly #startedMs: number;
  readonly #troubles: RunTrouble[] = [];
  #errors = 0;
  #warnings = 0;

  constructor(options: RunRecordOptions) {
    this.#options = options;
    this.#startedMs = options.clock();
  }

  /** Records warnings and errors; ignores other events. */
  add(event: ExportEvent): void {
    if (event.event !== "warning" && event.event !== "item-error") return;
    if (event.event === "warning") this.#warnings += 1;
    else this.#errors += 1;
    if (this.#troubles.length >= maxTroubles) return;
    const { event: kind, code, message, path } = event;
    const trouble = {
      kind,
      code: cut(code),
      message: cut(message),
      ...(path === undefined ? {} : { path: cut(path) }),
    };
    // A scan that starts over reports everything again.
    if (!this.#troubles.some((told) => told.message === trouble.message && told.path === trouble.path)) {
      this.#troubles.push(trouble);
    }
  }

  /**
   * Records a successful run.
   *
   * @throws TidemarkError if the record cannot be written
   */
  async succeed(summary: ExportSummary): Promise<void> {
    const { created, updated, deleted, errors, warnings, published } = summary;
    const withheld = summary.withheld - (summary.withheldByRule["own-output"] ?? 0);
    const outcome = published ? "published" : "unchanged";
    await this.#write({ outcome, created, updated, deleted, withheld, errors, warnings });
  }

  /**
   * Records a failed run. Some failures are not recorded: another export of the site is running, which writes its own
   * record; the state belongs to another site or a newer version; the options are invalid; the run was stopped.
   * A missing folder is not created: its name may be a typing error.
   * If the record itself cannot be written, that is not reported: the run's own error matters more.
   */
  async fail(error: unknown): Promise<void> {
    const known = error instanceof TidemarkError ? error : undefined;
    if (known !== undefined && ["locked", "bad-option", "state-version", "aborted"].includes(known.code)) return;
    const message = cut(error instanceof Error ? error.message : String(error));
    const facts = { code: known?.code ?? "bug", message };
    const hint = known?.hint === undefined ? {} : { hint: cut(known.hint) };
    const nothing = { created: 0, updated: 0, deleted: 0, withheld: 0 };
    const counts = { ...nothing, errors: this.#errors, warnings: this.#warnings };
    await this.#write({ outcome: "failed", error: { ...facts, ...hint }, ...counts }).catch(() => undefined);
  }

  async #write(outcome: Outcome): Promise<void> {
    const { stateDir, clock, site, docroot, robotsDir, kind, segmentSize } = this.#options;
    const endedMs = clock();
    const succeededMs = outcome.outcome === "failed" ? (await readLastRun(stateDir))?.succeededMs : endedMs;
    const run: LastRun = {
      site,
      docroot,
      robotsDir,
      kind,
      segmentSize,
      startedMs: this.#startedMs,
      endedMs,
      ...outcome,
      ...(succeededMs === undefined ? {} : { succeededMs }),
      troubles: this.#troubles,
    };
    const text = `${JSON.stringify({ version, ...run })}\n`;
    await writeDurably(join(stateDir, lastRunFileName), text, { mode: 0o600 });
  }
}

function cut(text: string): string {
  return text.length <= maxMessageLength ? text : `${text.slice(0, maxMessageLength - 1)}…`;
}
