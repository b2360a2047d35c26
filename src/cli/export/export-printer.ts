import type { ExportEvent, ExportSummary, PreviousCounts } from "../../core/index.ts";
import { printEvent, type RunContext } from "../terminal/command.ts";
import { Pace, ProgressLine } from "../terminal/progress-line.ts";
import { formatBytes, formatCount, formatElapsed, formatMoment, formatNoun } from "../terminal/quantity.ts";
import { DryRunReport, describeIncludes } from "./dry-run-report.ts";

const phases = {
  previous: "reading what is published",
  scan: "looking at files",
  base: "reading the base",
  archives: "writing archives",
  merge: "comparing pages",
} as const;

/** Prints what happens in an export: as JSON, or for people. */
export class ExportPrinter extends ProgressLine {
  readonly #context: RunContext;
  readonly #pace = new Pace();
  readonly #report: DryRunReport | undefined;

  constructor(context: RunContext, dryRun: boolean) {
    super(context.err, context.quiet);
    this.#context = context;
    this.#report = dryRun && !context.quiet ? new DryRunReport() : undefined;
  }

  /** @param mark - what the event says as JSON beside its own, such as of which site it is */
  take(event: ExportEvent, mark?: object): void {
    printEvent(this.#context, event, mark);
    if (event.event === "progress") {
      const total = event.total === undefined ? "" : ` of ${formatCount(event.total)}`;
      const pace = this.#pace.format(event.phase, event.done, event.total);
      this.show(() => `${phases[event.phase]}: ${formatCount(event.done)}${total}${pace}`);
    } else if (event.event === "page") this.#report?.addPage(event);
    else if (event.event === "withheld") this.#report?.addWithheld(event);
    else if (!this.#context.json) {
      const where = event.path === undefined ? "" : ` (${event.path})`;
      this.say(`${event.event === "warning" ? "warning" : "failed"}: ${event.message}${where}`);
    }
  }

  /** What the export came to. */
  result(summary: ExportSummary): string {
    return this.#report === undefined ? formatResult(summary) : this.#report.format(summary);
  }
}

function describePrevious({ source, files, receivedBytes }: PreviousCounts): string {
  if (source === "none") return "began a new epoch";
  const what = source === "site" ? "went on from what is published" : "went on from the state";
  return `${what}; ${formatNoun(files, "archive")} taken from the site (${formatBytes(receivedBytes)} received)`;
}

function formatResult(summary: ExportSummary): string {
  const { created, updated, deleted, touched, errors } = summary;
  const withheld = summary.withheld - (summary.withheldByRule["own-output"] ?? 0);
  const changes = `${formatCount(created)} created, ${formatCount(updated)} updated, ${formatCount(deleted)} deleted`;
  const same = touched === 0 ? "" : `, ${formatCount(touched)} touched but equal`;
  const archives = `${formatCount(summary.archivesWritten)} written, ${formatCount(summary.archivesListed)} listed`;
  const lines = [
    `${summary.site}: ${formatNoun(summary.pages, "page")}; ${changes}${same}`,
    summary.published
      ? `published ${formatMoment(summary.publication)}${summary.newBase ? " as a new base" : ""}; ` +
        `archives: ${archives} (${formatBytes(summary.bytesWritten)} written)`
      : `nothing changed since the publication of ${formatMoment(summary.publication)}`,
  ];
  if (summary.previous !== undefined) lines.push(describePrevious(summary.previous));
  if (summary.includes !== undefined) {
    lines.push(describeIncludes(summary.includes));
  }
  if (summary.listed !== undefined) {
    const { pages, shadowed } = summary.listed;
    const files = shadowed === 0 ? "" : `; ${formatCount(shadowed)} others have a file of the same path`;
    lines.push(`${formatNoun(pages, "page")} from lists${files}`);
  }
  if (summary.probes !== undefined) {
    const { asked, fetched, deferred } = summary.probes;
    lines.push(
      `requested ${formatNoun(asked, "page")} from the server, ${formatCount(fetched)} received whole; ` +
        `${formatCount(deferred)} left for another run`,
    );
  }
  if (withheld > 0) lines.push(`${formatNoun(withheld, "file")} held back (see them with --dry-run)`);
  if (errors > 0) {
    const failed =
      summary.listed === undefined
        ? formatNoun(errors, "file")
        : `${formatNoun(errors, "item")} (files, or lines of lists)`;
    lines.push(`${failed} failed and stay published as before`);
  }
  lines.push(`took ${formatElapsed(summary.elapsedMs)}`);
  return `${lines.join("\n")}\n`;
}
