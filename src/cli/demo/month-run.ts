import { join, resolve } from "node:path";
import { type Month, type MonthOptions, type Months, simulateMonths } from "../../demo/index.ts";
import { writeTextFile } from "../../fs/index.ts";
import { formatTrafficPage } from "../../report/index.ts";
import { printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { packageVersion } from "../terminal/package-version.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatBytes, formatCount, formatElapsed } from "../terminal/quantity.ts";
import { formatTable } from "../terminal/text-layout.ts";

/** Simulates two months of visits, and shows what the logs of both say, side by side. */
export async function runMonths(options: MonthOptions, context: RunContext): Promise<ExitCode> {
  const { err, quiet, signal } = context;
  const { keepFolder } = options;
  const progress = new ProgressLine(err, quiet);
  const months = await progress.during(
    simulateMonths({ ...options, signal, onStep: (message) => progress.show(() => message) }),
  );
  const pages: string[] = [];
  if (keepFolder !== undefined)
    for (const [name, title, { summary, status }] of [
      ["without", "A month without Tidemark", months.polled],
      ["with", "A month with Tidemark", months.published],
    ] as const) {
      const file = join(resolve(keepFolder), `${name}.html`);
      const input = { summary, ...(status === undefined ? {} : { status }) };
      await writeTextFile(file, await formatTrafficPage(input, title, packageVersion()), { overwrite: true });
      pages.push(file);
    }
  const { polled, published, elapsedMs } = months;
  const facts = { polled: polled.summary, published: published.summary, pages, elapsedMs };
  printSummary(context, facts, () => formatMonths(months, pages));
  return exitCodes.done;
}

function formatMonths({ polled, published, elapsedMs }: Months, pages: readonly string[]): string {
  const rowOf = (name: string, of: (month: Month) => number, format: (value: number) => string): string[] => {
    const [before, after] = [of(polled), of(published)];
    const saved = before === 0 ? "-" : `${Math.round((100 * (before - after)) / before)} %`;
    return [name, format(before), format(after), saved];
  };
  const crawlers = polled.summary.groups.flatMap(({ operator, purpose }) => {
    const countsOf = ({ summary }: Month) => summary.groups.find((group) => group.operator === operator)?.counts;
    return [
      rowOf(`${operator} (${purpose}): requests`, (month) => countsOf(month)?.requests ?? 0, formatCount),
      rowOf("  bytes", (month) => countsOf(month)?.bytes ?? 0, formatBytes),
    ];
  });
  const table = formatTable(
    [
      ["", "without", "with", "saved"],
      rowOf("crawlers' requests", ({ summary }) => summary.crawling.requests, formatCount),
      rowOf("crawlers' bytes", ({ summary }) => summary.crawling.bytes, formatBytes),
      rowOf("needless requests", ({ summary }) => summary.crawling.needless, formatCount),
      rowOf("bytes sent again", ({ summary }) => summary.crawling.wastedBytes, formatBytes),
      ...crawlers,
      rowOf("people's requests", ({ summary: { all, crawling } }) => all.requests - crawling.requests, formatCount),
    ],
    "lrrr",
  );
  const { history } = polled.summary;
  const [before, after] = [polled.summary.crawling, published.summary.crawling];
  const foreseen =
    history === null
      ? ""
      : `By the log without Tidemark, archives would save ${formatCount(history.savedRequests)} requests and ${formatBytes(history.savedBytes)}; ` +
        `they saved ${formatCount(before.requests - after.requests)} and ${formatBytes(before.bytes - after.bytes)}.\n`;
  const kept = pages.length === 0 ? "" : `The pages about both months: ${pages.join(", ")}\n`;
  return `A month of visits to the same site, as its server's logs tell it:\n\n${table}\n${foreseen}${kept}Took ${formatElapsed(elapsedMs)}.\n`;
}
