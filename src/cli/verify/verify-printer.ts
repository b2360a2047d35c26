import type { Finding, VerifyEvent, VerifySummary } from "../../core/index.ts";
import type { Output } from "../terminal/output.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatCount, formatElapsed, formatNoun } from "../terminal/quantity.ts";

interface Group {
  readonly example: Finding;
  count: number;
}

/** Shows a verification to people: findings that one deed puts right are one entry. */
export class VerifyPrinter {
  readonly #progress: ProgressLine;
  readonly #groups = new Map<string, Group>();

  constructor(err: Output, quiet: boolean) {
    this.#progress = new ProgressLine(err, quiet);
  }

  /**
   * Takes one event.
   *
   * @param silent - leave out warnings, because they are printed as JSON
   */
  show(event: VerifyEvent, silent: boolean): void {
    if (event.event === "progress") {
      const what = event.phase === "archives" ? "reading archives" : "asking for pages";
      const total = event.total === undefined ? "" : ` of ${formatCount(event.total)}`;
      this.#progress.show(() => `${what}: ${formatCount(event.done)}${total}`);
    } else if (event.event === "finding") this.#add(event);
    else if (!silent) this.#progress.say(`warning: ${event.message}`);
  }

  /** Takes the progress line away. */
  end(): void {
    this.#progress.clear();
  }

  /** What the verification came to. */
  result(summary: VerifySummary): string {
    const { pages, asked, differing, differences, notes, seed } = summary;
    const lines: string[] = [];
    const sorted = [...this.#groups.values()].sort((a, b) => b.count - a.count);
    for (const severity of ["difference", "note"] as const) {
      for (const { example, count } of sorted) {
        if (example.severity !== severity) continue;
        lines.push(`${severity}: ${example.kind}, ${formatNoun(count, "time")}`);
        lines.push(`  ${example.path}: ${example.message}`, `  ${example.fix}`);
      }
    }
    const verdict =
      differences === 0
        ? "a crawler finds what is published"
        : differing === 0
          ? "the pages are as published, the site is not"
          : `${formatCount(differing)} of them otherwise than published`;
    lines.push(
      `${summary.site}: ${formatNoun(pages, "page")} published, ${formatCount(asked)} asked for: ${verdict}`,
      `${formatNoun(differences, "difference")}, ${formatNoun(notes, "note")}; ${formatNoun(summary.requests, "request")}, ` +
        `seed ${seed}, ${formatElapsed(summary.elapsedMs)}`,
    );
    return `${lines.join("\n")}\n`;
  }

  #add(finding: Finding): void {
    const key = `${finding.severity} ${finding.kind} ${finding.fix}`;
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, { example: finding, count: 1 });
    else group.count += 1;
  }
}
