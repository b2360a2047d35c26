import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { omitUndefined, TidemarkError } from "../../core/index.ts";
import { type ProposeSiteOptions, proposeSite, type SiteProposal } from "../../exporter/index.ts";
import { writeTextFile } from "../../fs/index.ts";
import { ExportPrinter } from "../export/export-printer.ts";
import { printEvent, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { formatConfiguration, formatProposal } from "./init-text.ts";

/** What the command line says about a configuration that is to be proposed. */
export interface InitArguments {
  readonly docroot: string;
  readonly baseUrl?: string;
  readonly serverUrl?: string;
  readonly writeFile?: string;
  readonly force?: boolean;
}

/** Proposes a configuration, prints it with what it would do, and writes it if that was asked for. */
export async function runInit(options: InitArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet, signal } = context;
  const { docroot, baseUrl, serverUrl, force = false } = options;
  const writeFile = options.writeFile === undefined ? undefined : resolve(options.writeFile);
  if (writeFile !== undefined && !force && existsSync(writeFile)) {
    throw new TidemarkError("bad-option", `${writeFile} is there already.`, {
      hint: "Name another file, or overwrite this one with --force.",
    });
  }
  const printer = new ExportPrinter(err, quiet, true);
  let proposal: SiteProposal;
  try {
    proposal = await proposeSite({
      ...(omitUndefined({ docroot, baseUrl, serverUrl }) as ProposeSiteOptions),
      signal,
      onEvent: (event) => {
        printEvent(context, event);
        printer.show(event, json);
      },
    });
  } finally {
    printer.end();
  }
  const configuration = formatConfiguration(proposal);
  if (writeFile !== undefined) await writeTextFile(writeFile, configuration, { overwrite: force });
  if (json) out.writeJson({ event: "summary", ...proposal, configuration: JSON.parse(configuration), file: writeFile });
  else if (!quiet) {
    const columns = Math.min(100, out.columns);
    out.write(formatProposal(proposal, configuration, printer.result(proposal.summary), writeFile, columns));
  }
  return exitCodes.done;
}
