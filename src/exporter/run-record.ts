import { type Clock, type ExportEvent, type ExportSummary, TidemarkError } from "../core/index.ts";
import {
  type LastRun,
  maxMessageLength,
  maxTroubles,
  type RunTrouble,
  readLastRun,
  writeLastRun,
} from "./publish/last-run-file.ts";

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
    await writeLastRun(stateDir, {
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
    });
  }
}

function cut(text: string): string {
  return text.length <= maxMessageLength ? text : `${text.slice(0, maxMessageLength - 1)}…`;
}
