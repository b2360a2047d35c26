import type { ExportEvent, ExportSummary } from "../../core/index.ts";
import type { Output } from "../terminal/output.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatBytes, formatCount, formatElapsed, formatMoment, formatNoun } from "../terminal/quantity.ts";
import { DryRunReport, describeIncludes } from "./dry-run-report.ts";

const phases = {
  scan: "looking at files",
  base: "reading the base",
  archives: "writing archives",
  merge: "comparing pages",
} as const;

/** Shows an export to people. */
export class ExportPrinter {
  readonly #progress: ProgressLine;
  readonly #report: DryRunReport | undefined;

  constructor(err: Output, quiet: boolean, dryRun: boolean) {
    this.#progress = new ProgressLine(err, quiet);
    this.#report = dryRun && !quiet ? new DryRunReport() : undefined;
  }

  /**
   * Takes one event.
   *
   * @param silent - leave out warnings and failures, because they are printed as JSON
   */
  show(event: ExportEvent, silent: boolean): void {
    if (event.event === "progress") {
      this.#progress.show(() => {
        const total = event.total === undefined ? "" : ` of ${formatCount(event.total)}`;
        return `${phases[event.phase]}: ${formatCount(event.done)}${total}`;
      });
    } else if (event.event === "page") this.#report?.addPage(event);
    else if (event.event === "withheld") this.#report?.addWithheld(event);
    else if (!silent) {
      const where = event.path === undefined ? "" : ` (${event.path})`;
      this.#progress.say(`${event.event === "warning" ? "warning" : "failed"}: ${event.message}${where}`);
    }
  }

  /** Prints a line that stays. */
  say(line: string): void {
    this.#progress.say(line);
  }

  /** Takes the progress line away. */
  end(): void {
    this.#progress.clear();
  }

  /** What the export came to. */
  result(summary: ExportSummary): string {
    if (this.#report !== undefined) return this.#report.format(summary);
    return formatResult(summary);
  }
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
      : `nothing changed; the publication of ${formatMoment(summary.publication)} stands`,
  ];
  if (summary.includes !== undefined) {
    lines.push(describeIncludes(summary.includes));
  }
  if (summary.listed !== undefined) {
    const { pages, shadowed } = summary.listed;
    const files = shadowed === 0 ? "" : `; ${formatCount(shadowed)} more are files`;
    lines.push(`${formatNoun(pages, "page")} from lists${files}`);
  }
  if (summary.probes !== undefined) {
    const { asked, fetched, deferred } = summary.probes;
    lines.push(
      `asked the server for ${formatNoun(asked, "page")}, ${formatCount(fetched)} came whole; ` +
        `${formatCount(deferred)} left for another run`,
    );
  }
  if (withheld > 0) lines.push(`${formatNoun(withheld, "file")} held back (see them with --dry-run)`);
  if (errors > 0) lines.push(`${formatNoun(errors, "file")} failed; what was published of them before stays`);
  lines.push(`took ${formatElapsed(summary.elapsedMs)}`);
  return `${lines.join("\n")}\n`;
}
