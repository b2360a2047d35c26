import type { CrawlSummary, ErrorCode } from "../../core/index.ts";

/** Every exit code of the program; `docs/cli.md` explains them. */
export const exitCodes = {
  done: 0,
  bug: 1,
  usage: 2,
  itemsFailed: 3,
  broken: 4,
  locked: 5,
  siteUnavailable: 6,
  warning: 7,
  critical: 8,
  interrupted: 130,
  pipeClosed: 141,
  terminated: 143,
} as const;

/** One of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const codesByError: Readonly<Partial<Record<ErrorCode, ExitCode>>> = {
  "bad-option": exitCodes.usage,
  locked: exitCodes.locked,
  "no-archives": exitCodes.siteUnavailable,
  "site-unavailable": exitCodes.siteUnavailable,
};

/** The exit code of a broken promise. */
export function exitCodeOfError(code: ErrorCode): ExitCode {
  return codesByError[code] ?? exitCodes.broken;
}

/** The exit code of a visit to a site; work that is left because the budget is spent is as it should be. */
export function exitCodeOfVisit(summary: CrawlSummary, budget: number | undefined): ExitCode {
  if (summary.source === "none") return exitCodes.siteUnavailable;
  const budgetSpent = budget !== undefined && summary.pageRequests >= budget;
  return summary.failed > 0 || (summary.pending > 0 && !budgetSpent) ? exitCodes.itemsFailed : exitCodes.done;
}

const byWeight: readonly ExitCode[] = [
  exitCodes.itemsFailed,
  exitCodes.siteUnavailable,
  exitCodes.warning,
  exitCodes.locked,
  exitCodes.critical,
  exitCodes.broken,
  exitCodes.usage,
  exitCodes.bug,
];

/** The exit code of several runs: a broken promise weighs more than an unavailable site, that more than failed items. */
export function worstExitCode(codes: readonly ExitCode[]): ExitCode {
  let worst: ExitCode = exitCodes.done;
  for (const code of codes) if (byWeight.indexOf(code) > byWeight.indexOf(worst)) worst = code;
  return worst;
}
