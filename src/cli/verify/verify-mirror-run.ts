import type { MirrorEvent, MirrorSummary } from "../../core/index.ts";
import { verifyMirror } from "../../verify/index.ts";
import { printEvent, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatBytes, formatCount, formatElapsed, formatNoun } from "../terminal/quantity.ts";

/** What the command line says about the verification of a mirror. */
export interface VerifyMirrorArguments {
  readonly into: string;
  readonly stateFile?: string;
  readonly url?: string;
  readonly sample?: number;
  readonly seed?: number;
  readonly heal?: boolean;
}

/** Verifies a mirror and prints what is damaged in it. */
export async function runVerifyMirror(options: VerifyMirrorArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet, signal } = context;
  const progress = new ProgressLine(err, quiet);
  let summary: MirrorSummary;
  try {
    summary = await verifyMirror({
      ...options,
      signal,
      onEvent: (event) => {
        printEvent(context, event);
        if (event.event === "progress") {
          const { site, done, total } = event;
          progress.show(() => `${site}: reading files: ${formatCount(done)} of ${formatCount(total)}`);
        } else if (!json && !quiet) {
          progress.clear();
          out.write(formatFinding(event));
        }
      },
    });
  } finally {
    progress.clear();
  }
  if (json) out.writeJson({ event: "summary", ...summary });
  else if (!quiet) out.write(formatSummary(summary, options.heal === true));
  return summary.damaged > 0 ? exitCodes.itemsFailed : exitCodes.done;
}

function formatFinding({ kind, site, path, file, message }: Extract<MirrorEvent, { event: "finding" }>): string {
  return `${kind}: ${path === undefined ? `${site}: ${JSON.stringify(file)}` : site + path}: ${message}\n`;
}

function formatSummary(summary: MirrorSummary, heal: boolean): string {
  const { sites, pages, checked, checkedBytes, damaged, foreign, due, elapsedMs } = summary;
  const verdict = damaged === 0 ? "all as they were kept" : `${formatCount(damaged)} damaged`;
  const next =
    damaged === 0
      ? ""
      : heal
        ? `${formatCount(due)} will be fetched by the next crawl\n`
        : "--heal lets the next crawl fetch them\n";
  return (
    `${formatNoun(sites.length, "site")}, ${formatNoun(pages, "page")}, ${formatCount(checked)} read: ${verdict}; ` +
    `${formatNoun(foreign, "foreign file")}\n${next}${formatBytes(checkedBytes)} read in ${formatElapsed(elapsedMs)}\n`
  );
}
