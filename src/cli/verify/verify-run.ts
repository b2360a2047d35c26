import type { Finding, VerifyEvent, VerifySummary } from "../../core/index.ts";
import { type VerifySiteOptions, verifySite } from "../../verify/index.ts";
import { printEvent, printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { Pace, ProgressLine } from "../terminal/progress-line.ts";
import { formatCount, formatElapsed, formatNoun } from "../terminal/quantity.ts";

/** Verifies a site and prints what a crawler would find otherwise than published. */
export async function runVerify(options: VerifySiteOptions, context: RunContext): Promise<ExitCode> {
  const { err, quiet, signal } = context;
  const progress = new ProgressLine(err, quiet);
  const pace = new Pace();
  const groups = new FindingGroups();
  const onEvent = (event: VerifyEvent): void => {
    printEvent(context, event);
    if (event.event === "progress") {
      const what = event.phase === "archives" ? "reading archives" : "requesting pages";
      const total = event.total === undefined ? "" : ` of ${formatCount(event.total)}`;
      const rate = pace.format(event.phase, event.done, event.total);
      progress.show(() => `${what}: ${formatCount(event.done)}${total}${rate}`);
    } else if (event.event === "finding") groups.add(event);
    else if (!context.json) progress.say(`warning: ${event.message}`);
  };
  const summary = await progress.during(verifySite({ ...options, signal, onEvent }));
  printSummary(context, summary, () => groups.format() + formatVerdict(summary));
  return summary.differences > 0 ? exitCodes.itemsFailed : exitCodes.done;
}

/** Findings; those that one deed puts right are one entry. */
class FindingGroups {
  readonly #groups = new Map<string, { readonly example: Finding; count: number }>();

  add(finding: Finding): void {
    const key = `${finding.severity} ${finding.kind} ${finding.fix}`;
    const group = this.#groups.get(key) ?? { example: finding, count: 0 };
    this.#groups.set(key, group);
    group.count += 1;
  }

  /** Differences first, and of each kind the most frequent. */
  format(): string {
    const groups = [...this.#groups.values()].sort(
      (a, b) => a.example.severity.localeCompare(b.example.severity) || b.count - a.count,
    );
    const lines = groups.flatMap(({ example: { severity, kind, path, message, fix }, count }) => [
      `${severity}: ${kind}, ${formatNoun(count, "time")}`,
      `  ${path}: ${message}`,
      `  ${fix}`,
    ]);
    return lines.map((line) => `${line}\n`).join("");
  }
}

function formatVerdict(summary: VerifySummary): string {
  const { site, pages, asked, differing, differences, notes, requests, seed, elapsedMs } = summary;
  const isUnread = asked === 0 && differences > 0;
  const read = `${formatNoun(pages, "page")} published, ${formatCount(asked)} requested`;
  const verdict =
    differences === 0
      ? "a crawler finds what is published"
      : differing === 0
        ? "the pages are as published, but not the rest of the site"
        : `${formatCount(differing)} of them other than published`;
  return (
    `${site}: ${isUnread ? "no page could be verified" : `${read}: ${verdict}`}\n` +
    `${formatNoun(differences, "difference")}, ${formatNoun(notes, "note")}; ${formatNoun(requests, "request")}, ` +
    `seed ${seed}, ${formatElapsed(elapsedMs)}\n`
  );
}
