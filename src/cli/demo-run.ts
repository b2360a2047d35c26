import type { RunContext } from "./command.ts";
import type { DemoArguments } from "./demo-command.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";

export async function runDemo(_options: DemoArguments, _context: RunContext): Promise<ExitCode> {
  return exitCodes.done;
}
