import type { EpochMs, TidemarkError } from "../../core/index.ts";
import type { SiteState } from "../publish/site-state.ts";

/** What can be wrong with an exporter; docs/cli.md explains each. */
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

/** Something that somebody should look at. */
export interface StatusProblem {
  /** `critical` if crawlers are not told what changed, `warning` if they may come not to be. */
  readonly severity: "warning" | "critical";
  readonly code: (typeof statusProblemCodes)[number];
  readonly message: string;
}

/** What the judgement needs to know beside the state. */
export interface Circumstances {
  readonly stateDir: string;
  /** Why the state could not be read. */
  readonly unreadable: TidemarkError | undefined;
  readonly maxAgeMs: number;
  readonly now: EpochMs;
}

const dayMs = 86_400_000;

/** Judges an exporter's state; the worst first. */
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
    const files = lastRun.errors === 1 ? "One file" : `${lastRun.errors} files`;
    const first = lastRun.troubles.find(({ kind }) => kind === "item-error");
    const example = first === undefined ? "" : ` (${first.path ?? ""}: ${first.message})`;
    yield { severity: "warning", code: "files-failed", message: `${files} failed in the last run${example}.` };
  }
  // A state of before there were records of runs tells only of publications.
  const goodMs = lastRun?.succeededMs ?? (lastRun === undefined && ledger ? ledger.publication * 1000 : undefined);
  if (goodMs !== undefined && now - goodMs > maxAgeMs) {
    const message = `The last run that ended well was ${formatHours(now - goodMs)} ago; ${formatHours(maxAgeMs)} are allowed.`;
    yield { severity: "critical", code: "stale", message };
  }
  const heldMs = lock === undefined ? Number.NaN : now - Date.parse(lock.since);
  if (lock !== undefined && heldMs > maxAgeMs && (goodMs ?? 0) < Date.parse(lock.since)) {
    const message = `Process ${lock.pid} on ${lock.host} has been at work since ${lock.since} and has not ended a run.`;
    yield { severity: "warning", code: "run-hangs", message };
  }
}

function* judgePublished({ published, lock }: SiteState): Iterable<StatusProblem> {
  // While a run is at work, the ledger may be ahead of the index for a moment.
  if (published === undefined || lock !== undefined) return;
  const { docroot, index, missing, missingCount } = published;
  if (index === "no-docroot") {
    const message = `The document root ${docroot} is not there. Is it mounted?`;
    yield { severity: "critical", code: "docroot-missing", message };
  } else if (index === "missing") {
    const message = "The index is not in the document root; the next run puts it back.";
    yield { severity: "critical", code: "index-missing", message };
  } else if (index === "differs") {
    const message = "The index in the document root is not the one that was published; the next run mends it.";
    yield { severity: "critical", code: "index-differs", message };
  }
  if (missingCount > 0) {
    const more = missingCount > 1 ? ` and ${missingCount - 1} more` : "";
    const message = `Archives are missing in the document root: ${missing[0] ?? ""}${more}; the next run mends it.`;
    yield { severity: "critical", code: "archives-missing", message };
  }
}

function formatHours(ms: number): string {
  const hours = ms / 3_600_000;
  if (hours < 48) return `${hours < 10 ? Number(hours.toFixed(1)) : Math.round(hours)} hours`;
  return `${Math.round(hours / 24)} days`;
}
