import type { VerifySummary } from "../../core/index.ts";
import { verifySite } from "../../verify/index.ts";
import { printEvent, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { VerifyPrinter } from "./verify-printer.ts";

/** What the command line says about a verification. */
export interface VerifyArguments {
  readonly url: string;
  readonly sample?: number;
  readonly all?: boolean;
  readonly seed?: number;
  readonly delayMs?: number;
}

/** Verifies a site and prints what a crawler would find otherwise than published. */
export async function runVerify(options: VerifyArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet, signal } = context;
  const printer = new VerifyPrinter(err, quiet);
  let summary: VerifySummary;
  try {
    summary = await verifySite({
      ...options,
      signal,
      onEvent: (event) => {
        printEvent(context, event);
        printer.show(event, json);
      },
    });
  } finally {
    printer.end();
  }
  if (json) out.writeJson({ event: "summary", ...summary });
  else if (!quiet) out.write(printer.result(summary));
  return summary.differences > 0 ? exitCodes.itemsFailed : exitCodes.done;
}
