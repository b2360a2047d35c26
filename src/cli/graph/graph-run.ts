import { basename, resolve } from "node:path";
import {
  type CrawlImportOptions,
  describeGraph,
  type ExportOptions,
  exportGraph,
  type ImportOptions,
  importCrawl,
  importGraph,
  previousFolderOf,
  type RankOptions,
  type RankSummary,
  rankGraph,
  visitsFileOf,
} from "../../analysis/index.ts";
import { formatGraphPage } from "../../report/index.ts";
import { printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { packageVersion } from "../terminal/package-version.ts";
import { checkPageFile, writePage } from "../terminal/page-file.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatCount, formatElapsed, formatNoun } from "../terminal/quantity.ts";
import { formatTable } from "../terminal/text-layout.ts";
import { formatStats } from "./stats-text.ts";

/** What the command line says about a graph. */
export type GraphArguments =
  | ({ readonly action: "import" } & (ImportOptions | CrawlImportOptions))
  | ({ readonly action: "export" } & ExportOptions)
  | ({ readonly action: "rank" } & RankOptions)
  | { readonly action: "stats"; readonly folder: string; readonly top: number; readonly html?: string };

/** Reads, writes or examines a graph. */
export async function runGraph(options: GraphArguments, context: RunContext): Promise<ExitCode> {
  const { signal, err, quiet } = context;
  if (options.action === "import" && "crawl" in options) {
    const summary = await importCrawl({ ...options, signal });
    const { nodes, links, visited, revisited, tooLong, texts } = summary;
    const left = tooLong === 0 ? "" : `; left out for too long URLs: ${formatCount(tooLong)} links and pages`;
    const textual = texts === 0 ? "" : `, ${formatNoun(texts, "text")} of links`;
    const before =
      revisited === 0 ? "" : `; the links that visits before the last found, in ${previousFolderOf(options.into)}`;
    printSummary(
      context,
      summary,
      () =>
        `${formatNoun(nodes, "URL")}, ${formatCount(visited)} of them requested; ${formatNoun(links, "link")}${textual}${left}\nvisits are in ${visitsFileOf(options.into)}${before}\n`,
    );
  } else if (options.action === "import") {
    const summary = await importGraph({ ...options, signal });
    const { nodes, links, lines, named } = summary;
    printSummary(
      context,
      summary,
      () =>
        `${formatNoun(nodes, "node")}, ${formatNoun(named, "name")}; ${formatNoun(links, "link")} from ${formatNoun(lines, "line")}\n`,
    );
  } else if (options.action === "export") {
    const summary = await exportGraph({ ...options, signal });
    printSummary(
      context,
      summary,
      () => `${formatNoun(summary.nodes, "node")}, ${formatNoun(summary.links, "link")}\n`,
    );
  } else if (options.action === "stats") {
    const { folder, top, html } = options;
    await checkPageFile(html);
    const stats = await describeGraph(folder, top, signal);
    if (html !== undefined) {
      const page = await formatGraphPage(stats, `The graph in ${basename(resolve(folder))}`, packageVersion());
      await writePage(html, page);
    }
    printSummary(context, stats, () => formatStats(stats));
  } else {
    const progress = new ProgressLine(err, quiet);
    const onRound = (round: number, residual: number): void =>
      progress.show(() => `round ${round}, residual ${residual.toExponential(1)}`);
    const summary = await progress.during(rankGraph({ ...options, signal, onRound }));
    printSummary(context, summary, () => formatRanks(summary));
  }
  return exitCodes.done;
}

function formatRanks({ nodes, links, rounds, residual, rankMs, top, work }: RankSummary): string {
  const named = top.some(({ name }) => name !== undefined);
  const central = top.some(({ harmonic }) => harmonic !== undefined);
  const head = ["PageRank", "in", "out", ...(central ? ["harmonic"] : []), "node", ...(named ? ["name"] : [])];
  const rows = top.map(({ node, name, inDegree, outDegree, pageRank, harmonic }) => [
    pageRank.toPrecision(4),
    String(inDegree),
    String(outDegree),
    ...(central ? [(harmonic ?? 0).toFixed(1)] : []),
    String(node),
    ...(named ? [name ?? ""] : []),
  ]);
  const listed = work && `${formatNoun(work.nodes, "node")} to crawl next, ${work.newNodes} of them new\n`;
  return (
    `${formatNoun(nodes, "node")}, ${formatNoun(links, "link")}; ${formatNoun(rounds, "round")} in ${formatElapsed(rankMs)}` +
    `${residual === undefined ? "" : `, the last moved ${residual.toExponential(1)}`}\n${listed ?? ""}\n` +
    formatTable([head, ...rows], `rrr${central ? "r" : ""}r${named ? "l" : ""}`)
  );
}
