import { TidemarkError } from "../../core/index.ts";
import type { RunContext } from "./command.ts";
import { type ExitCode, exitCodeOfError, exitCodes } from "./exit-code.ts";

/** An error as it is printed, and what the program ends with because of it. */
export interface ErrorReport {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly exitCode: ExitCode;
}

/** Says what an error means to people and programs; whatever is not known is a bug. */
export function reportError(error: unknown): ErrorReport {
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
export function reportSiteError(error: unknown, site: string, { out, err, json }: RunContext): ExitCode {
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
  return error instanceof TidemarkError ? error : undefined;
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
