import type { ExportSummary, WithholdRule } from "../../core/index.ts";

/** What exports of several sites come to. */
export interface ExportSum
  extends Omit<ExportSummary, "site" | "stateDir" | "publication" | "published" | "newBase" | "epoch" | "dryRun"> {
  readonly sites: number;
  /** Sites whose export failed; nothing else of them is counted here. */
  readonly sitesFailed: number;
}

const counts = [
  "pages",
  "created",
  "updated",
  "deleted",
  "unchanged",
  "touched",
  "withheld",
  "errors",
  "warnings",
  "archivesWritten",
  "archivesListed",
  "intervals",
  "bytesWritten",
  "elapsedMs",
] as const;

/** Adds up exports of several sites. */
export function addExportSummaries(summaries: readonly ExportSummary[], sitesFailed: number): ExportSum {
  const withheldByRule: Partial<Record<WithholdRule, number>> = {};
  for (const summary of summaries) {
    for (const [rule, count] of Object.entries(summary.withheldByRule)) {
      withheldByRule[rule as WithholdRule] = (withheldByRule[rule as WithholdRule] ?? 0) + count;
    }
  }
  const sum = (key: (typeof counts)[number]): number => summaries.reduce((total, summary) => total + summary[key], 0);
  const sums = Object.fromEntries(counts.map((key) => [key, sum(key)])) as Record<(typeof counts)[number], number>;
  return { sites: summaries.length + sitesFailed, sitesFailed, ...sums, withheldByRule };
}
