import type { MirrorEvent, MirrorSummary } from "../../core/index.ts";
import { type VerifyMirrorOptions, verifyMirror } from "../../verify/index.ts";
import { printEvent, printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { Pace, ProgressLine } from "../terminal/progress-line.ts";
import { formatBytes, formatCount, formatElapsed, formatNoun } from "../terminal/quantity.ts";

/** Verifies a mirror and prints what is damaged in it. */
export async function runVerifyMirror(options: VerifyMirrorOptions, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet, signal } = context;
  const progress = new ProgressLine(err, quiet);
  const pace = new Pace();
  const onEvent = (event: MirrorEvent): void => {
    printEvent(context, event);
    if (event.event === "progress") {
      const { site, done, total } = event;
      const rate = pace.format(site, done, total);
      progress.show(() => `${site}: reading files: ${formatCount(done)} of ${formatCount(total)}${rate}`);
    } else if (!json && !quiet) {
      progress.clear();
      out.write(formatFinding(event));
    }
  };
  const summary = await progress.during(verifyMirror({ ...options, signal, onEvent }));
  printSummary(context, summary, () => formatSummary(summary, options.heal === true));
  return summary.damaged > 0 ? exitCodes.itemsFailed : exitCodes.done;
}

function formatFinding({ kind, site, path, file, message }: Extract<MirrorEvent, { event: "finding" }>): string {
  return `${kind}: ${path === undefined ? `${site}: ${JSON.stringify(file)}` : site + path}: ${message}\n`;
}

function formatSummary(summary: MirrorSummary, heal: boolean): string {
  const { sites, pages, checked, checkedBytes, damaged, foreign, due, elapsedMs } = summary;
  const verdict = damaged === 0 ? "none damaged" : `${formatCount(damaged)} damaged`;
  const next =
    damaged === 0
      ? ""
      : heal
        ? `${formatCount(due)} will be fetched by the next crawl\n`
        : "with --heal, the next crawl fetches them again\n";
  return (
    `${formatNoun(sites.length, "site")}, ${formatNoun(pages, "page")}, ${formatCount(checked)} read: ${verdict}; ` +
    `${formatNoun(foreign, "foreign file")}\n${next}${formatBytes(checkedBytes)} read in ${formatElapsed(elapsedMs)}\n`
  );
}
