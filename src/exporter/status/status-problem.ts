import type { EpochMs, TidemarkError } from "../../core/index.ts";
import type { SiteState } from "./site-state.ts";

/** Kinds of problems of an exporter; docs/cli.md explains each. */
export const statusProblemCodes = [
  "never-published",
  "state-unreadable",
  "stale",
  "run-failed",
  "files-failed",
  "run-hangs",
  "docroot-missing",
  "index-missing",
  "index-differs",
  "archives-missing",
  "clock-ahead",
] as const;

/** A problem that needs attention. */
export interface StatusProblem {
  /** `critical` if crawlers do not learn of changes, `warning` if that may happen. */
  readonly severity: "warning" | "critical";
  readonly code: (typeof statusProblemCodes)[number];
  readonly message: string;
}

/** Facts for the judgement besides the state. */
export interface Circumstances {
  readonly stateDir: string;
  /** Why the state could not be read. */
  readonly unreadable: TidemarkError | undefined;
  readonly maxAgeMs: number;
  readonly now: EpochMs;
}

const dayMs = 86_400_000;

/** Lists the problems of an exporter, the worst first. */
export function findProblems(state: SiteState, circumstances: Circumstances): StatusProblem[] {
  const problems = [...judgeLedger(state, circumstances), ...judgeRuns(state, circumstances), ...judgePublished(state)];
  return problems.sort((a, b) => Number(b.severity === "critical") - Number(a.severity === "critical"));
}

function* judgeLedger({ ledger }: SiteState, { stateDir, unreadable, now }: Circumstances): Iterable<StatusProblem> {
  if (unreadable !== undefined) {
    yield {
      severity: "critical",
      code: "state-unreadable",
      message: `${unreadable.message} ${unreadable.hint ?? ""}`.trim(),
    };
  } else if (ledger === undefined) {
    const message = `Nothing was published: there is no state in ${stateDir}.`;
    yield { severity: "critical", code: "never-published", message };
  } else if (ledger.publication * 1000 > now + dayMs) {
    const ahead = new Date(ledger.publication * 1000).toISOString();
    yield { severity: "warning", code: "clock-ahead", message: `The last publication lies in the future: ${ahead}.` };
  }
}

function* judgeRuns({ ledger, lastRun, lock }: SiteState, circumstances: Circumstances): Iterable<StatusProblem> {
  const { maxAgeMs, now } = circumstances;
  if (lastRun?.outcome === "failed") {
    const { message = "", hint = "" } = lastRun.error ?? {};
    const told = `The last run failed: ${message}${/[.!?]$/.test(message) ? "" : "."} ${hint}`.trim();
    yield { severity: "critical", code: "run-failed", message: told };
  } else if (lastRun !== undefined && lastRun.errors > 0) {
    const items = lastRun.errors === 1 ? "One item" : `${lastRun.errors} items`;
    const first = lastRun.troubles.find(({ kind }) => kind === "item-error");
    const example = first === undefined ? "" : ` (${first.path ?? ""}: ${first.message})`;
    yield { severity: "warning", code: "files-failed", message: `${items} failed in the last run${example}.` };
  }
  // A state older than run records shows only publications.
  const goodMs = lastRun?.succeededMs ?? (lastRun === undefined && ledger ? ledger.publication * 1000 : undefined);
  if (goodMs !== undefined && now - goodMs > maxAgeMs) {
    const message = `The last successful run was ${formatHours(now - goodMs)} ago; the limit is ${formatHours(maxAgeMs)}.`;
    yield { severity: "critical", code: "stale", message };
  }
  const heldMs = lock === undefined ? Number.NaN : now - Date.parse(lock.since);
  if (lock !== undefined && heldMs > maxAgeMs && (goodMs ?? 0) < Date.parse(lock.since)) {
    const message = `Process ${lock.pid} on ${lock.host} has been running since ${lock.since} without finishing.`;
    yield { severity: "warning", code: "run-hangs", message };
  }
}

function* judgePublished({ published, lock }: SiteState): Iterable<StatusProblem> {
  // During a run the ledger may be ahead of the index for a moment.
  if (published === undefined || lock !== undefined) return;
  const { docroot, index, missing, missingCount } = published;
  if (index === "no-docroot") {
    const message = `The document root ${docroot} is not there. Is it mounted?`;
    yield { severity: "critical", code: "docroot-missing", message };
  } else if (index === "missing") {
    const message = "The index is not in the document root; the next run puts it back.";
    yield { severity: "critical", code: "index-missing", message };
  } else if (index === "differs") {
    const message = "The index in the document root is not the one that was published; the next run repairs it.";
    yield { severity: "critical", code: "index-differs", message };
  }
  if (missingCount > 0) {
    const more = missingCount > 1 ? ` and ${missingCount - 1} more` : "";
    const message = `Archives are missing in the document root: ${missing[0] ?? ""}${more}; the next run repairs it.`;
    yield { severity: "critical", code: "archives-missing", message };
  }
}

function formatHours(ms: number): string {
  const hours = ms / 3_600_000;
  if (hours < 48) return `${hours < 10 ? Number(hours.toFixed(1)) : Math.round(hours)} hours`;
  return `${Math.round(hours / 24)} days`;
}
