import { type ExportOptions, exportGraph, type ImportOptions, importGraph } from "../../analysis/index.ts";
import { printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { formatNoun } from "../terminal/quantity.ts";

/** What the command line says about a graph. */
export type GraphArguments =
  | ({ readonly action: "import" } & ImportOptions)
  | ({ readonly action: "export" } & ExportOptions);

/** Reads, writes or examines a graph. */
export async function runGraph(options: GraphArguments, context: RunContext): Promise<ExitCode> {
  const { signal } = context;
  switch (options.action) {
    case "import": {
      const summary = await importGraph({ ...options, signal });
      const { nodes, links, lines, named } = summary;
      printSummary(
        context,
        summary,
        () =>
          `${formatNoun(nodes, "node")}, ${formatNoun(named, "name")}; ${formatNoun(links, "link")} from ${formatNoun(lines, "line")}\n`,
      );
      break;
    }
    case "export": {
      const summary = await exportGraph({ ...options, signal });
      printSummary(
        context,
        summary,
        () => `${formatNoun(summary.nodes, "node")}, ${formatNoun(summary.links, "link")}\n`,
      );
      break;
    }
  }
  return exitCodes.done;
}
