import {
  type CrawlSummary,
  type ErrorCode,
  firstErrorOf,
  isSystemError,
  TidemarkError,
  wrapSystemError,
} from "../../core/index.ts";
import type { Output } from "./output.ts";

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

/** An error as it is printed, and what the program ends with because of it. */
export interface ErrorReport {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly exitCode: ExitCode;
}

/** Says what an error means to people and programs; whatever is not known is a bug. */
export function reportError(failure: unknown): ErrorReport {
  const error = firstErrorOf(failure);
  const known = knownError(error);
  if (known === undefined) return bugReport(error);
  const { code, message, hint, details } = known;
  return { code, message, hint, details, exitCode: exitCodeOfError(code) };
}

/** The report for people. */
export function formatErrorReport({ message, hint }: ErrorReport): string {
  return `${message}\n${hint === undefined ? "" : `  ${hint}\n`}`;
}

/**
 * Reports that one of several sites failed, so that the others can have their turn.
 *
 * @returns what the program ends with if nothing worse happens
 * @throws the error itself if all is to end
 */
export function reportSiteError(
  error: unknown,
  site: string,
  { out, err, json }: { readonly out: Output; readonly err: Output; readonly json: boolean },
): ExitCode {
  const report = reportError(error);
  if (report.code === "aborted") throw error;
  const { exitCode, ...facts } = report;
  if (json) out.writeJson({ event: "site-error", site, ...facts });
  err.write(`tidemark: ${site}: ${formatErrorReport(report)}`);
  return exitCode;
}

function knownError(error: unknown): TidemarkError | undefined {
  if (error instanceof Error && error.name === "AbortError") {
    return new TidemarkError("aborted", "Stopped before the end.", { cause: error });
  }
  const wrapped = isSystemError(error) ? wrapSystemError(error, "go on") : error;
  return wrapped instanceof TidemarkError ? wrapped : undefined;
}

function bugReport(error: unknown): ErrorReport {
  const stack = error instanceof Error ? error.stack : undefined;
  return {
    code: "bug",
    message: `This is a bug in tidemark: ${stack ?? String(error)}`,
    hint: "Please report it with the command line and the lines above.",
    details: {},
    exitCode: exitCodes.bug,
  };
}
